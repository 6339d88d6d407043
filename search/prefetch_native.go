//go:build !wasm

package search

import "github.com/tabula-chess/tabula/chess"

// expect prefetches the table's entry for the position after m.
func (w *worker) expect(m chess.Move) { w.engine.table.prefetch(w.pos.KeyAfter(m)) }

// arrive does nothing: expect has fetched the entry already.
func (w *worker) arrive() {}
