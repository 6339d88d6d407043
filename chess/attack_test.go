package chess_test

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

// TestDistance walks with a king from each square.
func TestDistance(t *testing.T) {
	for a := range chess.NoSquare {
		reached := a.Bitboard()
		for moves := 0; reached != 0 && moves <= 7; moves++ {
			next := reached
			for b := range reached.Squares() {
				next |= chess.KingAttacks(b)
				if got := chess.Distance(a, b); got > moves || moves == 0 && got != 0 {
					t.Errorf("%v to %v: %d moves, a king needs %d", a, b, got, moves)
				}
			}
			for b := range (^reached).Squares() {
				if got := chess.Distance(a, b); got <= moves {
					t.Errorf("%v to %v: %d moves, which do not suffice", a, b, got)
				}
			}
			reached = next
		}
	}
}
