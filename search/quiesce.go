package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// quiesce searches captures and promotions, and all evasions of checks, until
// the position is quiet. Source: CPW "Quiescence Search".
func (w *worker) quiesce(ply int, alpha, beta eval.Score) (result eval.Score) {
	var n node
	n.ply, n.alpha, n.beta, n.pv = ply, alpha, beta, beta-alpha > 1
	n.best, n.raw = -infinity, unknown
	f := w.at(ply)
	w.enter(&n, f)
	if score, done := w.settled(&n); done {
		return score
	}

	// 1. The table.
	w.engine.table.read(&n.tt, w.pos.Key(), ply)
	n.tt.obeyFifty(w.pos.HalfmoveClock(), ply)
	if w.answers(&n) {
		return n.tt.score
	}
	n.inCheck = w.pos.InCheck()

	// 2. Standing pat.
	f.static = unknown
	if !n.inCheck && w.standPat(&n, f) {
		return n.best
	}

	// 3. The moves.
	used := w.lists.used
	w.searchTactical(&n, f)
	if w.lists.used = used; w.halted {
		return draw
	}
	if n.inCheck && n.count == 0 {
		return mated(ply)
	}
	bound := eval.Upper
	if n.best >= n.beta {
		n.best = w.soften(n.best, n.beta)
		bound = eval.Lower
	}
	w.engine.table.store(w.pos.Key(), ply, entry{pv: n.pv || n.tt.pv, bound: bound, move: n.bestMove, score: n.best,
		eval: n.raw})
	return n.best
}

// standPat takes the evaluation as a lower bound, since the side to move need not
// capture, and reports whether that settles the node.
func (w *worker) standPat(n *node, f *stackEntry) bool {
	w.assess(n, f)
	n.best = max(n.best, n.eval)
	if n.best >= n.beta {
		n.best = w.soften(n.best, n.beta)
		if !n.tt.hit {
			w.engine.table.store(w.pos.Key(), n.ply, entry{pv: n.pv || n.tt.pv, bound: eval.Lower, score: n.best, eval: n.raw})
		}
		return true
	}
	n.alpha = max(n.alpha, n.best)
	return false
}

// searchTactical searches captures and promotions, in check all moves. n.count is the
// number of moves.
func (w *worker) searchTactical(n *node, f *stackEntry) {
	table := n.tt.move
	if table != chess.NoMove && (!w.pos.IsLegal(table) || !n.inCheck && !isTactical(w.pos, table)) {
		table = chess.NoMove
	}
	pk := w.newPicker(n.ply, table, 0, !n.inCheck)
	for {
		if n.move = w.pick(&pk); n.move == chess.NoMove {
			return
		}
		if w.judgement != nil && w.judgement.overlooks(w.pos, n.move, n.ply&1 != 0) {
			continue
		}
		n.count++
		w.prefetchAfter(n.move)
		if n.best > -tableEdge {
			if n.inCheck {
				if pk.stage == stageQuiets && n.count > 2 {
					pk.skipQuiets = true
					continue
				}
			} else {
				if pk.stage == stageBadCaptures { // they lose material
					return
				}
				if w.futile(n, f) {
					continue
				}
			}
		}
		w.make(n.ply, n.move)
		score := -w.quiesce(n.ply+1, -n.beta, -n.alpha)
		w.pos.Unmake()
		if w.halted {
			return
		}
		if score <= n.best {
			continue
		}
		n.best = score
		if score > n.alpha {
			n.alpha, n.bestMove = score, n.move
			if n.pv {
				w.keep(n.ply, n.move)
			}
			if score >= n.beta {
				return
			}
		}
	}
}

// futile reports whether the current capture is unlikely to raise alpha, and raises the
// best score to what the capture might have gained. Except for recaptures only a few
// captures are searched. Sources: CPW "Delta Pruning", "Quiescence Search" on bad
// captures.
func (w *worker) futile(n *node, f *stackEntry) bool {
	p, m := w.pos, n.move
	futility := f.static + eval.Score(w.params.Delta)
	if m.Kind() != chess.Promotion && !w.givesCheck(n.ply, m) {
		if gain := futility + eval.Score(w.params.gain(p, m)); gain <= n.alpha {
			n.best = max(n.best, gain)
			return true
		}
		if n.count > w.params.QuiesceMoves && !recaptures(p, m) {
			return true
		}
	}
	if futility <= n.alpha && !see(p, m, 1) {
		n.best = max(n.best, futility)
		return true
	}
	return false
}

// recaptures reports whether m captures on the target of the previous move.
func recaptures(p *chess.Position, m chess.Move) bool {
	last := p.LastMove()
	return last != chess.NoMove && m.To() == last.To()
}

// soften moves a result above beta towards beta, since the excess is unreliable.
// Source: Stockfish.
func (w *worker) soften(best, beta eval.Score) eval.Score {
	if isMate(best) || isMate(beta) {
		return best
	}
	return best + (beta-best)*eval.Score(w.params.StandPat)/64
}
