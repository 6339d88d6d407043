package syzygy

import (
	"fmt"
	"os"
)

// mapFile maps a whole file into memory for reading; unmap gives it back.
func mapFile(name string) (data []byte, unmap func() error, err error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() { // opening a FIFO would wait for a writer
		err = &FileError{name, 0, "this is not a regular file"}
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	size := info.Size()
	if size <= 0 || int64(int(size)) != size {
		return nil, nil, &FileError{name, 0, fmt.Sprintf("a file of %d bytes cannot be a table", size)}
	}
	return mapped(f, int(size))
}
