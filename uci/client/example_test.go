package client_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/uci/client"
)

// The best move of a position, with the engine's thoughts on the way.
func Example() {
	ctx := context.Background()
	engine, err := client.Start(ctx, client.Launch{Path: "stockfish"})
	if err != nil {
		log.Print(err) // uci client: stockfish: executable file not found in $PATH, nor in /usr/games
		return
	}
	defer engine.Close()
	p := chess.NewPosition()
	result, err := engine.Search(ctx, p, client.GoLimits{MoveTime: time.Second}, func(in client.InfoLine) {
		fmt.Println(in.Depth, in.Score, in.PV)
	})
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Println(p.SAN(result.Best), result.Info().Score)
}

// Thinking on the opponent's time.
func ExampleEngine_Search() {
	ctx := context.Background()
	engine, err := client.Start(ctx, client.Launch{Path: "stockfish"})
	if err != nil {
		log.Print(err)
		return
	}
	defer engine.Close()
	p := chess.NewPosition() // after the reply that is expected
	hit := make(chan struct{})
	time.AfterFunc(time.Second, func() { close(hit) }) // the opponent played it
	result, err := engine.Search(ctx, p, client.GoLimits{Ponder: hit, MoveTime: time.Second}, nil)
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Println(p.SAN(result.Best))
}

// What an engine tells, as values.
func ExampleParseInfo() {
	p := chess.NewPosition()
	in := client.ParseInfo(p, "info depth 20 score cp 35 lowerbound nodes 1000 pv e2e4 e7e5")
	fmt.Println(in.Depth, in.Score, in.Nodes, in.PV)
	// Output: 20 ≥+0.35 1000 [e2e4 e7e5]
}
