package syzygy

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// mapped maps a file of size bytes.
func mapped(f *os.File, size int) (data []byte, unmap func() error, err error) {
	mapping, err := syscall.CreateFileMapping(syscall.Handle(f.Fd()), nil, syscall.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, nil, err
	}
	address, err := syscall.MapViewOfFile(mapping, syscall.FILE_MAP_READ, 0, 0, 0)
	if err != nil {
		return nil, nil, errors.Join(err, syscall.CloseHandle(mapping))
	}
	// The address is of no Go object; read it as a pointer without arithmetic.
	data = unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size)
	return data, func() error {
		return errors.Join(syscall.UnmapViewOfFile(address), syscall.CloseHandle(mapping))
	}, nil
}
