// Command perft prints the counts of chapter 3's generator and the time that each takes:
//
//	go run ./examples/course/x88/perft [DEPTH [FEN]]
//
// Without arguments it counts up to five plies from the start position.
package main

import (
	"log"
	"os"
	"strconv"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course/x88"
)

func main() {
	log.SetFlags(0)
	depth, fen := 5, chess.StartFEN
	switch len(os.Args) {
	case 3:
		fen = os.Args[2]
		fallthrough
	case 2:
		var err error
		if depth, err = strconv.Atoi(os.Args[1]); err != nil || depth < 1 || depth > 20 {
			log.Fatalf("depth: %q is not a number from 1 to 20", os.Args[1])
		}
	case 1:
	default:
		log.Fatal("want a depth, and a FEN in quotes")
	}
	if err := x88.Print(os.Stdout, fen, depth); err != nil {
		log.Fatal(err)
	}
}
