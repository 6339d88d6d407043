package movegen_test

import (
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

func ExampleLegal() {
	p, err := chess.ParseFEN("7k/8/8/8/8/8/P7/K7 w - - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	var buf [chess.MaxMoves]chess.Move // on the stack: nothing is allocated
	for _, m := range movegen.Legal(p, buf[:0]) {
		fmt.Print(p.SAN(m), " ")
	}
	// Output: Kb1 Kb2 a3 a4
}

func ExampleCaptures() {
	p, err := chess.ParseFEN("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	moves := movegen.Captures(p, nil)
	n := len(moves)
	moves = movegen.Quiets(p, moves)
	fmt.Println(moves[:n], len(moves)-n, "more")
	// Output: [e4d5] 6 more
}

func ExampleExplain() {
	p, err := chess.ParseFEN("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range movegen.Explain(p, chess.NewMove(chess.E2, chess.C3, chess.Normal)) {
		fmt.Println(r.Rule == movegen.RulePin, r.Text)
	}
	// Output: true The move would open the line of the rook on e7 to the king on e1.
}
