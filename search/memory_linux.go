package search

import (
	"runtime"
	"syscall"
	"unsafe"
)

// memory is a mapping outside the heap of Go: a refusal is an error and not
// the end of the process, and pages cost nothing before they are used.
type memory struct {
	bytes   []byte
	cleanup runtime.Cleanup
}

// allocate maps n zeroed clusters and asks for large pages.
func allocate(n uint64) (*memory, []cluster, error) {
	size := n * uint64(unsafe.Sizeof(cluster{}))
	bytes, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	_ = syscall.Madvise(bytes, syscall.MADV_HUGEPAGE) // speed only
	m := &memory{bytes: bytes}
	m.cleanup = runtime.AddCleanup(m, func(b []byte) { _ = syscall.Munmap(b) }, bytes)
	return m, unsafe.Slice((*cluster)(unsafe.Pointer(unsafe.SliceData(bytes))), n), nil
}

// release gives the memory back at once.
func (m *memory) release() {
	m.cleanup.Stop()
	_ = syscall.Munmap(m.bytes)
}
