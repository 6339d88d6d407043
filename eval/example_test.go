package eval_test

import (
	"fmt"

	"github.com/tabula-chess/tabula/eval"
)

// A score is that of the side to move; a mate is told from an evaluation by its
// size, and its distance in plies is what it lacks of Mate.
func ExampleScore() {
	for _, s := range []eval.Score{35, eval.Mate - 5, 6 - eval.Mate} {
		switch {
		case !s.IsMate():
			fmt.Printf("%+.2f pawns\n", float64(s)/100)
		case s > 0:
			fmt.Println("mates in", eval.Mate-s, "plies")
		default:
			fmt.Println("is mated in", s+eval.Mate, "plies")
		}
	}
	// Output:
	// +0.35 pawns
	// mates in 5 plies
	// is mated in 6 plies
}
