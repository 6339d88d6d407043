package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// legalLine returns the line of r, cut where a move is not legal or the game
// is over. The result is valid until the next call.
func (w *worker) legalLine(r *rootMove) []chess.Move {
	p := w.pos
	n := 0
	for n < r.length && p.IsLegal(r.line[n]) {
		p.Make(r.line[n])
		n++
		if w.gameOver() {
			break
		}
	}
	for range n {
		p.Unmake()
	}
	r.length = n
	return r.line[:n]
}

// gameOver reports whether the rules end the game here.
func (w *worker) gameOver() bool {
	p := w.pos
	return !p.HasLegalMove() || p.HalfmoveClock() >= 100 || p.Repetitions() >= 2 || p.InsufficientMaterial()
}

// matePlies returns the length of the line of a mate score.
func matePlies(s eval.Score) int {
	if s > 0 {
		return int(mate - s)
	}
	return int(mate + s)
}

// completionNodes bounds the nodes spent on the line of one mate, about two
// milliseconds. While the search still runs it may be an eighth of the search,
// if that is more, and a stop or the clock ends it like the search itself.
const completionNodes = 3000

// complete extends the line of a mate score that ends before the mate: a
// search cut off, or a window missed, leaves such lines behind. The table
// still knows most of the way. What it costs is not counted. A mate that cannot
// be shown in time is reported as a won or lost position without mate.
func (w *worker) complete(r *rootMove) {
	if !isMate(r.shown) || matePlies(r.shown) > MaxPly || len(w.legalLine(r)) == matePlies(r.shown) {
		return
	}
	nodes, limit, halted, depth := w.nodes, w.nodeLimit, w.halted, w.depth
	over := halted || w.engine.stopped.Load()
	w.halted, w.finishing = false, over
	w.nodeLimit = w.nodes + completionNodes
	if !over {
		w.nodeLimit = w.nodes + max(completionNodes, w.nodes/8)
	}
	n := r.length
	for _, m := range r.line[:n] {
		w.make(w.pos.Plies()-w.rootPlies, m)
	}
	left := matePlies(r.shown) - n
	want := r.shown
	if n%2 == 1 {
		want = -want
	}
	for extra := 0; extra <= 6 && left > 0 && !w.halted; extra += 2 {
		w.depth = Depth(left + extra)
		if score := w.search(n, Depth(left+extra), want-1, want+1, false); score == want && !w.halted {
			r.length = n + copy(r.line[n:], w.at(n).line[:w.at(n).length])
			if r.length == matePlies(r.shown) {
				break
			}
		}
	}
	for range n {
		w.pos.Unmake()
	}
	w.nodes, w.nodeLimit, w.halted, w.depth, w.finishing = nodes, limit, halted, depth, false
	if r.length != matePlies(r.shown) {
		r.shown = max(-eval.Limit, min(eval.Limit, r.shown))
	}
}
