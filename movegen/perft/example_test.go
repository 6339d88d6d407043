package perft_test

import (
	"context"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen/perft"
)

func ExampleCounter_Count() {
	p, err := chess.ParseFEN("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	for depth := 1; depth <= 4; depth++ {
		n, err := perft.New(perft.Options{}).Count(context.Background(), p, depth)
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
