//go:build unix

package syzygy

import (
	"io"
	"os"
	"syscall"
)

// mapped maps a file of size bytes.
func mapped(f *os.File, size int) (data []byte, unmap func() error, err error) {
	data, err = syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil { // a file system without mapping
		data, err = io.ReadAll(f)
		return data, func() error { return nil }, err
	}
	return data, func() error { return syscall.Munmap(data) }, nil
}
