package perft

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/movegen"
)

// positionsFlag says how many random positions TestDelta compares: go test -run TestDelta -positions 10000000.
var positionsFlag = flag.Int("positions", 300_000, "random positions to count on every path")

// wanderer hands out positions: those of random games from random starts of Chess960, both sides alike or not, and from
// random placements.
type wanderer struct {
	rng  *rand.Rand
	p    *chess.Position
	left int // plies of the game
	list [chess.MaxMoves]chess.Move
}

func newWanderer(seed uint64) *wanderer { return &wanderer{rng: rand.New(rand.NewPCG(20, seed))} }

func (w *wanderer) next() *chess.Position {
	var moves []chess.Move
	if w.left > 0 {
		moves = movegen.Legal(w.p, w.list[:0])
	}
	switch {
	case len(moves) > 0:
		w.left--
		w.p.Make(moves[w.rng.IntN(len(moves))])
	case w.rng.IntN(3) > 0:
		w.left = 10 + w.rng.IntN(150)
		white := w.rng.IntN(960)
		black := white
		if w.rng.IntN(2) == 0 {
			black = w.rng.IntN(960)
		}
		w.p, _ = chess.NewDoubleChess960(white, black)
	default:
		w.scatter()
	}
	return w.p
}

// scatter puts up to 26 pieces and two kings anywhere, which makes many checks, pins and promotions.
func (w *wanderer) scatter() {
	w.left = 20
	for {
		var s chess.Setup
		squares := w.rng.Perm(64)
		s.Side = chess.Color(w.rng.IntN(2))
		s.Put(chess.MakePiece(chess.White, chess.King), chess.Square(squares[0]))
		s.Put(chess.MakePiece(chess.Black, chess.King), chess.Square(squares[1]))
		for _, sq := range squares[2 : 2+w.rng.IntN(27)] {
			s.Put(chess.MakePiece(chess.Color(w.rng.IntN(2)), chess.PieceType(w.rng.IntN(5))), chess.Square(sq))
		}
		if p, err := s.Position(); err == nil {
			w.p = p
			return
		}
	}
}

// TestDelta compares the counts of two plies with those of visiting every child.
func TestDelta(t *testing.T) {
	w := newWanderer(26)
	for range *positionsFlag {
		checkLeaves(t, w.next())
	}
}

// checkLeaves compares the leaves at depth 2.
func checkLeaves(t *testing.T, p *chess.Position) {
	t.Helper()
	if got, want := deltaLeaves(p), ByLists(p, 2); got != want {
		t.Fatalf("%s: %d leaves, want %d", p.FEN(), got, want)
	}
}

// TestDeltaSuites does so in the trees of the suites.
func TestDeltaSuites(t *testing.T) {
	for _, name := range []string{"published.epd", "random.epd", "chess960.epd"} {
		for _, line := range testkit.Suite(t, name) {
			p := testkit.Position(t, line.FEN)
			if len(line.Counts) > 1 {
				if got := deltaLeaves(p); got != line.Counts[1] {
					t.Errorf("%s: %d leaves, want %d", line.FEN, got, line.Counts[1])
				}
			}
		}
	}
}

// FuzzDelta reads bytes as a position.
func FuzzDelta(f *testing.F) {
	f.Add([]byte("\x04\x3c\x00\x00\x03\x07\x03\x40\x04\x60\x02"))
	f.Add([]byte("\x44\x3c\x00\x00\x03\x07\x03\x1b\x01\x33\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 3 {
			return
		}
		if p, err := testkit.Setup(data).Position(); err == nil {
			checkLeaves(t, p)
		}
	})
}
