// Package search finds the best move of a position: iterative deepening over
// a principal-variation search with a shared transposition table.
//
// [Search] finds the best move of a position within limits and a context. A [Pool]
// does so for the clients of a server.
//
// An [Engine] owns the table and its workers; a worker owns a position, a stack and
// histories. Nothing else has state, so one process can run several engines. The
// package reports through a callback and never prints.
//
// Moves, scores and node counts change in every version; the meaning of limits and options is stable.
//
// # Example
//
//	package main
//
//	import (
//		"context"
//		"errors"
//		"fmt"
//		"time"
//
//		"github.com/tabula-chess/tabula/chess"
//		"github.com/tabula-chess/tabula/search"
//	)
//
//	func main() {
//		p := chess.NewPosition()
//		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
//		defer cancel()
//		best, err := search.Search(ctx, p, search.Limits{}, search.Config{}, nil)
//		// The context was the limit, so its error comes with what was found until then.
//		fmt.Println(p.IsLegal(best.Best), best.LineSAN(0) != "", errors.Is(err, context.DeadlineExceeded))
//		// Output: true true true
//	}
package search
