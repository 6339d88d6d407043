//go:build !linux

package machine

import "fmt"

// Memory is memory on the Go heap, which is not scanned because it holds no pointers.
type Memory struct{}

// Allocate makes n zeroed values, which may hold no Go pointers.
func Allocate[T any](n uint64) (b *Memory, values []T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return &Memory{}, make([]T, n), nil
}

// Pages says that there are no large pages.
func (b *Memory) Pages() string { return "no large pages: asked for on Linux only" }

// Free reports that the free memory is unknown.
func Free() (free uint64, known bool) { return 0, false }

// Resident reports that the memory of a process is unknown.
func Resident(int) (used uint64, known bool) { return 0, false }

// Release does nothing.
func (b *Memory) Release() {}
