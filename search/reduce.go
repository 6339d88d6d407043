package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// reduction returns by how much the move in hand is to be searched less
// deeply, in 1024ths of a ply. Source: CPW "Late Move Reductions".
func (w *worker) reduction(n *node, f *frame) int32 {
	r := w.reduce[min(n.depth, 63)][min(n.count, 63)]
	if n.cut {
		r += lmrCut
	}
	if !n.improving {
		r += lmrNotImproving
	}
	if n.pv {
		r -= lmrPV
	}
	if f.ttPV {
		r -= lmrTTPV
	}
	if n.check {
		r -= lmrCheck
	}
	if w.at(n.ply+1).cutoffs > 3 {
		r += lmrCutoffs
	}
	if n.quiet {
		if n.move == f.killers[0] || n.move == f.killers[1] {
			r -= lmrKiller
		}
		if n.tt.move != chess.NoMove && isTactical(w.pos, n.tt.move) {
			r += lmrTTCapture
		}
	}
	return r - int32(n.history*1024/lmrHistory)
}

// searchMove returns the score of the move in hand, which has been made, from
// the mover's view. depth is what an unreduced search gets, best the best
// score so far.
func (w *worker) searchMove(n *node, f *frame, depth int, r int32, best eval.Score) eval.Score {
	child := n.ply + 1
	var score eval.Score
	switch {
	case n.depth >= lmrDepth && n.count > 1+btoi(n.pv):
		reduced := max(1, min(depth-int(r)/1024, depth+1))
		score = -w.search(child, reduced, -n.alpha-1, -n.alpha, true)
		if score > n.alpha && reduced < depth && !w.halted {
			// Better than thought: look again, a little deeper or less deep
			// as the score says.
			if score > best+deeperMargin {
				depth++
			} else if score < best+8 {
				depth--
			}
			if depth > reduced {
				score = -w.search(child, depth, -n.alpha-1, -n.alpha, !n.cut)
			}
			if n.quiet && !w.halted {
				bonus := min(bonusMax, bonusSlope*depth-bonusOffset)
				if score <= n.alpha {
					bonus = -bonus
				}
				w.addContinuation(n.ply, w.at(n.ply).moved, bonus)
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
