package search_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/search"
)

// The best move in five lines.
func ExampleSearch() {
	p, err := chess.ParseFEN("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
	if err != nil {
		log.Fatal(err)
	}
	best, err := search.Search(context.Background(), p, search.Limits{Depth: 6}, search.Config{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(best.SAN(), best.Score)
	// Output: Qxf7# #1
}

// Lines as they are found, until half a second has passed.
func ExampleSearch_report() {
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	p := chess.NewPosition()
	best, err := search.Search(ctx, p, search.Limits{}, search.Config{Threads: 2, MultiPV: 3}, func(in search.Info) {
		line, err := p.SANLine(in.PV)
		fmt.Println(in.Depth, in.MultiPV, in.Score, line, err)
	})
	if err != nil {
		log.Print(err) // context deadline exceeded; best holds what was found
	}
	for i := range best.Lines {
		fmt.Println(best.LineSAN(i))
	}
}

// A server's engines: at most four searches at once.
func ExamplePool() {
	pool, err := search.NewPool(4, search.Config{Hash: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	p, err := chess.ParseFEN("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
	if err != nil {
		log.Fatal(err)
	}
	best, err := pool.Search(context.Background(), p, search.Limits{Nodes: 10_000}, nil) // from any handler
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(best.LineSAN(0))
	// Output: 1. Ra8#
}
