package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// quiesce searches captures and promotions, and all evasions of checks, until
// the position is quiet. Source: CPW "Quiescence Search".
func (w *worker) quiesce(ply int, alpha, beta eval.Score) eval.Score {
	p, f := w.pos, w.at(ply)
	pv := beta-alpha > 1
	f.length = 0
	w.selDepth = max(w.selDepth, ply+1)
	if w.interrupted() || w.isDraw(ply) {
		return draw
	}
	if alpha < draw && p.CanRepeat(ply) {
		if alpha = draw; alpha >= beta {
			return alpha
		}
	}
	if ply >= MaxPly {
		return w.horizon()
	}

	// 1. The table.
	tt := w.engine.table.probe(p.Key(), ply)
	if !pv && tt.hit && answers(&tt, alpha, beta) {
		return tt.score
	}
	ttPV := pv || tt.pv
	table := tt.move
	inCheck := p.InCheck()
	if table != chess.NoMove && (!p.IsLegal(table) || !inCheck && !isTactical(p, table)) {
		table = chess.NoMove
	}

	// 2. Standing pat: the side to move need not capture.
	best, raw, futility := -infinity, unknown, -infinity
	f.static = unknown
	f.checksKnown, f.attacksKnown = false, false
	if !inCheck {
		if raw = tt.eval; !tt.hit || raw == unknown {
			raw = w.evaluate()
		}
		f.static = w.corrected(ply, raw)
		best = f.static
		if tt.hit && !isMate(tt.score) && (tt.bound == Exact || (tt.bound == Lower) == (tt.score > best)) {
			best = tt.score
		}
		if best >= beta {
			best = w.soften(best, beta)
			if !tt.hit {
				w.engine.table.store(p.Key(), ply, entry{pv: ttPV, bound: Lower, score: best, eval: raw})
			}
			return best
		}
		alpha = max(alpha, best)
		futility = f.static + eval.Score(w.params.Delta)
	}

	// 3. The moves.
	pk := &f.pickers[0]
	pk.start(ply, table, 0, !inCheck)
	bestMove := chess.NoMove
	count := 0
	for {
		m := w.pick(pk)
		if m == chess.NoMove {
			break
		}
		count++
		if best > -mateEdge {
			if inCheck {
				if pk.stage == stageQuiets && count > 2 {
					pk.skipQuiets = true
					continue
				}
			} else {
				// 4. Delta pruning, and no losing captures. Sources: CPW
				// "Delta Pruning", "Quiescence Search" on bad captures.
				if pk.stage == stageBadCaptures {
					break
				}
				if m.Kind() != chess.Promotion && !w.givesCheck(ply, m) {
					if gain := futility + eval.Score(seeValue[victim(p, m)]); gain <= alpha {
						best = max(best, gain)
						continue
					}
					// Recaptures apart, few captures are worth a look.
					if count > w.params.QuiesceMoves && m.To() != p.LastMove().To() {
						continue
					}
				}
				if futility <= alpha && !see(p, m, 1) {
					best = max(best, futility)
					continue
				}
			}
		}
		w.make(ply, m)
		score := -w.quiesce(ply+1, -beta, -alpha)
		p.Unmake()
		if w.halted {
			return draw
		}
		if score > best {
			best = score
			if score > alpha {
				bestMove = m
				alpha = score
				if pv {
					w.keep(ply, m)
				}
				if score >= beta {
					break
				}
			}
		}
	}
	if inCheck && count == 0 {
		return mated(ply)
	}
	bound := Upper
	if best >= beta {
		best = w.soften(best, beta)
		bound = Lower
	}
	w.engine.table.store(p.Key(), ply, entry{pv: ttPV, bound: bound, move: bestMove, score: best, eval: raw})
	return best
}

// soften draws a result above beta to it: what lies beyond was hardly searched.
// Source: Stockfish.
func (w *worker) soften(best, beta eval.Score) eval.Score {
	if isMate(best) || isMate(beta) {
		return best
	}
	return best + (beta-best)*eval.Score(w.params.StandPat)/64
}
