package nnue_test

import (
	"fmt"
	"log"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
)

// Scores positions without a search, for the side to move, in centipawns.
func ExampleEvaluator() {
	e := nnue.NewEvaluator(nnue.Embedded())
	for _, fen := range []string{
		"4k3/pppppppp/8/8/8/8/PPPPPPPP/3QK3 w - - 0 1",
		"4k3/pppppppp/8/8/8/8/PPPPPPPP/3QK3 b - - 0 1",
	} {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.SideToMove(), "a queen ahead or behind:", e.Evaluate(p) > 300, e.Evaluate(p) < -300)
	}
	// Output:
	// white a queen ahead or behind: true false
	// black a queen ahead or behind: false true
}
