package movegen_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

func TestRandomWalk(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	stalemate := kit.Position(t, "k7/8/1Q6/8/8/8/8/K7 b - - 0 1")
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

// TestRandomOrder draws from the moves in the order of their numbers: a seed
// must mean the same when moves are generated in another order.
func TestRandomOrder(t *testing.T) {
	for seed := range uint64(20) {
		p := chess.NewPosition()
		made := movegen.RandomWalk(p, rand.New(rand.NewPCG(seed, 1)), 20)
		q, r := chess.NewPosition(), rand.New(rand.NewPCG(seed, 1))
		for range made {
			moves := movegen.Legal(q, nil)
			slices.Sort(moves)
			q.Make(moves[r.IntN(len(moves))])
		}
		if !p.Equal(q) {
			t.Errorf("seed %d: %s, want %s", seed, p, q)
		}
	}
}

func TestRandomOpening(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	sides := [2]int{}
	for range 200 {
		p := chess.NewPosition()
		goesOn := movegen.RandomOpening(p, r, 6)
		if want := p.Plies() >= 6 && p.Outcome() == chess.Ongoing; goesOn != want || p.Plies() > 7 {
			t.Fatalf("%s after %d plies: %v, want %v and 6 or 7 plies", p, p.Plies(), goesOn, want)
		}
		sides[p.SideToMove()]++
	}
	if min(sides[0], sides[1]) < 60 {
		t.Errorf("sides to move: %v of 200", sides)
	}
	mate := kit.Position(t, "k7/8/1K6/8/8/8/8/7R w - - 0 1")
	for range 50 {
		p := mate.Clone()
		if p.Make(chess.NewMove(chess.H1, chess.H8, chess.Normal)); movegen.RandomOpening(p, r, 0) {
			t.Fatalf("%s is taken for an opening", p)
		}
	}
}
