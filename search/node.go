package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// node is the state of one node while it is searched. What other plies read
// of it stands in its stack entry.
type node struct {
	ply         int
	depth       Depth // left to search; the steps before the moves may lower it
	alpha, beta eval.Score
	pv          bool // the window is open
	cut         bool // a null-window node that is expected to fail high
	inCheck     bool
	improving   bool
	tt          entry
	raw         eval.Score // evaluation of the network, unknown in check
	eval        eval.Score // static evaluation, sharpened by the table
	correction  int        // by how much searches corrected the evaluation, absolute

	ceiling  eval.Score // what endgame tables say it can be at most
	best     eval.Score // of the moves so far
	bestMove chess.Move // the last one that raised alpha

	// The move in hand.
	move    chess.Move
	count   int // its number, from 1
	quiet   bool
	check   bool // it gives check
	history int
}

// search returns the score of the position on ply, searched to depth within
// the window alpha to beta; outside it the score is a bound (fail-soft). cut
// says that a null-window node is expected to fail high. Source: CPW
// "Principal Variation Search", "Fail-Soft".
func (w *worker) search(ply int, depth Depth, alpha, beta eval.Score, cut bool) (result eval.Score) {
	// 1. At the horizon only captures are followed.
	if depth <= 0 {
		return w.quiesce(ply, alpha, beta)
	}
	if checking {
		defer w.checkNode(ply, depth, alpha, beta)(&result)
	}
	var n node // filled field by field: a literal would be made elsewhere and copied
	n.ply, n.depth, n.alpha, n.beta = ply, min(depth, MaxPly-1), alpha, beta
	n.pv, n.cut = beta-alpha > 1, cut
	n.ceiling, n.best = infinity, -infinity
	f := w.at(ply)

	// 2. to 4. What is known without a search.
	w.enter(&n, f)
	if score, done := w.known(&n, f); done {
		return score
	}

	// 5. Static evaluation.
	n.inCheck = w.pos.InCheck()
	w.expectFirst(&n, f)
	w.static(&n, f)
	if !f.verifying { // that search has been here before
		w.rewardSwing(&n, f)
		w.hindsight(&n, f)
	}
	child := w.at(ply + 1)
	child.killers, child.cutoffs = [2]chess.Move{}, 0

	// 6. Whole-node pruning: razoring, reverse futility, null move, ProbCut.
	singular := f.excluded != chess.NoMove
	if !n.pv && !n.inCheck && !singular {
		if score, done := w.pruneNode(&n, f); done {
			return score
		}
	}

	// 7. Internal iterative reduction: without a table move the order is
	// poor. Source: CPW "Internal Iterative Reductions".
	if n.depth >= iirDepth && !singular && n.tt.move == chess.NoMove && (n.pv || n.cut) {
		n.depth--
	}

	// 8. The moves, and what is learnt from them.
	score := w.searchMoves(&n, f)
	if score > n.ceiling { // a multi-cut; other results heed it before they are stored
		w.note(ply, byEndgame)
		score = n.ceiling
	}
	return score
}

// known ends a node whose score is known before its moves are looked at, and
// reads what the table has to say of the others.
func (w *worker) known(n *node, f *stackEntry) (score eval.Score, done bool) {
	// 2. The end of the search, draws, the end of the stack, short mates.
	if n.ply > 0 {
		if score, done = w.settled(n); done {
			return score, true
		}
		if n.nearMate(); n.alpha >= n.beta {
			w.note(n.ply, byMateDistance)
			return n.alpha, true
		}
	}
	if f.excluded != chess.NoMove { // a singular search: the answer is that of its node
		return 0, false
	}

	// 3. The table may answer, or at least name a move.
	w.read(&n.tt, n.ply)
	f.ttPV = n.pv || n.tt.pv
	if w.cutByTable(n) {
		w.note(n.ply, byTable)
		return n.tt.score, true
	}

	// 4. Endgame tables may know the outcome.
	if w.prober.Men > 0 && n.ply > 0 {
		return w.lookUp(n)
	}
	return 0, false
}

// expectFirst asks, before the evaluation takes its time, for the table's
// entries of what is likely to be looked at first: the table move and a null move.
func (w *worker) expectFirst(n *node, f *stackEntry) {
	if n.tt.move != chess.NoMove {
		w.expect(n.tt.move)
	}
	if !n.pv && !n.inCheck && n.depth >= 2 && f.excluded == chess.NoMove && w.at(n.ply-1).move != chess.NoMove {
		w.engine.table.prefetch(w.pos.KeyAfterNull())
	}
}

// enter resets what the stack entry keeps of the node before.
func (w *worker) enter(n *node, f *stackEntry) {
	f.length = 0
	f.checksKnown, f.attacksKnown = false, false
	w.selDepth = max(w.selDepth, n.ply+1)
}

// settled ends a node below the root whose score is known without a search:
// the search is over, the game is drawn by rule, a draw is to be had at will
// that beta does not exceed, or the stack ends. It may raise alpha.
func (w *worker) settled(n *node) (eval.Score, bool) {
	if w.interrupted() || w.isDraw(n.ply) {
		w.note(n.ply, byRule)
		return draw, true
	}
	if n.alpha < draw && w.pos.CanRepeat(n.ply) {
		if n.alpha = draw; n.alpha >= n.beta {
			w.note(n.ply, byReturn)
			return n.alpha, true
		}
	}
	if n.ply >= MaxPly {
		w.note(n.ply, byHorizon)
		return w.horizon(), true
	}
	return 0, false
}

// nearMate narrows the window by mate distance: no mate from here is shorter
// than one already found. Source: CPW "Mate Distance Pruning".
func (n *node) nearMate() {
	n.alpha, n.beta = max(n.alpha, mated(n.ply)), min(n.beta, -mated(n.ply+1))
}

// probe looks the position on ply up; the move is legal or NoMove.
func (w *worker) probe(ply int) (tt entry) {
	w.read(&tt, ply)
	return tt
}

// read is probe into an empty entry where it stands.
func (w *worker) read(tt *entry, ply int) {
	w.engine.table.read(tt, w.pos.Key(), ply)
	tt.obeyFifty(w.pos.HalfmoveClock(), ply)
	if ply == 0 {
		if r := &w.roots[w.line]; r.length > 0 {
			tt.move = r.line[0]
		}
	}
	if tt.move != chess.NoMove && !w.pos.IsLegal(tt.move) {
		tt.move = chess.NoMove
	}
}

// cutByTable reports whether the table's score settles the node, and rewards a
// quiet table move that has just failed high. Near the fifty-move limit the
// way matters by which a position was reached.
func (w *worker) cutByTable(n *node) bool {
	if n.tt.depth < n.depth || !w.answers(n) {
		return false
	}
	if n.tt.move != chess.NoMove && n.tt.score >= n.beta && !isTactical(w.pos, n.tt.move) {
		w.addQuiet(n.ply, n.tt.move, w.bonus(n.depth)*w.params.TableBonus/64)
	}
	return true
}

// answers reports whether the table's score decides a null-window search of n,
// whatever its depth. Near the fifty-move limit it does not: there it matters
// how the position was reached.
func (w *worker) answers(n *node) bool {
	return !n.pv && n.tt.answers(n.alpha, n.beta) && w.pos.HalfmoveClock() < w.params.TableClock
}

// horizon returns the score at the end of the stack.
func (w *worker) horizon() eval.Score {
	if w.pos.InCheck() {
		return draw
	}
	return w.evaluate()
}
