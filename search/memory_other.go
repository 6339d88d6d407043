//go:build !linux

package search

import (
	"fmt"
	"unsafe"
)

// memory is empty where the table is on the Go heap, which is not scanned because it
// holds no pointers.
type memory struct{}

// allocate makes n empty clusters.
func allocate(n uint64) (m *memory, clusters []cluster, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return &memory{}, make([]cluster, n), nil
}

// pages says that there are no large pages.
func (m *memory) pages() string { return "no large pages: asked for on Linux only" }

// heap returns how much of Go's heap n clusters take.
func (m *memory) heap(n int) uint64 { return uint64(n) * uint64(unsafe.Sizeof(cluster{})) }

// freeMemory reports that the free memory is unknown.
func freeMemory() (free uint64, known bool) { return 0, false }

// release does nothing.
func (m *memory) release() {}
