package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// reduction returns how much less deeply to search the current move, in 1024ths of a
// ply. Source: CPW "Late Move Reductions".
func (w *worker) reduction(n *node, f *stackEntry) int32 {
	k := &w.params
	r := w.reduce[min(n.depth, 63)][min(n.count, 63)]
	if n.cut {
		r += int32(k.LMRCut)
	}
	if !n.improving {
		r += int32(k.LMRNotImproving)
	}
	if n.pv {
		r -= int32(k.LMRPV)
	}
	if f.ttPV {
		r -= int32(k.LMRTablePV)
	}
	if n.check {
		r -= int32(k.LMRCheck)
	}
	if w.at(n.ply+1).cutoffs > k.LMRCutoffsFrom {
		r += int32(k.LMRCutoffs)
	}
	if n.quiet {
		if n.move == f.killers[0] || n.move == f.killers[1] {
			r -= int32(k.LMRKiller)
		}
		if n.tt.move != chess.NoMove && isTactical(w.pos, n.tt.move) {
			r += int32(k.LMRTableCapture)
		}
	} else {
		r += int32(k.LMRCapture)
	}
	if w.alphaDecided(n) {
		r -= int32(k.DecidedReduction)
		if n.check {
			r -= int32(k.DecidedReduction)
		}
	}
	r -= int32(k.LMRCorrection * n.correction)
	return r - int32(n.history*1024/k.LMRHistory)
}

// searchMove returns the score of the current move, which has been made, from the view
// of its mover. depth is the depth of an unreduced search.
func (w *worker) searchMove(n *node, f *stackEntry, depth Depth, r int32) eval.Score {
	child := n.ply + 1
	var score eval.Score
	switch {
	case int(n.depth) >= w.params.LMRDepth && n.count > 1+btoi(n.pv && n.ply <= 1):
		reduced := max(1, min(depth-Depth(r)/1024, depth+1))
		f.reduced = depth - reduced
		score = -w.search(child, reduced, -n.alpha-1, -n.alpha, true)
		f.reduced = 0
		if score > n.alpha && reduced < depth && !w.halted {
			// Better than expected: search again, a little deeper or less deeply
			// depending on the score.
			if score > n.best+eval.Score(w.params.Deeper) {
				depth++
			} else if score < n.best+eval.Score(w.params.Shallower) {
				depth--
			}
			if depth > reduced {
				score = -w.search(child, depth, -n.alpha-1, -n.alpha, !n.cut)
			}
			if n.quiet && !w.halted {
				bonus := w.bonus(depth)
				if score <= n.alpha {
					bonus = -bonus
				}
				w.addContinuation(n.ply, f.moved, bonus)
			}
		}
	case !n.pv || n.count > 1:
		score = -w.search(child, depth, -n.alpha-1, -n.alpha, !n.cut)
	}
	if n.pv && (n.count == 1 || score > n.alpha) && !w.halted {
		score = -w.search(child, depth, -n.beta, -n.alpha, false)
	}
	return score
}

// btoi returns 1 for true.
func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
