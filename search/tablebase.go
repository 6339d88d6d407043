package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/syzygy"
)

// Endgame tables enter the search in two places. At the root every move gets a rank, and
// moves compete only with moves of equal rank, so that a win is never given away. If no
// mate is found, the quickest winning move is played. Below the root the outcome of a
// position after a capture or pawn move ends the node or bounds its score. Source:
// Stockfish, tbprobe.cpp and search.cpp; CPW "Syzygy Bases".

// The scores of wins from tables lie between all evaluations and all mates: tableWin
// minus the plies to the position that was looked up.
const (
	tableWin  eval.Score = 30000
	tableEdge eval.Score = tableWin - MaxPly - 2*50 // the least such score at the root or below
)

// Neither evaluations nor mates reach the scores of tables: the lengths would be negative
// otherwise.
var (
	_ [tableEdge - eval.Limit - 1]struct{}
	_ [mateEdge - tableWin - 1]struct{}
)

// Tables are the settings for the use of endgame tables.
type Tables struct {
	Pieces       int   // most pieces of positions to look up, kings included; 0 uses no tables
	Depth        Depth // least depth for positions with so many pieces; fewer are looked up at any depth
	IgnoreRule50 bool  // count wins that the fifty-move rule prevents
}

// AllTables returns the default settings: use all tables.
func AllTables() Tables { return Tables{Pieces: syzygy.MaxPieces, Depth: 1} }

// SetTables sets the endgame tables, nil for none. The [Options] of a search say how it
// uses them.
func (e *Engine) SetTables(t *syzygy.Tables) { e.syzygy = t }

// prober looks up positions for a worker.
type prober struct {
	tables *syzygy.Tables
	Tables // Pieces is 0 if there is nothing to look up
}

// prober returns the prober of a search with the settings t.
func (e *Engine) prober(t Tables) prober {
	if e.syzygy == nil {
		return prober{}
	}
	t.Pieces = min(t.Pieces, e.syzygy.Pieces())
	return prober{tables: e.syzygy, Tables: t}
}

// tableRank is the information from tables about a root move.
type tableRank struct {
	rank  int // moves of different rank do not compete; 0 without tables
	speed int // a rank that also orders wins by their distance
	known bool
	score eval.Score // if it is not known, the least that a win is shown with
}

// ranking is the root moves of a search with their ranks.
type ranking struct {
	moves  []chess.Move
	ranks  []tableRank
	prober prober // of the workers
	hits   uint64
}

// rankRoots ranks the moves of p by the tables. If the distances are exact, or there is
// no win, nothing is looked up below the root.
func (e *Engine) rankRoots(p *chess.Position, moves []chess.Move, t Tables) ranking {
	r := ranking{moves: moves, ranks: make([]tableRank, len(moves)), prober: e.prober(t)}
	if r.prober.Pieces == 0 || p.Occupied().Count() > r.prober.Pieces || !e.syzygy.Has(p) {
		return r
	}
	ranked, exact, err := e.syzygy.Root(p, t.IgnoreRule50)
	if err != nil {
		return r // a table is missing or damaged: the search goes without
	}
	wins := false
	for _, m := range ranked {
		for j, move := range moves {
			if move == m.Move {
				score, known := tableScore(m, p.HalfmoveClock())
				r.ranks[j] = tableRank{known: known, rank: m.Group(), speed: m.Rank, score: score}
				r.hits++
				wins = wins || m.Rank > 0
			}
		}
	}
	if exact || !wins {
		r.prober.Pieces = 0
	}
	return r
}

// rank gives the prepared worker the ranks of its root moves.
func (w *worker) rank(r ranking) {
	w.prober = r.prober
	if w.id == 0 {
		w.tableHits.Store(r.hits)
	}
	for i := range w.roots {
		w.roots[i].table = r.ranks[i]
	}
	sortMoves(w.roots, func(a, b *rootMove) bool { return a.table.rank > b.table.rank })
}

// maybeScore is the score of a win of which the tables cannot tell whether it comes before the fifty-move rule.
const maybeScore eval.Score = 49

