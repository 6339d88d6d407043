package perft_test

import (
	"context"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen/perft"
)

func ExampleCount() {
	p, err := chess.ParseFEN("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := perft.NewTable(16, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for depth := 1; depth <= 4; depth++ {
		n, err := perft.Count(context.Background(), p, depth, perft.Options{Threads: 2, Table: table})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(depth, n)
	}
	// Output:
	// 1 48
	// 2 2039
	// 3 97862
	// 4 4085603
}

// Walk plays and takes back every move, as a search does.
func ExampleWalk() {
	fmt.Println(perft.Walk(chess.NewPosition(), 3))
	// Output: 8902
}

// ReadDivide and Compare find what another program has wrong.
func ExampleCompare() {
	p, err := chess.ParseFEN("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	right, err := perft.Divide(context.Background(), p, 2, perft.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	theirs, err := perft.ReadDivide(p, "e1d1: 18\ne1f1: 18\ne1e2: 5\ne1g1: 17\n\nNodes searched: 60")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range perft.Compare(p, right, theirs) {
		fmt.Println(d)
	}
	// Output: e1g1: not legal. The king is in check by the rook on e2 and may not castle.
}
