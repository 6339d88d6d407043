package search

import (
	"cmp"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/test/kit"
)

// withTables returns an engine with the tables of three pieces.
func withTables(t *testing.T) *Engine {
	t.Helper()
	tables, err := syzygy.Open()
	kit.Succeed(t, err)
	t.Cleanup(func() { _ = tables.Close() })
	e := engine(t)
	e.SetTables(tables)
	return e
}

// TestTablesAtTheRoot looks at moves and scores in positions that the tables
// know.
func TestTablesAtTheRoot(t *testing.T) {
	for _, tt := range []struct {
		name, fen string
		tables    Tables
		low, high eval.Score
		moves     []string // one of which is best; any where empty
	}{
		{"a long win", "8/8/8/4k3/8/8/8/KQ6 w - - 0 1", AllTables(), tableEdge, tableWin, nil},
		{"a loss", "8/8/8/4k3/8/8/8/KQ6 b - - 0 1", AllTables(), -tableWin, -tableEdge, nil},
		{"a mate stays a mate", "7k/8/6K1/8/8/8/8/1Q6 w - - 0 1", AllTables(), mate - 1, mate - 1, []string{"b1b8"}},
		{"the only move that draws", "8/8/8/8/4k3/4p3/4K3/8 w - - 0 1", AllTables(), 0, 0, []string{"e2e1"}},
		{"the only move that wins", "8/8/1KP5/3r4/8/8/8/k7 b - - 0 1", AllTables(), -infinity, infinity, nil}, // four pieces: not known
		{"too late to mate", "8/8/8/4k3/8/8/8/KR6 w - - 90 80", AllTables(), 0, 0, nil},
		{"too late to be mated", "8/8/8/4k3/8/8/8/KR6 b - - 90 80", AllTables(), 0, 0, nil},
		{"mate in 29 plies of 29", "8/8/8/4k3/8/8/8/KR6 w - - 71 80", AllTables(), tableWin - 29, tableWin - 29, nil},
		{"mate in 29 plies of 28", "8/8/8/4k3/8/8/8/KR6 w - - 72 80", AllTables(), 0, 0, nil},
		{"too late, but who counts", "8/8/8/4k3/8/8/8/KR6 w - - 90 80", Tables{Pieces: 7, Depth: 1, IgnoreRule50: true}, tableEdge, tableWin, nil},
		{"no tables", "8/8/8/4k3/8/8/8/KQ6 w - - 0 1", Tables{}, 100, tableEdge - 1, nil},
		{"fewer pieces asked for", "8/8/8/4k3/8/8/8/KQ6 w - - 0 1", Tables{Pieces: 2, Depth: 1}, 100, tableEdge - 1, nil},
	} {
		e := withTables(t)
		r, infos := collect(e, kit.Position(t, tt.fen), Limits{Depth: 3}, Options{Tables: tt.tables})
		if r.Score < tt.low || r.Score > tt.high {
			t.Errorf("%s: %s: score %d, want %d to %d", tt.name, tt.fen, r.Score, tt.low, tt.high)
		}
		last := infos[len(infos)-1]
		if last.Score != r.Score || last.PV[0] != r.Best {
			t.Errorf("%s: %s: last report %d %v, result %d %v", tt.name, tt.fen, last.Score, last.PV, r.Score, r.Best)
		}
		if known := kit.Position(t, tt.fen).Occupied().Count() <= min(tt.tables.Pieces, 3); known != (last.TBHits > 0) {
			t.Errorf("%s: %s: %d found in tables", tt.name, tt.fen, last.TBHits)
		}
		ok := len(tt.moves) == 0
		for _, m := range tt.moves {
			ok = ok || r.Best.String() == m
		}
		if !ok {
			t.Errorf("%s: %s: best move %v, want one of %q", tt.name, tt.fen, r.Best, tt.moves)
		}
	}
}

// TestTablesBelowTheRoot finds the capture that leads into a won ending.
func TestTablesBelowTheRoot(t *testing.T) {
	for _, threads := range []int{1, 3} {
		e := withTables(t)
		kit.Succeed(t, e.SetThreads(threads))
		r, infos := collect(e, kit.Position(t, "8/8/8/3k4/8/8/1r6/K6R w - - 0 1"), Limits{Depth: 6}, Options{Tables: AllTables()})
		if hits := infos[len(infos)-1].TBHits; r.Score < tableEdge || r.Best.String() != "a1b2" || hits == 0 {
			t.Errorf("%d threads: score %d, move %v, %d found in tables; want a win by a1b2", threads, r.Score, r.Best, hits)
		}
	}
}

// TestTablesWithMultiPV shows every move, wins before draws before losses, and
// each once.
func TestTablesWithMultiPV(t *testing.T) {
	for _, tt := range []struct {
		fen         string
		first, last int // signs of the scores
	}{
		{"3k4/8/4KP2/8/8/8/8/8 w - - 1 132", 1, 1},
		{"8/8/8/8/4k3/4p3/4K3/8 w - - 0 1", 0, -1},
		{"8/8/8/8/8/1k6/7Q/K7 w - - 0 1", 1, 0},
	} {
		e := withTables(t)
		p := kit.Position(t, tt.fen)
		moves := rootMoves(p, nil)
		_, infos := collect(e, p, Limits{Depth: 6}, Options{MultiPV: 50, Tables: AllTables()})
		seen := map[chess.Move]bool{}
		last := infos[len(infos)-len(moves):]
		for i, in := range last {
			if in.MultiPV != i+1 || i > 0 && in.Score > last[i-1].Score || seen[in.PV[0]] {
				t.Errorf("%s: line %d: number %d, score %d, %v", tt.fen, i+1, in.MultiPV, in.Score, in.PV)
			}
			seen[in.PV[0]] = true
		}
		sign := func(s eval.Score) int {
			return min(1, max(-1, int(s)))
		}
		if first, end := last[0].Score, last[len(last)-1].Score; sign(first) != tt.first || sign(end) != tt.last {
			t.Errorf("%s: scores from %d to %d", tt.fen, first, end)
		}
	}
}

