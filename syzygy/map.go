package syzygy

import (
	"fmt"
	"os"
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
	size := info.Size()
	if size <= 0 || int64(int(size)) != size {
		return nil, nil, &FileError{name, 0, fmt.Sprintf("a file of %d bytes cannot be a table", size)}
	}
	return mapped(f, int(size))
}
