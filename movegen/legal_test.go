package movegen_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/test/kit"
)

// starts are positions from which random games visit castling, en passant,
// promotion, checks and pins, in standard chess and Chess960.
var starts = []string{
	chess.StartFEN,
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
	"nrbbkqrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBKQRN w KQkq - 0 1",
	"1r2k1r1/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
	"rk2r1r1/8/8/8/8/8/8/RK2R1R1 w EQeq - 0 1",
	"2rkr3/8/8/8/8/8/8/2RKR3 w KQkq - 0 1",
	"8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1",
}

// visit plays random games and calls check on every position.
func visit(t *testing.T, games int, check func(p *chess.Position, legal []chess.Move, r *rand.Rand)) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var buf [chess.MaxMoves]chess.Move
	for i := range games {
		p := kit.Position(t, starts[i%len(starts)])
		for range 120 {
			legal := movegen.Legal(p, buf[:0])
			check(p, legal, r)
			if len(legal) == 0 || p.InsufficientMaterial() {
				break
			}
			p.Make(legal[r.IntN(len(legal))])
		}
	}
}

func games(long int) int {
	if testing.Short() {
		return long / 10
	}
	return long
}

// TestLegalAgainstMakeAndLook filters the pseudo-legal list by playing each
// move and looking whether the king can be taken.
func TestLegalAgainstMakeAndLook(t *testing.T) {
	visit(t, games(600), func(p *chess.Position, legal []chess.Move, _ *rand.Rand) {
		var want []chess.Move
		us := p.SideToMove()
		for _, m := range movegen.Pseudo(p, nil) {
			p.Make(m)
			if !p.Attacked(p.King(us), us.Other(), p.Occupied()) {
				want = append(want, m)
			}
			p.Unmake()
		}
		got := slices.Clone(legal)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%s:\n got %v\nwant %v", p, got, want)
		}
		stages := movegen.Quiets(p, movegen.Captures(p, nil))
		slices.Sort(stages)
		if !slices.Equal(got, stages) {
			t.Fatalf("%s: captures and quiets\n got %v\nwant %v", p, stages, got)
		}
		for _, m := range movegen.Captures(p, nil) {
			if p.Piece(m.To()) == chess.NoPiece && m.Kind() != chess.EnPassant && m.Kind() != chess.Promotion || m.Kind() == chess.Castling {
				t.Fatalf("%s: %v among the captures", p, m)
			}
		}
	})
}

// TestAppend: moves come behind what a buffer holds, whether or not it has room for them.
func TestAppend(t *testing.T) {
	p := kit.Position(t, starts[1])
	want := movegen.Legal(p, nil)
	for _, held := range []int{1, 200, 300} {
		for _, room := range []int{0, 1, chess.MaxMoves - 1, chess.MaxMoves} {
			buf := make([]chess.Move, held, held+room)
			buf[held-1] = want[0]
			if got := movegen.Legal(p, buf); !slices.Equal(got[:held], buf) || !slices.Equal(got[held:], want) {
				t.Errorf("%d moves held, room for %d: %v", held, room, got)
			}
		}
	}
}

func TestNoAllocations(t *testing.T) {
	p := kit.Position(t, starts[1])
	p.Reserve(8)
	buf := make([]chess.Move, 0, chess.MaxMoves)
	if n := testing.AllocsPerRun(100, func() {
		for _, m := range movegen.Legal(p, buf) {
			p.Make(m)
			p.Unmake()
		}
		perft.Legal(p)
	}); n != 0 {
		t.Errorf("generate, count, make and unmake: %v allocations a run, want 0", n)
	}
}

// TestSuites counts the suites of testdata by playing every move, up to a number of nodes
// a count. The other paths and ways to count are compared with this one.
func TestSuites(t *testing.T) {
	for _, suite := range []struct {
		name             string
		limit, longLimit uint64
	}{
		{"published.epd", 20_000, 1_000_000}, {"random.epd", 2_000, 100_000}, {"chess960.epd", 2_000, 300_000},
	} {
		limit := suite.longLimit
		if testing.Short() {
			limit = suite.limit
		}
		for _, l := range kit.Suite(t, suite.name) {
			p := kit.Position(t, l.FEN)
			for i, want := range l.Counts {
				if want > limit {
					break
				}
				if got := perft.Walk(p, i+1); got != want {
					t.Errorf("%s: perft %d = %d, want %d", l.FEN, i+1, got, want)
				}
			}
		}
	}
}
