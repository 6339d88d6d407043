package search

import (
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// rootMove is a move of the root and what is known about it.
type rootMove struct {
	move     chess.Move
	table    tableRank  // from endgame tables
	score    eval.Score // of this iteration, -infinity if it did not beat the best
	previous eval.Score // of the last finished iteration
	average  eval.Score // over iterations
	nodes    uint64     // spent on it in the whole search

	// The last line found and its score.
	line     [MaxPly + 2]chess.Move
	length   int
	shown    eval.Score
	depth    Depth
	selDepth int
}

// isCandidate reports whether the root move m competes for the current line.
func (w *worker) isCandidate(m chess.Move) bool {
	for i := w.line; i < len(w.roots); i++ {
		if w.roots[i].move == m {
			return w.roots[i].table.rank == w.roots[w.line].table.rank
		}
	}
	return false
}

// noteRoot records the score of the current root move and the nodes that it took.
func (w *worker) noteRoot(n *node, score eval.Score, nodes uint64) {
	i := 0
	for w.roots[i].move != n.move { // they are long to copy
		i++
	}
	r := &w.roots[i]
	r.nodes += nodes
	if n.count > 1 && score <= n.alpha {
		r.score = -infinity
		return
	}
	r.score = score
	if score <= n.alpha {
		return // the old line stays until a wider window gives a new one
	}
	r.shown, r.depth, r.selDepth = score, w.depth, w.selDepth
	r.trustTables()
	next := w.at(1)
	if next.length+1 < r.length && score >= n.beta && !r.table.known && !isMate(score) {
		return // the move failed high without a line: keep the last line
	}
	r.line[0] = n.move
	r.length = 1 + copy(r.line[1:], next.line[:next.length])
}

// iterate deepens until a limit or a stop ends it. Source: CPW "Iterative
// Deepening", "Aspiration Windows".
func (w *worker) iterate(l *Limits, lines int, report func(Info)) {
	var manager effort
	var before uint64 // nodes of all earlier iterations
	for w.depth = 1; w.depth < MaxPly && !w.halted; w.depth++ {
		if l.Depth > 0 && w.depth > l.Depth {
			break
		}
		w.last = w.roots[0]
		for i := range w.roots {
			w.roots[i].previous = w.roots[i].score
		}
		for w.line = 0; w.line < lines; w.line++ {
			w.selDepth, w.ranked = 0, w.line
			if w.aspire(report); w.halted {
				break
			}
		}
		if w.halted {
			break
		}
		w.ranked = lines
		w.line = 0
		if w.id != 0 {
			continue
		}
		if report != nil {
			w.rankLines(lines)
			w.reportLines(lines, report)
		}
		// An iteration takes about half as many nodes again as the one before.
		w.publish()
		nodes := w.engine.nodes()
		if w.mateFound(l) || l.SoftNodes > 0 && nodes+(nodes-before)*3/2 >= l.SoftNodes {
			break
		}
		before = nodes
		if w.engine.clock.spent(manager.factor(w)) {
			break
		}
	}
	w.line = 0
	w.depth = min(w.depth, MaxPly-1)
}

// aspire searches one line of one iteration, first in a narrow window around the last
// score.
func (w *worker) aspire(report func(Info)) {
	r := &w.roots[w.line]
	alpha, beta := -infinity, infinity
	delta := eval.Score(w.params.AspirationDelta)
	if int(w.depth) >= w.params.AspirationDepth && r.average > -infinity && !isMate(r.average) {
		delta += r.average * r.average / 16000
		alpha, beta = max(r.average-delta, -infinity), min(r.average+delta, infinity)
	}
	shallower := Depth(0)
	for {
		score := w.search(0, max(1, w.depth-shallower), alpha, beta, false)
		w.sortRoots()
		if w.halted {
			return
		}
		switch {
		case score <= alpha:
			beta = (alpha + beta) / 2
			alpha = max(score-delta, -infinity)
			shallower = 0
			w.reportBound(score, eval.Upper, report)
		case score >= beta:
			beta = min(score+delta, infinity)
			if !isMate(score) { // a shallower search may lose a mate
				shallower++
			}
			w.reportBound(score, eval.Lower, report)
		default:
			r := &w.roots[w.line]
			r.average = score
			if r.previous > -infinity && !isMate(score) && !isMate(r.previous) {
				r.average = (2*score + r.previous) / 3
			}
			// Lines before this one may now be worse than it.
			sortMoves(w.roots[:w.line+1], func(a, b *rootMove) bool {
				return a.table.rank > b.table.rank || a.table.rank == b.table.rank && a.shown > b.shown
			})
			return
		}
		if delta += delta / 2; delta > 600 {
			alpha, beta = -infinity, infinity
		}
	}
}

// sortRoots orders the moves of this line and of the following lines by score.
func (w *worker) sortRoots() {
	sortMoves(w.roots[w.line:], func(a, b *rootMove) bool {
		if a.table.rank != b.table.rank {
			return a.table.rank > b.table.rank
		}
		return a.score > b.score || a.score == b.score && a.previous > b.previous
	})
}

// sortMoves sorts moves and keeps the order of equal ones. Moves are large and mostly
// sorted, so it uses insertion sort.
func sortMoves(moves []rootMove, before func(a, b *rootMove) bool) {
	for i := 1; i < len(moves); i++ {
		for j := i; j > 0 && before(&moves[j], &moves[j-1]); j-- {
			moves[j], moves[j-1] = moves[j-1], moves[j]
		}
	}
}

// mateFound reports whether a mate within the limit is known.
func (w *worker) mateFound(l *Limits) bool {
	moves, ok := w.roots[0].shown.MateIn()
	return l.Mate > 0 && ok && max(moves, -moves) <= l.Mate
}

// reportLines reports every line, best first.
func (w *worker) reportLines(lines int, report func(Info)) {
	for i := range lines {
		r := &w.roots[i]
		if r.length == 0 {
			continue
		}
		info := w.info()
		info.Depth, info.SelDepth, info.MultiPV = r.depth, r.selDepth, i+1
		info.Score, info.Drawn, info.PV = r.shown, r.drawnByTables(), w.truncateToLegal(r)
		report(info)
	}
}

// rankLines completes mate lines and sorts the lines, which is left out where nobody is told of them: it searches, and
// what it learns stays in the table. After a search that was cut off,
// lines of the previous iteration follow those of this one. Their scores are limited to
// the last score of this iteration, except for mates that can be shown. They are left out
// after a move that is mated.
func (w *worker) rankLines(lines int) {
	w.withdraw()
	budget := uint64(completionNodes)
	for i := range lines {
		budget -= min(budget, w.complete(&w.roots[i], budget))
	}
	last := max(1, w.ranked) - 1 // of this iteration
	for i := last + 1; i < lines; i++ {
		r, bound := &w.roots[i], w.roots[last].shown
		moves, mated := bound.MateIn()
		switch {
		case isMate(r.shown):
		case mated && moves <= 0:
			r.length = 0 // also mated, but the line is not known
		default:
			r.shown = min(r.shown, bound)
		}
	}
	sortMoves(w.roots[:lines], func(a, b *rootMove) bool { return a.length > 0 && (b.length == 0 || a.shown > b.shown) })
}

// withdraw takes back that the side is mated if the search was cut off before all moves of the iteration were tried, of
// which one may last longer. What the iteration before came to still holds.
func (w *worker) withdraw() {
	r := &w.roots[0]
	if w.ranked > 0 || r.depth < w.depth || r.shown > 0 || !isMate(r.shown) || r.table.known || len(w.roots) == 1 {
		return
	}
	if w.last.move == r.move && w.last.length > 0 {
		l := &w.last
		r.shown, r.depth, r.selDepth, r.line, r.length = l.shown, l.depth, l.selDepth, l.line, l.length
		return
	}
	r.shown = max(-eval.Limit, r.shown)
}

// reportBound reports a score outside the window, but only in long searches.
func (w *worker) reportBound(score eval.Score, bound eval.Bound, report func(Info)) {
	known := w.roots[0].table.known // by endgame tables: a bound says less than their score
	if report == nil || w.id != 0 || w.line > 0 || known || w.engine.clock.elapsed() < 3*time.Second {
		return
	}
	if isMate(score) {
		return // its line may not be complete yet
	}
	r := &w.roots[0]
	info := w.info()
	info.Depth, info.SelDepth, info.MultiPV = w.depth, w.selDepth, 1
	info.Score, info.Bound, info.Drawn, info.PV = score, bound, r.drawnByTables(), w.truncateToLegal(r)
	report(info)
}

// info returns the fields that all reports share.
func (w *worker) info() Info {
	w.publish()
	return Info{
		Nodes: w.engine.nodes(), Time: w.engine.clock.elapsed(), HashFull: w.engine.table.full(),
		TBHits: w.engine.tableHits(),
	}
}
