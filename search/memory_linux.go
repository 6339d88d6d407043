package search

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"
	"unsafe"
)

// memory is a mapping outside the heap of Go: a refusal is an error and not
// the end of the process, and pages cost nothing before they are used.
type memory struct {
	bytes   []byte
	cleanup runtime.Cleanup
	refused error // why there are no large pages; nil where they were granted
}

// allocate maps n zeroed clusters and asks for large pages.
func allocate(n uint64) (*memory, []cluster, error) {
	size := n * uint64(unsafe.Sizeof(cluster{}))
	bytes, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	m := &memory{bytes: bytes, refused: askLargePages(bytes)}
	m.cleanup = runtime.AddCleanup(m, func(b []byte) { _ = syscall.Munmap(b) }, bytes)
	return m, unsafe.Slice((*cluster)(unsafe.Pointer(unsafe.SliceData(bytes))), n), nil
}

// askLargePages asks for large pages, which save time but are not needed.
func askLargePages(bytes []byte) error {
	mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	switch {
	case err != nil:
		return errors.New("this system has none")
	case strings.Contains(string(mode), "[never]"):
		return errors.New("transparent_hugepage is set to never")
	case len(bytes) < 2<<20:
		return errors.New("the table is smaller than one")
	}
	return syscall.Madvise(bytes, syscall.MADV_HUGEPAGE)
}

// pages tells whether large pages are in use, or why not.
func (m *memory) pages() string {
	if m.refused != nil {
		return "no large pages: " + m.refused.Error()
	}
	return "large pages"
}

// release gives the memory back at once.
func (m *memory) release() {
	m.cleanup.Stop()
	_ = syscall.Munmap(m.bytes)
}
