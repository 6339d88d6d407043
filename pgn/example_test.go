package pgn_test

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

func ExampleReader() {
	const file = `[White "Anderssen"]
[Black "Kieseritzky"]

1. e4 e5 2. f4 {the King's Gambit} exf4 (2... d5!? 3. exd5) 3. Bc4 1-0

[White "nobody"]

1. Ke3 e5 *

[White "somebody"]

1. d4 Kd7 2. Nf3 1/2-1/2
`
	for g, err := range pgn.NewReader(strings.NewReader(file)).Games() {
		if err != nil {
			fmt.Println(err) // the next game still comes
			continue
		}
		fmt.Println(g.Tag("White"), g.Result)
		if g.Shortened {
			fmt.Println(g.Warning)
		}
		var words []string
		for p, n := range g.Replay() {
			words = append(append(words, p.SAN(n.Move)), n.Comments...)
		}
		fmt.Println(strings.Join(words, ", "))
	}
	// Output:
	// Anderssen 1-0
	// e4, e5, f4, the King's Gambit, exf4, Bc4
	// game 2, line 8, column 4: move "Ke3": illegal in rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
	// somebody 1/2-1/2
	// game 3, line 12, column 7: move "Kd7": illegal in rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 1: the moves end before it
	// d4, Kd7 2. Nf3
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

// The games of strong players, found by their tags: the moves of the others are
// passed over.
func ExampleReader_ReadTags() {
	const file = "[White \"A\"]\n[WhiteElo \"2710\"]\n\n1. e4 e5 1-0\n\n" +
		"[White \"B\"]\n[WhiteElo \"1500\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n"
	r := pgn.NewReader(strings.NewReader(file))
	for {
		g, err := r.ReadTags()
		if err == io.EOF {
			break
		} else if err != nil {
			fmt.Println(err)
			continue
		}
		if elo, _ := strconv.Atoi(g.Tag("WhiteElo")); elo < 2500 {
			continue
		}
		if err := r.ReadMoves(g); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(g.Tag("White"), len(g.Main.Moves))
	}
	// Output: A 2
}

// All games of a large file, on all processors, in their order.
func ExampleParallel() {
	const file = "[Event \"a\"]\n\n1. e4 1-0\n\n[Event \"b\"]\n\n1. d4 0-1\n"
	for g, err := range pgn.Parallel(strings.NewReader(file), 0) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(g.Tag("Event"), g.Result)
	}
	// Output:
	// a 1-0
	// b 0-1
}

// Clocks and evaluations as values.
func ExampleNode_Comment() {
	g, err := pgn.NewReader(strings.NewReader("1. e4 {[%eval 0.17] [%clk 0:02:58] best by test} *")).Read()
	if err != nil {
		fmt.Println(err)
		return
	}
	c := g.Main.Moves[0].Comment()
	fmt.Println(c.Eval, c.Clock, c.Text)
	// Output: 0.17 2m58s best by test
}

// A variation added and made the main line.
func ExampleCursor() {
	g, err := pgn.NewReader(strings.NewReader("1. e4 e5 2. Nf3 *")).Read()
	if err != nil {
		fmt.Println(err)
		return
	}
	c := g.Cursor()
	c.Forward() // behind 1. e4
	for _, san := range []string{"c5", "Nc3"} {
		m, err := c.Position().ParseSAN(san)
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := c.Play(m); err != nil {
			fmt.Println(err)
			return
		}
	}
	c.Promote()
	var text strings.Builder
	if err := pgn.NewWriter(&text).Write(g); err != nil {
		fmt.Println(err)
	}
	_, moves, _ := strings.Cut(text.String(), "\n\n")
	fmt.Println(strings.TrimSpace(moves))
	// Output: 1. e4 c5 (1... e5 2. Nf3) 2. Nc3 *
}
