package search

import "github.com/tabula-chess/tabula/chess"

// prefetchAfter does nothing, since WebAssembly has no instruction to prefetch.
func (w *worker) prefetchAfter(chess.Move) {}

// loadEntry loads the table's entry for the position that a move has led to, a little before
// it is needed: nothing waits for the value, so that the processor works on meanwhile.
func (w *worker) loadEntry() { loaded += w.engine.table.cluster(w.pos.Key())[0].data.Load() }

// prefetchCorrections loads four corrections for the same reason.
func prefetchCorrections(a, b, c, d *correction) {
	loaded += uint64(*a) + uint64(*b) + uint64(*c) + uint64(*d)
}

// loaded keeps such loads from being left out.
var loaded uint64
