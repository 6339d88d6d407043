//go:build !linux

package search

import "fmt"

// memory is nothing where the table lives on the heap of Go, which does not
// scan it: it holds no pointers.
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

// pages tells that large pages are not asked for.
func (m *memory) pages() string { return "no large pages: asked for on Linux only" }

// release has nothing to do.
func (m *memory) release() {}
