package review_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
)

func ExampleGame() {
	g, err := pgn.NewReader(strings.NewReader("1. f3 e5 2. g4 Qh4# 0-1")).Read()
	if err != nil {
		log.Fatal(err)
	}
	engine, err := search.NewEngine(16) // MiB
	if err != nil {
		log.Fatal(err)
	}
	r, err := review.Game(context.Background(), engine, g, review.Options{Limits: review.Limits{Nodes: 20_000}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	bad := r.Moves[2]
	fmt.Println(bad.SAN, bad.Judgment, bad.After, "refuted by", bad.Refutation.Text)
	if err := r.Annotate(g); err != nil { // g now has evaluations, judgments and better lines
		log.Fatal(err)
	}
	fmt.Println(g.Main.Moves[2].NAGs[0])
	// Output:
	// g4 blunder #-1 refuted by 2... Qh4#
	// ??
}