// tableScore returns the score to show for a root move. A certain win loses a point for each ply to the next capture,
// pawn move or mate. A win that the fifty-move rule takes away is a draw. known is false where distances are missing,
// so that nobody knows whether a win comes in time: it is worth ten pawns, and a tenth of a pawn less for each ply on
// the clock.
func tableScore(m syzygy.RootMove, clock int) (score eval.Score, known bool) {
	distance, side := eval.Score(m.DTZ), eval.Score(1)
	if m.WDL < 0 {
		distance, side = -distance, -1
	}
	switch {
	case m.Maybe && distance == 0:
		return side * 10 * eval.Score(max(1, chess.FiftyMovePlies-clock)), false
	case m.Maybe:
		return side * maybeScore, true
	case m.WDL == syzygy.Win || m.WDL == syzygy.Loss:
		return side * (tableWin - min(distance, 100)), true
	}
	return draw, true
}

// lookUp ends a node below the root whose outcome the tables know, or bounds its score
// by alpha or the ceiling. It looks up only positions after a capture or pawn move: with
// a higher half-move clock a win may be a draw. Source: Stockfish.
func (w *worker) lookUp(n *node) (eval.Score, bool) {
	t, p := &w.prober, w.pos
	pieces := p.Occupied().Count()
	if pieces > t.Pieces || pieces == t.Pieces && n.depth < t.Depth ||
		p.HalfmoveClock() != 0 || p.Castling() != chess.NoCastling {
		return 0, false
	}
	wdl, err := t.tables.WDL(p)
	if err != nil {
		return 0, false
	}
	w.tableHits.Add(1)
	if t.IgnoreRule50 {
		wdl *= syzygy.Win
	}
	win := tableWin - eval.Score(n.ply)
	score, bound := draw, eval.Exact
	switch {
	case wdl >= syzygy.Win:
		score, bound = win, eval.Lower // a mate may be there
	case wdl <= syzygy.Loss:
		score, bound = -win, eval.Upper
	}
	if bound == eval.Exact || bound == eval.Lower && score >= n.beta || bound == eval.Upper && score <= n.alpha {
		w.engine.table.store(p.Key(), n.ply, entry{
			bound: bound, depth: min(n.depth+tableDepth, MaxPly-1), score: score, eval: unknown,
		})
		return score, true
	}
	if n.pv {
		if bound == eval.Lower {
			n.best, n.alpha = score, max(n.alpha, score)
		} else {
			n.ceiling = score
		}
	}
	return 0, false
}

// tableDepth is added to the depth of a looked-up outcome in the transposition table.
const tableDepth = 6

// preferFastest puts the quickest winning root move first if the tables know the win and
// the search has found no mate.
func (w *worker) preferFastest() {
	first := &w.roots[0].table
	if !first.known || first.score < tableEdge || w.roots[0].shown.IsMate() {
		return
	}
	best := 0
	for i := range w.roots {
		if t := &w.roots[i].table; t.rank == first.rank && t.speed > w.roots[best].table.speed {
			best = i
		}
	}
	r := &w.roots[best]
	if r.length == 0 {
		r.line[0], r.length, r.shown = r.move, 1, r.table.score
	}
	r.depth, r.selDepth = max(r.depth, w.roots[0].depth), max(r.selDepth, w.roots[0].selDepth)
	for ; best > 0; best-- {
		w.roots[best], w.roots[best-1] = w.roots[best-1], w.roots[best]
	}
}

// trustTables replaces the searched score by the score from the tables, unless the
// search has found a mate. Without distances, the search may still see a draw by the fifty-move rule, or a win.
func (r *rootMove) trustTables() {
	switch {
	case r.shown.IsMate():
	case r.table.known:
		r.shown = r.table.score
	case r.table.rank > 0 && r.shown != draw:
		r.shown = max(r.shown, r.table.score)
	case r.table.rank < 0 && r.shown != draw:
		r.shown = min(r.shown, r.table.score)
	}
}

// drawnByTables reports whether the tables say that the move draws.
func (r *rootMove) drawnByTables() bool {
	return r.table.known && r.table.score == draw && !r.shown.IsMate()
}

// tableHits returns the number of positions that all workers have found in tables.
func (e *Engine) tableHits() uint64 {
	n := uint64(0)
	for _, w := range e.workers {
		n += w.tableHits.Load()
	}
	return n
}
