package polyglot_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/openings/polyglot"
	"github.com/tabula-chess/tabula/pgn"
)

// A book from games, and what it plays.
func Example() {
	const games = "1. e4 e5 1-0\n\n1. e4 c5 1/2-1/2\n\n1. d4 d5 1/2-1/2\n"
	tree := polyglot.Tree{MaxPlies: 20}
	for game, err := range pgn.NewReader(strings.NewReader(games)).Games() {
		if err != nil {
			log.Print(err) // a bad game; the next one follows
			continue
		}
		if err := tree.Add(game); err != nil {
			log.Fatal(err)
		}
	}
	p := chess.NewPosition()
	for _, played := range tree.Moves(p) {
		fmt.Printf("%s %d games, %d won, %d drawn\n", p.SAN(played.Move), played.Games, played.WhiteWins, played.Draws)
	}

	var file bytes.Buffer // or an *os.File, and polyglot.Open
	if err := tree.WriteBook(&file); err != nil {
		log.Fatal(err)
	}
	book, err := polyglot.NewBook(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	moves, err := book.Moves(p)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range moves {
		fmt.Println(p.SAN(m.Move), m.Weight)
	}
	// Output:
	// e4 2 games, 1 won, 1 drawn
	// d4 1 games, 0 won, 1 drawn
	// e4 3
	// d4 1
}

// The key of a position, as opening books have it.
func ExampleKey() {
	fmt.Printf("%016x\n", polyglot.Key(chess.NewPosition()))
	// Output: 463b96181691fc9c
}
