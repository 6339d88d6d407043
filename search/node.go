package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// node is the state of one node during its search. Other plies read its stack entry.
type node struct {
	ply         int
	depth       Depth // left to search; the steps before the moves may lower it
	alpha, beta eval.Score
	pv          bool // the window is open, not a null window
	cut         bool // a null-window node that is expected to fail high
	inCheck     bool
	improving   bool
	tt          entry
	raw         eval.Score // evaluation of the network, unknown in check
	eval        eval.Score // static evaluation, sharpened by the table
	correction  int        // by how much searches corrected the evaluation, absolute

	ceiling  eval.Score // upper bound from endgame tables
	best     eval.Score // of the moves so far
	bestMove chess.Move // the last one that raised alpha

	// The current move.
	move    chess.Move
	count   int // its number, from 1
	quiet   bool
	check   bool // it gives check
	history int
}

// search returns the score of the position on ply, searched to depth within the window
// alpha to beta; outside it the score is a bound (fail-soft). cut is true if a
// null-window node is expected to fail high. Source: CPW "Principal Variation Search",
// "Fail-Soft".
func (w *worker) search(ply int, depth Depth, alpha, beta eval.Score, cut bool) (result eval.Score) {
	// 1. At the horizon search only captures.
	if depth <= 0 {
		return w.quiesce(ply, alpha, beta)
	}
	var n node // set field by field: a literal would be built elsewhere and copied
	n.ply, n.depth, n.alpha, n.beta = ply, min(depth, MaxPly-1), alpha, beta
	n.pv, n.cut = beta-alpha > 1, cut
	n.ceiling, n.best = infinity, -infinity
	f := w.at(ply)
	f.doubles = w.at(ply - 1).doubles

	// 2. to 4. Scores known without a search.
	w.enter(&n, f)
	if score, done := w.known(&n, f); done {
		return score
	}

	// 5. Static evaluation.
	n.inCheck = w.pos.InCheck()
	w.prefetchEntries(&n, f)
	w.static(&n, f)
	if !f.verifying { // the node has been here before
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

	// 7. Internal iterative reduction: without a table move, or with one of a much
	// shallower search, the move order is poor. Source: CPW "Internal Iterative Reductions".
	if int(n.depth) >= w.params.IIRDepth && !singular &&
		((n.pv || n.cut) && n.tt.move == chess.NoMove || n.pv && n.tt.depth <= n.depth-Depth(w.params.IIRGap)) {
		n.depth--
	}

	// 8. The moves.
	used := w.lists.used
	score := w.searchMoves(&n, f)
	w.lists.used = used
	if score > n.ceiling { // a multi-cut; other results are bounded before they are stored
		score = n.ceiling
	}
	return score
}

// known ends a node whose score is known without its moves, and otherwise reads the
// table.
func (w *worker) known(n *node, f *stackEntry) (score eval.Score, done bool) {
	// 2. The end of the search, draws, the end of the stack, mate distance.
	if n.ply > 0 {
		if score, done = w.settled(n); done {
			return score, true
		}
		if n.nearMate(); n.alpha >= n.beta {
			return n.alpha, true
		}
	}
	// 3. The transposition table may know the score, or at least a move. It does not know
	// the score of a singular search.
	w.read(&n.tt, n.ply)
	if f.excluded != chess.NoMove {
		return 0, false
	}
	f.ttPV = n.pv || n.tt.pv
	if w.cutByTable(n) {
		return n.tt.score, true
	}

	// 4. Endgame tables may know the outcome.
	if w.prober.Pieces > 0 && n.ply > 0 {
		return w.lookUp(n)
	}
	return 0, false
}

// prefetchEntries prefetches, before the slow evaluation, the table entries that are
// probably read first: those after the table move and after a null move.
func (w *worker) prefetchEntries(n *node, f *stackEntry) {
	if n.tt.move != chess.NoMove {
		w.prefetchAfter(n.tt.move)
	}
	if !n.pv && !n.inCheck && n.depth >= 2 && f.excluded == chess.NoMove && w.at(n.ply-1).move != chess.NoMove {
		w.engine.table.prefetch(w.pos.KeyAfterNull())
	}
}

// enter resets what the stack entry keeps of the previous node.
func (w *worker) enter(n *node, f *stackEntry) {
	f.length = 0
	f.checksKnown, f.attacksKnown = false, false
	w.selDepth = max(w.selDepth, n.ply+1)
}

// settled ends a node below the root if the search is over, the game is drawn by rule,
// the side to move can repeat and beta is no more than a draw, or the stack ends. A
// repetition within reach raises alpha and the best score to a draw.
func (w *worker) settled(n *node) (eval.Score, bool) {
	if w.interrupted() || w.isDraw(n.ply) {
		return draw, true
	}
	if n.alpha < draw && w.pos.CanRepeat(n.ply) {
		n.alpha, n.best = draw, draw
		if n.alpha >= n.beta {
			return n.alpha, true
		}
	}
	if n.ply >= MaxPly {
		return w.horizon(), true
	}
	return 0, false
}

// nearMate narrows the window to the mates that are possible from here. Source: CPW
// "Mate Distance Pruning".
func (n *node) nearMate() {
	n.alpha, n.beta = max(n.alpha, mated(n.ply)), min(n.beta, -mated(n.ply+1))
}

// probe looks the position on ply up; the move is legal or NoMove.
func (w *worker) probe(ply int) (tt entry) {
	w.read(&tt, ply)
	return tt
}

// read is probe into an empty entry, without a copy.
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

// cutByTable reports whether the table's score settles the node, and rewards a quiet
// table move that fails high.
func (w *worker) cutByTable(n *node) bool {
	if n.tt.depth < n.depth || !w.answers(n) {
		return false
	}
	if n.tt.move != chess.NoMove && n.tt.score >= n.beta && !isTactical(w.pos, n.tt.move) {
		w.addQuiet(n.ply, n.tt.move, w.bonus(n.depth)*w.params.TableBonus/64)
	}
	return true
}

// answers reports whether the table's score decides a null-window search of n at any
// depth. Near the fifty-move limit it does not, because the score then depends on the
// moves before the position.
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
