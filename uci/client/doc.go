// Package client drives chess engines that speak the universal chess
// interface, each a process of its own.
//
// [Start] runs a program and returns when it has introduced itself. Its [Option] values say what
// can be set. [Engine.Search] searches a position within [GoLimits], reports each [InfoLine] line as a
// value and returns an [Answer]; the end of its context stops it, and [GoLimits].Ponder tells it that
// the expected move was played. [Engine.Command] sends commands outside the protocol, such as
// "go perft".
//
// # Positions
//
// The client sends the whole history of a Position, so that the engine sees repetitions: the
// position after the last null move, then the moves. It turns Chess960 on and off as positions need.
//
// # What engines do wrong
//
// Every call returns, whatever the engine does, but for a search that no time bounds: give one with nodes, depth or
// mate alone a context with a deadline, as the engine may never answer it. An engine that ends causes an [*ExitError]
// with the end of its standard error, one that does not answer a [*TimeoutError], and a wrong answer, such as an
// illegal move, a [*ProtocolError]. After a timeout or a line of more than [MaxLine] bytes the engine is killed, with
// the processes that it has started if the system allows it, and every later call returns the same error. Unknown lines
// are ignored.
//
// # Contexts
//
// The context of Start bounds the life of the engine. The context of a search bounds the search:
// when it ends, the client sends stop and returns the answer with the context's error. If the
// context of another exchange ends before the answer, the engine is killed, because a late answer
// could be taken for the next one.
//
// When [Engine.Close] returns, the process and all goroutines have ended. An Engine may be used by
// several goroutines; it does one thing at a time, and a second call returns [ErrBusy].
//
// Source: "Description of the universal chess interface (UCI)", Stefan Meyer-Kahlen,
// April 2006; Stockfish's additions, such as the scores "wdl".
//
// The commands sent to an engine are UCI and stable.
//
// # Example
//
//	package main
//
//	import (
//		"context"
//		"fmt"
//		"time"
//
//		"github.com/tabula-chess/tabula/chess"
//		"github.com/tabula-chess/tabula/uci/client"
//	)
//
//	func main() {
//		ctx := context.Background()
//		engine, err := client.Start(ctx, client.Launch{Path: "stockfish"})
//		if err != nil {
//			panic(err)
//		}
//		defer engine.Close()
//		result, err := engine.Search(ctx, chess.NewPosition(), client.GoLimits{MoveTime: time.Second}, nil)
//		fmt.Println(result.Best, result.Info().Score, err) // e2e4 +0.30 <nil>
//	}
package client
