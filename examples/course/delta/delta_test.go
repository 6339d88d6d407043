package delta_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course/delta"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// TestRandom compares two plies with package perft in random games, and from pieces that stand anywhere.
func TestRandom(t *testing.T) {
	positions := 60_000
	if testing.Short() {
		positions = 10_000
	}
	random := rand.New(rand.NewPCG(11, 1))
	p, left := chess.NewPosition(), 0
	simple := 0
	for range positions {
		moves := movegen.Legal(p, nil)
		switch {
		case left > 0 && len(moves) > 0:
			p.Make(moves[random.IntN(len(moves))])
			left--
		case random.IntN(2) == 0:
			p, left = chess.NewPosition(), 120
		default:
			for left = 0; left == 0; {
				var s chess.Setup
				generator.Scatter(random, &s, "QRBNPPqrbnpp", 2+random.IntN(24))
				if scattered, err := s.Position(); err == nil {
					p, left = scattered, 12
				}
			}
		}
		if got, want := delta.Perft(p.FEN(), 2), perft.ByLists(p, 2); got != want {
			t.Fatalf("%s: %d, want %d", p.FEN(), got, want)
		}
		if !p.InCheck() {
			simple++
		}
	}
	if simple < positions/2 {
		t.Errorf("only %d positions without check", simple)
	}
}
