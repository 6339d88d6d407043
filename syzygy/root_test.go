package syzygy

import (
	"errors"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestRootAtEveryClock ranks the moves of positions at each half-move clock:
// a win is certain while it reaches a capture, a pawn move or mate in time.
func TestRootAtEveryClock(t *testing.T) {
	tables := openTables(t)
	for _, fen := range []string{
		"8/8/8/4k3/8/8/8/KR6 w - - 0 1", "8/8/8/4k3/8/8/8/KR6 b - - 0 1", "8/8/8/4k3/8/8/8/KQ6 w - - 0 1",
		"7k/8/6K1/8/8/8/8/1Q6 w - - 0 1", "8/4P3/5K2/8/8/k7/8/8 w - - 0 1", "8/4P3/5K2/8/8/k7/8/8 b - - 0 1",
		"8/8/8/8/4k3/4p3/4K3/8 w - - 0 1", "8/8/8/8/1k6/1R6/8/K7 b - - 0 1",
	} {
		for clock := range 111 {
			p := kit.Position(t, fen[:len(fen)-3]+strconv.Itoa(clock)+" 90")
			for _, ignore := range []bool{false, true} {
				checkRanks(t, tables, p, ignore)
			}
		}
	}
}

// checkRanks ranks all moves of a position.
func checkRanks(t *testing.T, tables *Tables, p *chess.Position, ignore bool) {
	t.Helper()
	moves, exact, err := tables.Root(p, ignore)
	if err != nil || !exact || len(moves) != len(movegen.Legal(p, nil)) {
		t.Errorf("%s: %d moves, exact %v, %v", p.FEN(), len(moves), exact, err)
	}
	for _, m := range moves {
		checkRank(t, tables, p, m, ignore)
	}
}

// checkRank holds a move's rank against what the position after it says.
func checkRank(t *testing.T, tables *Tables, p *chess.Position, m RootMove, ignore bool) {
	t.Helper()
	clock := DTZ(p.HalfmoveClock())
	p.Make(m.Move)
	wdl, _ := tables.WDL(p)
	dtz, _ := tables.DTZ(p)
	zeroed, mate := p.HalfmoveClock() == 0, p.InCheck() && !p.HasLegalMove()
	p.Unmake()
	tooLate := clock >= 99 && !zeroed && !mate && !ignore
	plies := DTZ(1) // of the whole way, from before the move
	if !zeroed && !mate {
		plies = max(dtz, -dtz) + 1
	}
	least, most := m.within(p) // retro's TestAtClock compares these with the rules
	rank, sign := DTZ(0), DTZ(1)
	if wdl > 0 {
		sign = -1
	}
	switch {
	case wdl == Draw:
		plies = 0
	case tooLate:
		plies, wdl = 0, WDL(-sign)
	case ignore:
		wdl, rank = WDL(-2*sign), maxRank*sign-sign*plies
	case sign > 0 && plies+clock <= 99, sign < 0 && 2*plies+clock < 100:
		rank = maxRank - plies
	default:
		rank = maxRank/2 - most - clock
	}
	maybe := false
	if !ignore {
		rank *= sign
		if late := most+clock > 100; late && max(wdl, -wdl) == 2 {
			wdl, maybe = WDL(-sign), least+clock <= 100
		}
	}
	if m.Rank != int(rank) || m.WDL != -wdl || m.DTZ != sign*plies || m.Maybe != maybe {
		t.Errorf("%s: %v: move %v: %+v; want rank %d, outcome %d, distance %d, maybe %v",
			p.FEN(), ignore, m.Move, m, rank, -wdl, sign*plies, maybe)
	}
	if certain := max(rank, -rank) > maxRank/4*3; certain == (m.Group() == int(rank)) || certain && m.Group() != int(sign*maxRank/4*3) {
		t.Errorf("%s: %+v is in group %d", p.FEN(), m, m.Group())
	}
}

// TestRootAfterRepetition: a move to the third occurrence of a position draws, one to the second does not, and once a
// position has occurred twice the quicker of the wins rank first.
func TestRootAfterRepetition(t *testing.T) {
	tables := openTables(t)
	p := kit.Position(t, "8/8/8/4k3/8/8/8/KR6 w - - 0 1")
	for i, text := range []string{"a1a2", "e5e4", "a2a1", "e4e5", "a1a2", "e5e4", "a2a1", "e4e5"} {
		moves, _, err := tables.Root(p, false)
		kit.Succeed(t, err)
		for _, m := range moves {
			switch repeats := m.Move.String() == "e4e5"; {
			case repeats && i == 3 && (m.WDL != Loss || m.Rank >= 0):
				t.Errorf("the second time: %+v, want a loss", m)
			case repeats && i == 7 && (m.WDL != Draw || m.Rank != 0):
				t.Errorf("the third time: %+v, want a draw", m)
			case i == 4 && m.WDL == Win && m.Rank != maxRank/2-int(m.DTZ)-p.HalfmoveClock():
				t.Errorf("after repeating: %+v, want a win below those that need no care", m)
			case i%2 == 0 && i < 4 && m.WDL == Win && m.Rank != maxRank-int(m.DTZ) && m.DTZ > 0:
				t.Errorf("move %d: %+v, want a certain win", i, m)
			}
		}
		p.Make(kit.Move(t, p, text))
	}
}

// TestRootByOutcome ranks moves where there are no distances.
func TestRootByOutcome(t *testing.T) {
	for value, want := range []int{-maxRank, -maxRank/2 + 101, 0, maxRank/2 - 101, maxRank} {
		dir := t.TempDir()
		// The other side has the opposite outcome after every move.
		kit.Write(t, filepath.Join(dir, "KQvKP.rtbw"), constant(t, "KQvKP", byte(4-value)))
		tables := openTables(t, dir)
		for _, ignore := range []bool{false, true} {
			p := kit.Position(t, "4k3/8/8/1p6/8/8/8/K5Q1 w - - 3 9")
			outcome, maybe := sign(WDL(value-2)), value == 0 || value == 4 // no table says whether it comes in time
			if ignore {
				want, outcome, maybe = int(outcome)*maxRank, 2*outcome, false
			}
			moves, exact, err := tables.Root(p, ignore)
			if err != nil || exact != (want == 0) || len(moves) == 0 { // draws need no distance
				t.Fatalf("outcome %d: exact %v, %v", value-2, exact, err)
			}
			if _, err := tables.DTZ(p); want != 0 && !errors.Is(err, ErrMissing) {
				t.Errorf("outcome %d: DTZ: %v, want %v", value-2, err, ErrMissing)
			}
			if wdl, unsure, err := tables.AtClock(p); maybe && (wdl != outcome || !unsure || err != nil) {
				t.Errorf("outcome %d: %d, maybe %v, %v", value-2, wdl, unsure, err)
			}
			fresh := kit.Position(t, "4k3/8/8/1p6/8/8/8/K5Q1 w - - 0 9")
			if wdl, unsure, err := tables.AtClock(fresh); wdl != WDL(2-value) || unsure || err != nil { // as the table says
				t.Errorf("outcome %d with a counter of 0: %d, maybe %v, %v", value-2, wdl, unsure, err)
			}
			for _, m := range moves {
				if m.Rank != want || m.WDL != outcome || m.DTZ != 0 || m.Maybe != maybe {
					t.Errorf("outcome %d, %v: %+v, want rank %d, outcome %d, maybe %v", value-2, ignore, m, want, outcome, maybe)
				}
			}
		}
	}
}
