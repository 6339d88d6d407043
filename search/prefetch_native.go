//go:build !wasm

package search

import (
	"unsafe"

	"github.com/tabula-chess/tabula/chess"
)

// prefetchAfter prefetches the table's entry for the position after m.
func (w *worker) prefetchAfter(m chess.Move) { w.engine.table.prefetch(w.pos.KeyAfter(m)) }

// loadEntry does nothing: prefetchAfter has fetched the entry already.
func (w *worker) loadEntry() {}

// prefetchCorrections prefetches four corrections.
func prefetchCorrections(a, b, c, d *correction) {
	prefetchFour(uintptr(unsafe.Pointer(a)), uintptr(unsafe.Pointer(b)), uintptr(unsafe.Pointer(c)),
		uintptr(unsafe.Pointer(d)))
}
