//go:build !unix && !windows

package syzygy

import (
	"io"
	"os"
)

// mapped reads a file: the system knows no mapping.
func mapped(f *os.File, _ int) (data []byte, unmap func() error, err error) {
	data, err = io.ReadAll(f)
	return data, func() error { return nil }, err
}
