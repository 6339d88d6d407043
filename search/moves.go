package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// tried holds the moves of a node that were searched and did not end it.
type tried struct {
	quiets, captures   [64]chess.Move
	nQuiets, nCaptures int
}

// note adds a move while there is room.
func (t *tried) note(m chess.Move, quiet bool) {
	if quiet && t.nQuiets < len(t.quiets) {
		t.quiets[t.nQuiets] = m
		t.nQuiets++
	} else if !quiet && t.nCaptures < len(t.captures) {
		t.captures[t.nCaptures] = m
		t.nCaptures++
	}
}

// searchMoves searches the moves of a node, the most promising first, stores the result
// and returns it.
func (w *worker) searchMoves(n *node, f *stackEntry) eval.Score {
	which := 0
	if f.excluded != chess.NoMove {
		which = 1
	}
	t := &f.tried[which]
	t.nQuiets, t.nCaptures = 0, 0
	pk := w.newPicker(n.ply, n.tt.move, 0, false)
	count, overlooked := 0, false
	for {
		m := w.pick(&pk)
		if m == chess.NoMove {
			break
		}
		if m == f.excluded || n.ply == 0 && !w.isCandidate(m) {
			continue
		}
		if w.judgement != nil && n.ply > 0 && w.judgement.overlooks(w.pos, m, n.ply&1 != 0) {
			overlooked = true
			continue
		}
		count++
		if m != n.tt.move {
			w.prefetchAfter(m)
		}
		n.setMove(w, m, count)
		if n.ply > 0 && n.best > -tableEdge && w.pruneMove(n, f, &pk) {
			continue
		}
		score, settles := w.tryMove(n, f)
		if w.halted {
			return draw
		}
		if settles {
			return score
		}
		if w.raise(n, f, score) {
			break
		}
		t.note(m, n.quiet)
	}
	if count == 0 && overlooked {
		return n.eval
	}
	if count == 0 {
		return n.withoutMoves(f)
	}
	w.conclude(n, f, t)
	return n.best
}

// tryMove extends, makes and searches the current move. settles is true if the singular
// search cuts the whole node with score (multi-cut).
func (w *worker) tryMove(n *node, f *stackEntry) (score eval.Score, settles bool) {
	extension := Depth(0)
	if n.ply > 0 && n.ply < 2*int(w.depth) {
		if extension, score, settles = w.extend(n, f); settles || w.halted {
			return score, settles
		}
	}
	before := w.nodes
	r := w.reduction(n, f)
	f.count = n.count
	f.doubles = w.at(n.ply-1).doubles + btoi(extension > 1)
	w.make(n.ply, n.move)
	score = w.searchMove(n, f, n.depth-1+extension, r)
	w.pos.Unmake()
	if n.ply == 0 && !w.halted {
		w.noteRoot(n, score, w.nodes-before)
	}
	return score, false
}

// raise updates the node with the score of the current move and reports whether the
// move ends the node.
func (w *worker) raise(n *node, f *stackEntry, score eval.Score) bool {
	if score <= n.best {
		return false
	}
	n.best = score
	if score <= n.alpha {
		return false
	}
	n.bestMove = n.move
	if n.pv {
		w.keep(n.ply, n.move)
	}
	if score >= n.beta {
		f.cutoffs++
		return true
	}
	n.alpha = score
	// A second improvement is unlikely: search the rest less deeply. Source: Stockfish.
	if n.pv && n.depth > 2 && int(n.depth) < w.params.RaisedDepth && !isMate(score) {
		n.depth = max(2, n.depth-Depth(w.params.Raised))
	}
	return false
}

// withoutMoves returns the score of a node without a move: mate, stalemate, or alpha if
// the excluded move is the only one.
func (n *node) withoutMoves(f *stackEntry) eval.Score {
	switch {
	case f.excluded != chess.NoMove:
		return n.alpha
	case n.inCheck:
		return mated(n.ply)
	}
	return draw
}

// conclude softens the result of a node, updates the histories and stores the result.
func (w *worker) conclude(n *node, f *stackEntry, t *tried) {
	n.best = min(n.best, n.ceiling)
	// Move a result above beta towards beta, since the excess is unreliable. Source:
	// Stockfish.
	if n.best >= n.beta && !isMate(n.best) && !isMate(n.beta) {
		weight, soft := eval.Score(64*n.depth), eval.Score(w.params.FailHigh)
		n.best = (n.best*weight + n.beta*soft) / (weight + soft)
	}
	prev := w.at(n.ply - 1)
	if n.bestMove == chess.NoMove {
		if w.cameQuietly(n.ply) {
			w.addContinuation(n.ply-1, prev.moved, w.bonus(n.depth)*w.params.PriorBonus/64)
		}
	} else {
		w.reward(n, f, t)
		if n.best >= n.beta && prev.count <= w.params.PriorMoves && w.cameQuietly(n.ply) {
			w.addContinuation(n.ply-1, prev.moved, w.malus(n.depth)*w.params.PriorMalus/64)
		}
	}
	if f.excluded == chess.NoMove {
		w.finish(n, f)
	}
}

// finish stores the result of a node and updates the correction histories.
func (w *worker) finish(n *node, f *stackEntry) {
	bound := eval.Upper
	switch {
	case n.best >= n.beta:
		bound = eval.Lower
	case n.pv && n.bestMove != chess.NoMove:
		bound = eval.Exact
	}
	if n.ply > 0 || w.line == 0 {
		w.engine.table.store(w.pos.Key(), n.ply, entry{
			pv: f.ttPV, bound: bound, depth: n.depth, move: n.bestMove, score: n.best, eval: n.raw,
		})
	}
	if n.inCheck || isMate(n.best) || n.bestMove != chess.NoMove && isTactical(w.pos, n.bestMove) ||
		bound == eval.Lower && n.best <= f.static || bound == eval.Upper && n.best >= f.static {
		return
	}
	w.learn(n.ply, n.depth, n.best-f.static)
}
