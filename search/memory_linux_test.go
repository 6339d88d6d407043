package search

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/tabula-chess/tabula/test/kit"
)

// untouched counts the pages of a table that the system has not lent yet.
func untouched(t *testing.T, e *Engine) (n int) {
	t.Helper()
	clusters := e.table.clusters
	memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(clusters))), len(clusters)*int(unsafe.Sizeof(cluster{})))
	page := os.Getpagesize()
	resident := make([]byte, (len(memory)+page-1)/page)
	_, _, errno := syscall.Syscall(syscall.SYS_MINCORE, uintptr(unsafe.Pointer(unsafe.SliceData(memory))),
		uintptr(len(memory)), uintptr(unsafe.Pointer(unsafe.SliceData(resident))))
	if errno != 0 {
		t.Skipf("mincore: %v", errno)
	}
	for _, r := range resident {
		if r&1 == 0 {
			n++
		}
	}
	return n
}

// TestNoPageIsTouchedOnTheClock asks the system for the pages of new and
// emptied tables: all are there before a search starts that has waited for them.
func TestNoPageIsTouchedOnTheClock(t *testing.T) {
	e := engine(t)
	check := func(when string) {
		lent(t, e)
		if n := untouched(t, e); n != 0 {
			t.Errorf("%s: %d pages are not there", when, n)
		}
	}
	check("a new engine")
	for _, mib := range []int{1, 3, 300} {
		kit.Succeed(t, e.SetHash(mib))
		e.Ready()
		check(e.Memory().String())
		e.Clear()
		check("cleared unused")
		e.Search(kit.Position(t, benchPositions[0]), Limits{Depth: 2}, Options{}, nil)
		e.Clear()
		check("cleared after a search")
	}
}
