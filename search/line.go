package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// truncateToLegal cuts the line of r before the first illegal move and after the end of the game, and returns it.
func (w *worker) truncateToLegal(r *rootMove) []chess.Move {
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

// completionNodes bounds the nodes spent on completing mate lines in one report, about
// two milliseconds. While the search runs, each line may take an eighth of its nodes if
// that is more.
const completionNodes = 3000

// complete extends a mate line that ends before the mate, as after a search that was
// cut off or missed its window. It returns the nodes spent, which count for no limit. A
// mate that cannot be shown within the budget is reported as a won or lost position.
func (w *worker) complete(r *rootMove, budget uint64) (spent uint64) {
	if r.length == 0 || !isMate(r.shown) || matePlies(r.shown) > MaxPly ||
		len(w.truncateToLegal(r)) == matePlies(r.shown) {
		return 0
	}
	nodes, limit, halted, depth := w.nodes, w.nodeLimit, w.halted, w.depth
	over := halted || w.engine.stopped.Load()
	w.halted, w.finishing = false, over
	if !over {
		budget = max(budget, w.nodes/8)
	}
	w.nodeLimit = w.nodes + budget
	w.follow(r)
	spent = w.nodes - nodes
	w.nodes, w.nodeLimit, w.halted, w.depth, w.finishing = nodes, limit, halted, depth, false
	w.nextPoll = min(w.nextPoll, nodes+pollInterval)
	switch {
	case r.length == matePlies(r.shown):
	case r.table.known:
		r.shown = r.table.score
	default:
		r.shown = max(-eval.Limit, min(eval.Limit, r.shown))
	}
	return spent
}

// follow searches for the mate at the end of the line of r, up to a few plies deeper
// than its distance.
func (w *worker) follow(r *rootMove) {
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
		if score := w.search(n, w.depth, want-1, want+1, false); score == want && !w.halted {
			r.length = n + copy(r.line[n:], w.at(n).line[:w.at(n).length])
			if r.length == matePlies(r.shown) {
				break
			}
		}
	}
	for range n {
		w.pos.Unmake()
	}
}

// settle gives the worker a best move if the search was cut off before it found one:
// the move that it would have searched first.
func (w *worker) settle() {
	if w.finished() {
		return
	}
	f := w.at(0)
	n := node{tt: w.probe(0)}
	w.enter(&n, f)
	pk := w.newPicker(0, n.tt.move, 0, false)
	m := w.pick(&pk)
	for !w.isCandidate(m) {
		m = w.pick(&pk)
	}
	i := 0
	for w.roots[i].move != m {
		i++
	}
	w.roots[0], w.roots[i] = w.roots[i], w.roots[0]
	r := &w.roots[0]
	r.line[0], r.length, r.depth, r.selDepth = m, 1, 1, 1
	r.shown = eval.Score(0)
	if r.table.known {
		r.shown = r.table.score
	} else if !w.pos.InCheck() {
		r.shown = w.evaluate()
	}
}

// addPonderMove adds the table's reply to a best line that consists of the root move alone, as
// after a search that was cut off on a move that failed high.
func (w *worker) addPonderMove() {
	r, p := &w.roots[0], w.pos
	if r.length != 1 || isMate(r.shown) {
		return
	}
	p.Make(r.move)
	defer p.Unmake()
	if tt := w.engine.table.probe(p.Key(), 1); !w.gameOver() && tt.hit && tt.move != chess.NoMove && p.IsLegal(tt.move) {
		r.line[1], r.length = tt.move, 2
	}
}

// result returns the outcome for the best root move.
func (w *worker) result() Result {
	r := &w.roots[0]
	res := Result{Best: r.move, Score: r.shown, Depth: r.depth, Nodes: w.engine.nodes()}
	if r.length > 1 {
		res.Ponder = r.line[1]
	}
	return res
}
