//go:build !wasm

package search

import (
	"unsafe"

	"github.com/tabula-chess/tabula/chess"
)

// expect prefetches the table's entry for the position after m.
func (w *worker) expect(m chess.Move) { w.engine.table.prefetch(w.pos.KeyAfter(m)) }

// arrive does nothing: expect has fetched the entry already.
func (w *worker) arrive() {}

// prefetchCorrections prefetches four corrections.
func prefetchCorrections(a, b, c, d *correction) {
	prefetchFour(uintptr(unsafe.Pointer(a)), uintptr(unsafe.Pointer(b)), uintptr(unsafe.Pointer(c)),
		uintptr(unsafe.Pointer(d)))
}
