package syzygy

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"
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
	mapping, err := syscall.CreateFileMapping(syscall.Handle(f.Fd()), nil, syscall.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, nil, err
	}
	address, err := syscall.MapViewOfFile(mapping, syscall.FILE_MAP_READ, 0, 0, 0)
	if err != nil {
		return nil, nil, errors.Join(err, syscall.CloseHandle(mapping))
	}
	// The address is of no Go object; read it as a pointer without arithmetic.
	data = unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), int(size))
	return data, func() error {
		return errors.Join(syscall.UnmapViewOfFile(address), syscall.CloseHandle(mapping))
	}, nil
}
