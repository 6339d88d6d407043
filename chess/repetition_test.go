package chess_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/movegen"
)

// TestCanRepeat compares CanRepeat, along random games that often turn back,
// with trying every legal move.
func TestCanRepeat(t *testing.T) {
	fens := []string{
		chess.StartFEN,
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"7k/8/8/3q4/8/8/1R6/K3N3 w - - 0 1",
		"8/2b5/4k3/8/8/3K4/5B2/8 w - - 0 1",
		"bnrkqnrb/pppppppp/8/8/8/8/PPPPPPPP/BNRKQNRB w GCgc - 0 1",
	}
	r := rand.New(rand.NewPCG(7, 7))
	yes, no := 0, 0
	for range 400 {
		p, err := chess.ParseFEN(fens[r.IntN(len(fens))])
		must.Succeed(t, err)
		var keys []chess.Key
		start := r.IntN(12) // the search starts after so many plies
		null := 0           // ply of the last null move
		for ply := range 60 {
			keys = append(keys, p.Key())
			if ply >= start {
				within := ply - start
				want := bringsBack(p, keys, min(within, ply-null+1))
				if got := p.CanRepeat(within); got != want {
					t.Fatalf("%s, %d plies from the start of the search: CanRepeat %v, trying says %v", p, within, got, want)
				}
				if want {
					yes++
				} else {
					no++
				}
			}
			if r.IntN(25) == 0 && !p.InCheck() {
				p.MakeNull()
				null = ply + 1
				continue
			}
			if p.InsufficientMaterial() || !turnBack(p, r) && movegen.RandomWalk(p, r, 1) == 0 {
				break
			}
		}
	}
	if yes < 500 || no < 500 {
		t.Errorf("%d positions with and %d without a repetition at hand: too few to tell", yes, no)
	}
}

// bringsBack reports whether a legal move leads to a position that stood on the
// board before; keys has those of all so far, of which the last within count.
func bringsBack(p *chess.Position, keys []chess.Key, within int) bool {
	for _, m := range movegen.Legal(p, nil) {
		p.Make(m)
		back := min(p.HalfmoveClock(), within)
		found := false
		for i := 4; i <= back; i += 2 {
			found = found || keys[len(keys)-i] == p.Key()
		}
		p.Unmake()
		if found {
			return true
		}
	}
	return false
}

// turnBack takes, two times in three, the last move of the side to move back,
// where that is legal.
func turnBack(p *chess.Position, r *rand.Rand) bool {
	if p.Plies() < 2 || r.IntN(3) == 0 {
		return false
	}
	m := p.Step(1).Move
	back := chess.NewMove(m.To(), m.From(), chess.Normal)
	if m.Kind() != chess.Normal || !p.IsLegal(back) {
		return false
	}
	p.Make(back)
	return true
}
