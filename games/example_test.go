package games_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/games"
)

func Example() {
	dir, err := os.MkdirTemp("", "games")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	db, err := games.Update(dir)
	if err != nil {
		panic(err)
	}
	defer db.Close()
	ctx := context.Background()
	done, err := db.Import(ctx, games.Source{Name: "two games", PGN: strings.NewReader(`[Event "A"]
[White "Anna"]
[Black "Bo"]

1. e4 e5 2. Nf3 1-0

[Event "B"]
[White "Bo"]
[Black "Anna"]

1. d4 d5 1/2-1/2
`)})
	if err != nil {
		panic(err)
	}
	fmt.Println(done.Games, "games")
	report, err := db.Show(ctx, chess.NewPosition(), games.Filter{Player: "anna"})
	if err != nil {
		panic(err)
	}
	for _, m := range report.Moves {
		fmt.Println(m.SAN, m.Games, m.White, m.Draws, m.Black)
	}
	for f, err := range db.Find(ctx, games.Query{Squares: "Nf3"}) {
		if err != nil {
			panic(err)
		}
		fmt.Println(f.White, f.Result, f.Black)
	}
	// Output:
	// 2 games
	// d4 1 0 1 0
	// e4 1 1 0 0
	// Anna 1-0 Bo
}
