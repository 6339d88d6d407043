package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// static sets the evaluations of n and f. A singular search keeps those of its node.
func (w *worker) static(n *node, f *stackEntry) {
	switch {
	case n.inCheck:
		f.static, n.raw, n.eval = unknown, unknown, unknown
		return
	case f.excluded != chess.NoMove:
		n.raw, n.eval = unknown, f.static
		n.correction = magnitude(w.correctionOf(n.ply))
	default:
		w.assess(n, f)
	}
	for _, back := range [...]int{2, 4} {
		if earlier := w.at(n.ply - back).static; earlier != unknown {
			n.improving = f.static > earlier
			break
		}
	}
}

// assess evaluates a node that is not in check. It takes the network's evaluation, from
// the table if known, corrects it and sharpens it by the table's score.
func (w *worker) assess(n *node, f *stackEntry) {
	if n.raw = n.tt.eval; !n.tt.hit || n.raw == unknown {
		n.raw = w.evaluate()
	}
	correction := w.correctionOf(n.ply)
	n.correction = magnitude(correction)
	f.static = max(-eval.Limit, min(eval.Limit, damped(w.pos, n.raw, w.params.DampingSpan)+correction))
	n.eval = n.tt.sharpen(f.static)
}

// magnitude returns the absolute value of s.
func magnitude(s eval.Score) int { return int(max(s, -s)) }

// hindsight reduces a node after a reduced move further if the evaluations of both sides
// confirm that the move was bad.
// Source: Stockfish, "hindsight adjustment of reductions".
func (w *worker) hindsight(n *node, f *stackEntry) {
	prev := w.at(n.ply - 1)
	if n.depth >= 2 && prev.reduced >= 1 && f.excluded == chess.NoMove && !n.inCheck && prev.static != unknown &&
		f.static+prev.static > eval.Score(w.params.Hindsight) {
		n.depth--
	}
}

// rewardSwing adjusts the history of the quiet move that led here by the change of the
// static evaluation.
func (w *worker) rewardSwing(n *node, f *stackEntry) {
	prev := w.at(n.ply - 1)
	if n.inCheck || f.excluded != chess.NoMove || !w.cameQuietly(n.ply) || prev.static == unknown || !prev.attacksKnown {
		return
	}
	k := &w.params
	swing := max(-k.SwingMax, min(k.SwingMax, -k.SwingSlope*int(f.static+prev.static)))
	w.history.quiet[w.pos.SideToMove().Other()][prev.attacks.index(prev.move)][prev.move&4095].add(swing + k.SwingOffset)
}

// cameQuietly reports whether a quiet move of the search led to ply: not at the root and
// not after a null move, capture or promotion.
func (w *worker) cameQuietly(ply int) bool {
	m := w.at(ply - 1).move
	return m != chess.NoMove && w.pos.Captured() == chess.NoPiece && m.Kind() != chess.Promotion
}
