package chess_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

// TestPawnsAttacks holds sets of pawns against their pawns one by one.
func TestPawnsAttacks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		set := chess.Bitboard(r.Uint64() & r.Uint64())
		for c := chess.White; c <= chess.Black; c++ {
			want := chess.Bitboard(0)
			for b := set; b != 0; {
				want |= chess.PawnAttacks(c, b.Pop())
			}
			if got := chess.PawnsAttacks(c, set); got != want {
				t.Fatalf("%v pawns on %#x attack %#x, want %#x", c, uint64(set), uint64(got), uint64(want))
			}
		}
	}
}
