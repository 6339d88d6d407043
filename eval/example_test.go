package eval_test

import (
	"fmt"

	"github.com/tabula-chess/tabula/eval"
)

// A score is that of the side to move. Its text is in pawns or in moves to mate.
func ExampleScore() {
	for _, s := range []eval.Score{35, -120, eval.Mate - 5, 6 - eval.Mate, -eval.Mate} {
		moves, mate := s.MateIn()
		fmt.Println(s, mate, moves)
	}
	// Output:
	// +0.35 false 0
	// -1.20 false 0
	// #3 true 3
	// #-3 true -3
	// #-0 true 0
}
