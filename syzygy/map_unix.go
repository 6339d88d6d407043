//go:build unix

package syzygy

import (
	"fmt"
	"os"
	"syscall"
)

// mapFile maps a whole file into memory for reading; unmap gives it back.
func mapFile(name string) (data []byte, unmap func() error, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if size := info.Size(); size <= 0 || int64(int(size)) != size {
		return nil, nil, &FileError{name, 0, fmt.Sprintf("a file of %d bytes cannot be a table", size)}
	}
	data, err = syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil { // a file system without mapping
		data, err = os.ReadFile(name)
		return data, func() error { return nil }, err
	}
	return data, func() error { return syscall.Munmap(data) }, nil
}