// TestTableScores compares scores of moves: a mate before a win by tables, a sooner win before a later, all before one
// that may come too late, and that before one that does, which is a draw.
func TestTableScores(t *testing.T) {
	for _, tt := range []struct {
		move  syzygy.RootMove
		want  eval.Score
		known bool
	}{
		{syzygy.RootMove{WDL: syzygy.Win, DTZ: 1}, tableWin - 1, true},
		{syzygy.RootMove{WDL: syzygy.Win, DTZ: 99}, tableWin - 99, true},
		{syzygy.RootMove{WDL: syzygy.Win, DTZ: 101}, tableWin - 100, true},
		{syzygy.RootMove{WDL: syzygy.CursedWin, DTZ: 46, Maybe: true}, 49, true},
		{syzygy.RootMove{WDL: syzygy.CursedWin, DTZ: 46}, 0, true},
		{syzygy.RootMove{WDL: syzygy.CursedWin, Maybe: true}, 800, false}, // no distance
		{syzygy.RootMove{WDL: syzygy.BlessedLoss, Maybe: true}, -800, false},
		{syzygy.RootMove{}, 0, true},
		{syzygy.RootMove{WDL: syzygy.BlessedLoss, DTZ: -120}, 0, true},
		{syzygy.RootMove{WDL: syzygy.BlessedLoss, DTZ: -46, Maybe: true}, -49, true},
		{syzygy.RootMove{WDL: syzygy.Loss, DTZ: -20}, 20 - tableWin, true},
		{syzygy.RootMove{WDL: syzygy.Win}, tableWin, true}, // a capture or mate, without distances
	} {
		if score, known := tableScore(tt.move, 20); score != tt.want || known != tt.known || score >= mateEdge {
			t.Errorf("%+v: %d, %v, want %d, %v", tt.move, score, known, tt.want, tt.known)
		}
	}
}

// TestWonEndingsAreWon plays out won endings with few nodes a move against the longest
// defence: all are mates within the fifty-move rule.
func TestWonEndingsAreWon(t *testing.T) {
	e := withTables(t)
	for _, fen := range []string{"8/8/8/4k3/8/8/8/KR6 w - - 0 1", "8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "8/8/8/8/8/2k5/4P3/4K3 w - - 0 1"} {
		p := kit.Position(t, fen)
		for p.Outcome() == chess.Ongoing {
			if p.SideToMove() == chess.White {
				p.Make(e.Search(p, Limits{Nodes: 300}, Options{Tables: AllTables()}, nil).Best)
				continue
			}
			moves, _, err := e.syzygy.Root(p, false)
			kit.Succeed(t, err)
			p.Make(slices.MaxFunc(moves, func(a, b syzygy.RootMove) int { return cmp.Compare(a.Rank, b.Rank) }).Move)
		}
		if c, ok := p.Winner(); !ok || c != chess.White {
			t.Errorf("%s: %v at %s", fen, p.Outcome(), p)
		}
	}
}

// TestChancesOfKnownEndings holds that what tables know is certain, and that a
// stalemate is a draw.
func TestChancesOfKnownEndings(t *testing.T) {
	e := withTables(t)
	for _, tt := range []struct {
		fen  string
		want wdl.Chances
	}{
		{"8/8/8/4k3/8/8/4P3/4K3 b - - 0 1", wdl.Chances{Draw: 1000}},
		{"8/8/4k3/8/4K3/4P3/8/8 w - - 0 1", wdl.Chances{Draw: 1000}},
		{"8/8/4k3/8/4K3/4P3/8/8 b - - 0 1", wdl.Chances{Loss: 1000}},
		{"k7/2Q5/8/8/8/8/8/7K b - - 0 1", wdl.Chances{Draw: 1000}},
	} {
		p := kit.Position(t, tt.fen)
		var last Info
		e.Search(p, Limits{Depth: 4}, Options{Tables: AllTables()}, func(in Info) { last = in })
		if got := last.Chances(p); got != tt.want {
			t.Errorf("%s: %+v by %+v, want %+v", tt.fen, got, last, tt.want)
		}
	}
}

// TestFastestHasADepth: a quickest win that the search has not looked at has the depth of the iteration.
func TestFastestHasADepth(t *testing.T) {
	for _, fen := range []string{"K6Q/8/8/3k4/8/8/8/8 w - - 0 1", "K7/6Q1/8/8/8/8/8/7k w - - 0 1"} {
		r, infos := collect(withTables(t), kit.Position(t, fen), Limits{Depth: 3}, Options{Tables: AllTables()})
		if last := infos[len(infos)-1]; last.Depth < 3 || last.SelDepth < 3 || r.Depth < 3 {
			t.Errorf("%s: depth %d, seldepth %d, in the result %d; want 3 or more", fen, last.Depth, last.SelDepth, r.Depth)
		}
	}
}
