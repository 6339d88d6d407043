//go:build !unix && !windows

package syzygy

import "os"

// mapFile reads a whole file: the system knows no mapping.
func mapFile(name string) (data []byte, unmap func() error, err error) {
	data, err = os.ReadFile(name)
	return data, func() error { return nil }, err
}
