package pgn_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

func ExampleReader() {
	const file = `[White "Anderssen"]
[Black "Kieseritzky"]

1. e4 e5 2. f4 {the King's Gambit} exf4 (2... d5!? 3. exd5) 3. Bc4 1-0

[White "nobody"]

1. e4 e5 2. Ke3 *

[White "somebody"]

1. d4 1/2-1/2
`
	for g, err := range pgn.NewReader(strings.NewReader(file)).Games() {
		if err != nil {
			fmt.Println(err) // the next game still comes
			continue
		}
		fmt.Println(g.Tag("White"), g.Result)
		var words []string
		for p, n := range g.Replay() {
			words = append(append(words, p.SAN(n.Move)), n.Comments...)
		}
		fmt.Println(strings.Join(words, ", "))
	}
	// Output:
	// Anderssen 1-0
	// e4, e5, f4, the King's Gambit, exf4, Bc4
	// game 2, line 8, column 13: move "Ke3": illegal in rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2
	// somebody 1/2-1/2
	// d4
}

func ExampleWriter() {
	g := pgn.Game{
		Tags:   []pgn.Tag{{Name: "White", Value: "A"}, {Name: "Black", Value: "B"}},
		Result: chess.BlackWins,
	}
	p := chess.NewPosition()
	for _, san := range []string{"f3", "e5", "g4", "Qh4"} {
		m, err := p.ParseSAN(san)
		if err != nil {
			fmt.Println(err)
			return
		}
		g.Main.Moves = append(g.Main.Moves, pgn.Node{Move: m})
		p.Make(m)
	}
	g.Main.Moves[2].NAGs = []pgn.NAG{pgn.Blunder}
	if err := pgn.NewWriter(os.Stdout).Write(&g); err != nil {
		fmt.Println(err)
	}
	// Output:
	// [Event "?"]
	// [Site "?"]
	// [Date "????.??.??"]
	// [Round "?"]
	// [White "A"]
	// [Black "B"]
	// [Result "0-1"]
	//
	// 1. f3 e5 2. g4 $4 Qh4# 0-1
}
