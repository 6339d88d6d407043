package polyglot_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/openings/polyglot"
)

// A book, and what it plays.
func Example() {
	var built polyglot.Builder
	p := chess.NewPosition()
	for text, weight := range map[string]int{"e4": 3, "d4": 1} {
		m, err := p.ParseSAN(text)
		if err != nil {
			log.Fatal(err)
		}
		built.Add(p, m, weight)
	}
	var file bytes.Buffer // or an *os.File, and polyglot.Open
	if err := built.WriteBook(&file); err != nil {
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
	// e4 3
	// d4 1
}

// The key of a position, as opening books have it.
func ExampleKey() {
	fmt.Printf("%016x\n", polyglot.Key(chess.NewPosition()))
	// Output: 463b96181691fc9c
}
