package movegen_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

func TestRandomWalk(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	stalemate, err := chess.ParseFEN("k7/8/1Q6/8/8/8/8/K7 b - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	if n := movegen.RandomWalk(stalemate, r, 1); n != 0 || stalemate.Plies() != 0 {
		t.Errorf("%d moves of a stalemate", n)
	}
	seen := map[string]bool{}
	for range 200 {
		p := chess.NewPosition()
		if n := movegen.RandomWalk(p, r, 8); n < 8 && p.HasLegalMove() || p.Plies() != n {
			t.Fatalf("%s: %d moves told of, %d made, want 8", p, n, p.Plies())
		}
		seen[p.FEN()] = true
		for p.Plies() > 0 {
			p.Unmake()
		}
		if p.FEN() != chess.StartFEN {
			t.Fatalf("taken back to %s", p)
		}
	}
	if len(seen) < 190 {
		t.Errorf("%d different positions of 200", len(seen))
	}
}
