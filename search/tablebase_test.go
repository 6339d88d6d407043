package search

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/syzygy"
)

// allTables are the settings of a search that looks up all it can.
var allTables = Tables{Men: syzygy.MaxMen, Depth: 1}

// withTables returns an engine with the tables of three men, or with those of
// four where a test needs them.
func withTables(t *testing.T, four bool) *Engine {
	t.Helper()
	var dirs []string
	if four {
		root := os.Getenv("TABULA_SHARED")
		if root == "" {
			root = "../../shared"
		}
		dirs = []string{filepath.Join(root, "data", "syzygy")}
		if _, err := os.Stat(dirs[0]); err != nil {
			t.Skip("needs tables of four men in TABULA_SHARED: ", err)
		}
	}
	tables, err := syzygy.Open(dirs...)
	if err != nil {
		t.Fatal(err)
	}
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
		{"a long win", "8/8/8/4k3/8/8/8/KQ6 w - - 0 1", allTables, tableEdge, tableWin, nil},
		{"a loss", "8/8/8/4k3/8/8/8/KQ6 b - - 0 1", allTables, -tableWin, -tableEdge, nil},
		{"a mate stays a mate", "7k/8/6K1/8/8/8/8/1Q6 w - - 0 1", allTables, mate - 1, mate - 1, []string{"b1b8"}},
		{"the only move that draws", "8/8/8/8/4k3/4p3/4K3/8 w - - 0 1", allTables, 0, 0, []string{"e2e1"}},
		{"the only move that wins", "8/8/1KP5/3r4/8/8/8/k7 b - - 0 1", allTables, -infinity, infinity, nil}, // four men: not known
		{"too late to mate", "8/8/8/4k3/8/8/8/KR6 w - - 90 80", allTables, 1, 49, nil},
		{"too late, but who counts", "8/8/8/4k3/8/8/8/KR6 w - - 90 80", Tables{Men: 7, Depth: 1, IgnoreRule50: true}, tableEdge, tableWin, nil},
		{"no tables", "8/8/8/4k3/8/8/8/KQ6 w - - 0 1", Tables{}, 100, tableEdge - 1, nil},
		{"fewer men asked for", "8/8/8/4k3/8/8/8/KQ6 w - - 0 1", Tables{Men: 2, Depth: 1}, 100, tableEdge - 1, nil},
	} {
		e := withTables(t, false)
		r, infos := collect(e, parse(t, tt.fen), Limits{Depth: 3}, Options{Tables: tt.tables})
		if r.Score < tt.low || r.Score > tt.high {
			t.Errorf("%s: %s: score %d, want %d to %d", tt.name, tt.fen, r.Score, tt.low, tt.high)
		}
		last := infos[len(infos)-1]
		if last.Score != r.Score || last.PV[0] != r.Best {
			t.Errorf("%s: %s: last report %d %v, result %d %v", tt.name, tt.fen, last.Score, last.PV, r.Score, r.Best)
		}
		if known := parse(t, tt.fen).Occupied().Count() <= min(tt.tables.Men, 3); known != (last.TBHits > 0) {
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

// TestTablesBelowTheRoot finds the capture that leads into a won ending, by
// its score, with one thread and with several.
func TestTablesBelowTheRoot(t *testing.T) {
	for _, threads := range []int{1, 3} {
		e := withTables(t, true)
		if err := e.SetThreads(threads); err != nil {
			t.Fatal(err)
		}
		r, infos := collect(e, parse(t, "8/8/8/2k5/3p4/8/2K1B3/3N1n2 w - - 0 1"), Limits{Nodes: 20000}, Options{Tables: allTables})
		last := infos[len(infos)-1]
		if last.TBHits == 0 || r.Best == chess.NoMove {
			t.Errorf("%d threads: %d found in tables, best move %v", threads, last.TBHits, r.Best)
		}
		r, infos = collect(e, parse(t, "8/8/8/2k5/8/2q5/2K5/1R2R3 w - - 0 1"), Limits{Depth: 6}, Options{Tables: allTables})
		if r.Score < tableEdge || r.Best.String() != "c2c3" || infos[len(infos)-1].TBHits == 0 {
			t.Errorf("%d threads: score %d, move %v; want a win by c2c3", threads, r.Score, r.Best)
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
		e := withTables(t, false)
		p := parse(t, tt.fen)
		moves := rootMoves(p, nil)
		_, infos := collect(e, p, Limits{Depth: 6}, Options{MultiPV: 50, Tables: allTables})
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

// TestTableScores holds the scores in order: a mate before a win by tables, a
// sooner win before a later, all before a win that the clock may take.
func TestTableScores(t *testing.T) {
	ranks := []syzygy.RootMove{
		{Rank: syzygy.CertainWin + 200, DTZ: 1}, {Rank: syzygy.CertainWin + 200, DTZ: 20},
		{Rank: syzygy.CertainWin + 1, DTZ: 99}, {Rank: syzygy.CertainWin - 1, DTZ: 101}, {Rank: 1000, DTZ: 190}, {Rank: 0},
		{Rank: -1000, DTZ: -190}, {Rank: -syzygy.CertainWin + 1, DTZ: -101}, {Rank: -syzygy.CertainWin - 200, DTZ: -20},
	}
	above := mateEdge
	for _, m := range ranks {
		s := tableScore(m, 0)
		if s >= above {
			t.Errorf("%+v: %d, want less than %d", m, s, above)
		}
		above = s
	}
}

// TestWonEndingsAreWon plays out won endings of three men, and of four where
// their tables are at hand, with few nodes a move against the longest defence:
// all are mates within the fifty-move rule.
func TestWonEndingsAreWon(t *testing.T) {
	e := withTables(t, false)
	fens := []string{
		"8/8/8/4k3/8/8/8/KR6 w - - 0 1", "8/8/8/3k4/8/8/8/KQ6 b - - 0 1", "8/8/8/8/8/2k5/4P3/4K3 w - - 0 1",
	}
	if root := os.Getenv("TABULA_SHARED"); root != "" {
		e = withTables(t, true)
		fens = append(fens,
			"8/8/8/4k3/8/8/8/KBN5 w - - 0 1", "8/8/8/8/4k3/8/1r6/K2Q4 w - - 0 1", "8/8/3k4/8/8/8/1p6/K5R1 w - - 0 1")
	}
	for _, fen := range fens {
		p := parse(t, fen)
		wdl, err := e.syzygy.WDL(p)
		if err != nil || wdl != syzygy.Win && wdl != syzygy.Loss {
			t.Errorf("%s: outcome %d, %v; want a won ending", fen, wdl, err)
			continue
		}
		winner := p.SideToMove()
		if wdl == syzygy.Loss {
			winner = winner.Other()
		}
		for !p.Outcome().Over() && p.Outcome() == chess.Ongoing {
			if p.SideToMove() == winner {
				p.Make(e.Search(p, Limits{Nodes: 300}, Options{Tables: allTables}, nil).Best)
				continue
			}
			moves, _, err := e.syzygy.Root(p, syzygy.Ranking{Fastest: true})
			if err != nil {
				t.Fatal(err)
			}
			best := moves[0]
			for _, m := range moves {
				if m.Rank > best.Rank {
					best = m
				}
			}
			p.Make(best.Move)
		}
		if c, ok := p.Winner(); !ok || c != winner {
			t.Errorf("%s: %v at %s", fen, p.Outcome(), p)
		}
	}
}

// TestChancesOfKnownEndings holds that what tables know is certain, and that a
// stalemate is a draw.
func TestChancesOfKnownEndings(t *testing.T) {
	e := withTables(t, false)
	for _, tt := range []struct {
		fen  string
		want wdl.Chances
	}{
		{"8/8/8/4k3/8/8/4P3/4K3 b - - 0 1", wdl.Chances{Draw: 1000}},
		{"8/8/4k3/8/4K3/4P3/8/8 w - - 0 1", wdl.Chances{Draw: 1000}},
		{"8/8/4k3/8/4K3/4P3/8/8 b - - 0 1", wdl.Chances{Loss: 1000}},
		{"k7/2Q5/8/8/8/8/8/7K b - - 0 1", wdl.Chances{Draw: 1000}},
	} {
		p := parse(t, tt.fen)
		var last Info
		e.Search(p, Limits{Depth: 4}, Options{Tables: allTables}, func(in Info) { last = in })
		if got := last.Chances(p); got != tt.want {
			t.Errorf("%s: %+v by %+v, want %+v", tt.fen, got, last, tt.want)
		}
	}
}
