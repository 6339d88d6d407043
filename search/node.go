package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// search returns the score of the position on ply, searched to depth within
// the window alpha to beta; outside it the score is a bound (fail-soft). cut
// says that a null-window node is expected to fail high. Source: CPW
// "Principal Variation Search", "Fail-Soft".
func (w *worker) search(ply, depth int, alpha, beta eval.Score, cut bool) eval.Score {
	// 1. At the horizon only captures are followed.
	if depth <= 0 {
		return w.quiesce(ply, alpha, beta)
	}
	depth = min(depth, MaxPly-1)
	p, f := w.pos, w.at(ply)
	root, pv := ply == 0, beta-alpha > 1
	f.length = 0
	f.checksKnown, f.attacksKnown = false, false
	w.selDepth = max(w.selDepth, ply+1)
	if !root {
		// 2. The end of the search, draws by rule and at will, the end of the
		// stack.
		if w.interrupted() {
			return draw
		}
		if w.isDraw(ply) {
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
		// 3. Mate-distance pruning: no mate from here is shorter than one
		// already found. Source: CPW "Mate Distance Pruning".
		alpha, beta = max(alpha, mated(ply)), min(beta, -mated(ply+1))
		if alpha >= beta {
			return alpha
		}
	}

	// 4. The table may answer, or at least name a move.
	excluded := f.excluded
	tt := entry{}
	if excluded == chess.NoMove {
		tt = w.probe(ply)
		f.ttPV = pv || tt.pv
		if !pv && tt.hit && tt.depth >= depth && answers(&tt, alpha, beta) && p.HalfmoveClock() < 90 {
			w.rewardTable(ply, depth, &tt, beta)
			return tt.score
		}
	}

	// 5. Static evaluation.
	n := node{ply: ply, depth: depth, alpha: alpha, beta: beta, pv: pv, cut: cut, inCheck: p.InCheck(), tt: tt}
	raw := w.static(&n, f)
	w.rewardSwing(&n, f)
	depth = w.hindsight(&n, f)
	w.at(ply + 1).killers = [2]chess.Move{}
	w.at(ply + 1).cutoffs = 0

	// 6. Whole-node pruning: razoring, reverse futility, null move, ProbCut.
	if !pv && !n.inCheck && excluded == chess.NoMove {
		if score, done := w.pruneNode(&n, f); done {
			return score
		}
	}

	// 7. Internal iterative reduction: without a table move the order is
	// poor. Source: CPW "Internal Iterative Reductions".
	if depth >= iirDepth && excluded == chess.NoMove && tt.move == chess.NoMove && (pv || cut) {
		depth--
		n.depth = depth
	}

	// 8. The moves, likely best first.
	which := 0
	if excluded != chess.NoMove {
		which = 1
	}
	pk, tried := &f.pickers[which], &f.tried[which]
	tried.nQuiets, tried.nCaptures = 0, 0
	pk.start(ply, n.tt.move, 0, false)
	best, bestMove := -infinity, chess.NoMove
	count := 0
	for {
		m := w.pick(pk)
		if m == chess.NoMove {
			break
		}
		if m == excluded || root && !w.isCandidate(m) {
			continue
		}
		count++
		n.setMove(w, m, count)

		// 9. Pruning at shallow depth.
		if !root && best > -mateEdge && w.pruneMove(&n, f, pk) {
			continue
		}

		// 10. Singular and check extensions.
		extension := 0
		if !root && ply < 2*w.depth {
			var score eval.Score
			var multiCut bool
			extension, score, multiCut = w.extend(&n, f)
			if multiCut {
				return score
			}
			if w.halted {
				return draw
			}
		}

		// 11. Make the move and search it: late moves reduced and all but the
		// first with a null window.
		before := w.nodes
		r := w.reduction(&n, f)
		f.count = count
		f.doubles = w.at(ply - 1).doubles
		if extension > 1 {
			f.doubles++
		}
		w.make(ply, m)
		score := w.searchMove(&n, f, depth-1+extension, r, best)
		p.Unmake()
		if w.halted {
			return draw
		}
		if root {
			w.noteRoot(m, count, score, alpha, beta, w.nodes-before)
		}

		// 12. A new best move raises alpha or ends the node.
		if score > best {
			best = score
			if score > alpha {
				bestMove = m
				if pv {
					w.keep(ply, m)
				}
				if score >= beta {
					f.cutoffs++
					break
				}
				alpha, n.alpha = score, score
				// Another such move is unlikely. Source: Stockfish.
				if pv && depth > 2 && depth < raisedDepth && !isMate(score) {
					depth = max(2, depth-w.params.Raised)
					n.depth = depth
				}
			}
		}
		if n.quiet && tried.nQuiets < len(tried.quiets) {
			tried.quiets[tried.nQuiets] = m
			tried.nQuiets++
		} else if !n.quiet && tried.nCaptures < len(tried.captures) {
			tried.captures[tried.nCaptures] = m
			tried.nCaptures++
		}
	}

	// 13. Mate and stalemate.
	if count == 0 {
		switch {
		case excluded != chess.NoMove:
			return alpha
		case n.inCheck:
			return mated(ply)
		}
		return draw
	}

	// 14. A result above beta is drawn to it: what lies beyond was hardly
	// searched. Source: Stockfish.
	if best >= n.beta && !isMate(best) && !isMate(n.beta) {
		soft := eval.Score(w.params.FailHigh)
		best = (best*eval.Score(64*depth) + n.beta*soft) / (eval.Score(64*depth) + soft)
	}

	// 15. Learn from the result and store it.
	prev := w.at(ply - 1)
	priorQuiet := !root && prev.move != chess.NoMove && p.Captured() == chess.NoPiece
	if bestMove == chess.NoMove {
		if priorQuiet {
			w.addContinuation(ply-1, prev.moved, w.bonus(depth)*w.params.PriorBonus/64)
		}
	} else {
		w.reward(f, ply, depth, bestMove, tried.quiets[:tried.nQuiets], tried.captures[:tried.nCaptures])
		if best >= n.beta && priorQuiet && prev.count <= 2 {
			w.addContinuation(ply-1, prev.moved, w.malus(depth)*w.params.PriorMalus/64)
		}
	}
	if excluded == chess.NoMove {
		w.finish(&n, f, raw, best, bestMove)
	}
	return best
}

// probe looks the position on ply up; the move is legal or NoMove.
func (w *worker) probe(ply int) entry {
	tt := w.engine.table.probe(w.pos.Key(), ply)
	if ply == 0 {
		if r := &w.roots[w.line]; r.length > 0 {
			tt.move = r.line[0]
		}
	}
	if tt.move != chess.NoMove && !w.pos.IsLegal(tt.move) {
		tt.move = chess.NoMove
	}
	return tt
}

// answers reports whether the bound of tt decides a search of the window.
func answers(tt *entry, alpha, beta eval.Score) bool {
	switch tt.bound {
	case Exact:
		return true
	case Lower:
		return tt.score >= beta
	}
	return tt.score <= alpha
}

// rewardTable strengthens a quiet table move that has just failed high.
func (w *worker) rewardTable(ply, depth int, tt *entry, beta eval.Score) {
	if tt.move != chess.NoMove && tt.score >= beta && !isTactical(w.pos, tt.move) {
		w.addQuiet(ply, tt.move, w.bonus(depth)/2)
	}
}

// hindsight reduces a node that was reached by a reduced move a little more
// where the evaluations of both sides say that the move was as bad as thought.
// Source: Stockfish, "hindsight adjustment of reductions".
func (w *worker) hindsight(n *node, f *frame) int {
	prev := w.at(n.ply - 1)
	if n.ply > 0 && n.depth >= 2 && prev.reduced >= 1 && f.excluded == chess.NoMove && !n.inCheck && prev.static != unknown &&
		f.static+prev.static > eval.Score(w.params.Hindsight) {
		n.depth--
	}
	return n.depth
}

// rewardSwing adjusts the history of the quiet move that led here by how it
// changed the static evaluation: what is bad for us was good for its mover.
func (w *worker) rewardSwing(n *node, f *frame) {
	prev := w.at(n.ply - 1)
	if n.inCheck || f.excluded != chess.NoMove || prev.move == chess.NoMove || prev.static == unknown ||
		!prev.attacksKnown || w.pos.Captured() != chess.NoPiece || prev.move.Kind() == chess.Promotion {
		return
	}
	k := &w.params
	swing := max(-k.SwingMax, min(k.SwingMax, -k.SwingSlope*int(f.static+prev.static)))
	add(&w.history.quiet[w.pos.SideToMove().Other()][prev.attacks.index(prev.move)][prev.move&4095], swing+k.SwingOffset)
}

// horizon returns the score at the end of the stack.
func (w *worker) horizon() eval.Score {
	if w.pos.InCheck() {
		return draw
	}
	return w.evaluate()
}

// static fills the evaluations of n and f and returns the raw evaluation.
func (w *worker) static(n *node, f *frame) eval.Score {
	if n.inCheck {
		f.static, n.eval = unknown, unknown
		return unknown
	}
	raw := unknown
	switch {
	case f.excluded != chess.NoMove:
		n.eval = f.static
	default:
		if raw = n.tt.eval; !n.tt.hit || raw == unknown {
			raw = w.evaluate()
		}
		f.static = w.corrected(n.ply, raw)
		n.correction = int(max(f.static-raw, raw-f.static))
		n.eval = f.static
		if n.tt.hit && !isMate(n.tt.score) && (n.tt.bound == Exact || (n.tt.bound == Lower) == (n.tt.score > n.eval)) {
			n.eval = n.tt.score
		}
	}
	for _, back := range [...]int{2, 4} {
		if earlier := w.at(n.ply - back).static; n.ply >= back && earlier != unknown {
			n.improving = f.static > earlier
			break
		}
	}
	return raw
}

// finish stores the result of a node and corrects the evaluation by it.
func (w *worker) finish(n *node, f *frame, raw, best eval.Score, bestMove chess.Move) {
	bound := Upper
	switch {
	case best >= n.beta:
		bound = Lower
	case n.pv && bestMove != chess.NoMove:
		bound = Exact
	}
	if n.ply > 0 || w.line == 0 {
		w.engine.table.store(w.pos.Key(), n.ply, entry{
			pv: f.ttPV, bound: bound, depth: n.depth, move: bestMove, score: best, eval: raw,
		})
	}
	if n.inCheck || isMate(best) || bestMove != chess.NoMove && isTactical(w.pos, bestMove) ||
		bound == Lower && best <= f.static || bound == Upper && best >= f.static {
		return
	}
	w.learn(n.ply, n.depth, best-f.static)
}
