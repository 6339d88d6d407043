package retro

import (
	"path/filepath"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestAtClock compares what tables say of a position whose fifty-move counter is about to run out with the plies that
// the rules need, for tables that count plies and for such as count moves. Where only the side that wins can capture or
// mate, rounding hides nothing.
func TestAtClock(t *testing.T) {
	solver := NewSolver()
	for _, name := range []string{"KQvK", "KRvK", "KPvK"} {
		e := solve(t, solver, name)
		for side, black := range []byte{0, layout.FlagBlack} {
			for _, plies := range []byte{0, layout.FlagWinPlies | layout.FlagLossPlies} {
				dtz := newTable(e).dtz(solver, chess.Color(side), black|plies)
				if open := atClocks(t, openEnding(t, solver, e, dtz), e, 401); open > 0 {
					t.Errorf("%s, flags %d: %d outcomes are left open", name, black|plies, open)
				}
			}
		}
	}
}

// TestRoundedAtClock does so in endings of four pieces. Both tables count moves, which leaves the last ply open where
// the side that loses may capture.
func TestRoundedAtClock(t *testing.T) {
	if testing.Short() {
		t.Skip("solves endings of four pieces")
	}
	solver := NewSolver()
	e := solve(t, solver, "KQQvK")
	if open := atClocks(t, openEnding(t, solver, e, solver.DTZ(e)), e, 9973); open == 0 {
		t.Error("KQQvK: no outcome is left open")
	}
	e = solve(t, solver, "KBNvK")
	tables := openEnding(t, solver, e, solver.DTZ(e))
	if open := atClocks(t, tables, e, 19_997); open > 0 {
		t.Errorf("KBNvK: %d outcomes are left open", open)
	}
	for fen, want := range map[string]syzygy.WDL{
		"8/8/6k1/3B4/3K4/4N3/8/8 w - - 53 106": syzygy.Win, "8/8/6k1/3B4/3K4/4N3/8/8 w - - 54 106": syzygy.CursedWin, // mate takes 47 plies
	} {
		wdl, maybe, err := tables.AtClock(kit.Position(t, fen))
		if wdl != want || maybe || err != nil {
			t.Errorf("%s: %d, maybe %v, %v; want %d", fen, wdl, maybe, err, want)
		}
	}
}

// openEnding opens the tables of e, whose distances are given.
func openEnding(t *testing.T, solver *Solver, e *Ending, dtz []byte) *syzygy.Tables {
	t.Helper()
	dir := t.TempDir()
	kit.Write(t, filepath.Join(dir, e.Name()+".rtbw"), solver.WDL(e))
	kit.Write(t, filepath.Join(dir, e.Name()+".rtbz"), dtz)
	tables, err := syzygy.Open(dir)
	kit.Succeed(t, err)
	t.Cleanup(func() { _ = tables.Close() })
	return tables
}

// atClocks looks up every step-th position of e at the counters at which the outcome changes, and returns how many
// outcomes are left open.
func atClocks(t *testing.T, tables *syzygy.Tables, e *Ending, step int) (open int) {
	t.Helper()
	for at := 0; at < e.Positions(); at += step {
		slice, number := at/(2*e.size), at%(2*e.size)
		v := e.slices[slice][number]
		if v == Illegal || v == 0 || v == -1 {
			continue
		}
		plies := max(int(v), -int(v)-1)
		position, _ := e.position(slice, number)
		p := new(chess.Position)
		for clock := 97 - plies; clock <= 102-plies; clock++ {
			setup := position.setup()
			if setup.Halfmove = max(0, clock); setup.Into(p) != nil {
				t.Fatalf("position %d of %s", at, e.Name())
			}
			wdl, maybe, err := tables.AtClock(p)
			kit.Succeed(t, err)
			if maybe {
				open++
			}
			if !right(max(wdl, -wdl), maybe, p.HalfmoveClock()+plies) || (v > 0) != (wdl > 0) {
				t.Errorf("%s: outcome %d, maybe %v, with %d plies to go", p.FEN(), wdl, maybe, plies)
			}
			checkMoves(t, tables, p, v)
		}
	}
	return open
}

// right reports whether a win or loss that is reached when the counter would be ends is told rightly.
func right(wdl syzygy.WDL, maybe bool, ends int) bool {
	switch {
	case maybe:
		return wdl == 1 && (ends == 100 || ends == 101)
	case ends <= 100:
		return wdl == 2
	}
	return wdl == 1
}

// checkMoves looks at what is said of each move of p, whose value without the counter is v: none is better, and one as
// good.
func checkMoves(t *testing.T, tables *syzygy.Tables, p *chess.Position, v Value) {
	t.Helper()
	moves, exact, err := tables.Root(p, false)
	if err != nil || !exact {
		t.Fatalf("%s: exact %v, %v", p.FEN(), exact, err)
	}
	best, _, _ := tables.AtClock(p)
	for i, m := range moves {
		if i == 0 && m.WDL != best || m.WDL > best {
			t.Errorf("%s: move %d is %+v, the position %d", p.FEN(), i, m, best)
		}
	}
}
