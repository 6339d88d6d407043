// Command twin writes random games as package chess sees them, for the test that the page's rules see the same:
//
//	go run ./web/test/twin [POSITIONS [SEED]]
//
// Each line is a game, or a text that may be a FEN.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/openings"
)

// gameFacts is a game: its start, and its positions with the moves between them.
type gameFacts struct {
	Start     string  `json:"start"`
	Positions []facts `json:"positions"`
}

// facts is what the rules say about a position.
type facts struct {
	FEN      string      `json:"fen"`
	Legal    [][2]string `json:"legal"` // in UCI and in SAN
	Check    bool        `json:"check"`
	Chess960 bool        `json:"chess960"`
	Outcome  string      `json:"outcome"`
	Result   string      `json:"result"`
	Opening  string      `json:"opening"`
	Move     string      `json:"move,omitempty"` // that is made, in UCI
}

// text is a text that may be a FEN: the position that it means, or why it means none.
type text struct {
	Text   string `json:"text"`
	FEN    string `json:"fen,omitempty"`
	Field  string `json:"field,omitempty"`
	Reason string `json:"reason,omitempty"`
	At     int    `json:"at"`
}

// The positions of a game in which draws are near.
var endings = []string{
	"8/8/4k3/8/8/4K3/4P3/8 w - - 90 80", "8/8/3k4/8/2B5/3K4/8/7b b - - 0 1", "7k/8/5KQ1/8/8/8/8/8 b - - 140 99",
	"4k3/8/8/8/8/8/8/R3K2R w KQ - 97 60", "8/8/8/2n5/3k4/8/3K4/8 w - - 3 70", "k7/P7/8/1K6/8/8/6p1/8 w - - 0 1",
	"6k1/5ppp/8/8/8/8/8/R2QR1K1 w - - 0 1",
	"r3k2r/p6p/8/1N4n1/1n4N1/8/P6P/R3K2R b KQkq - 12 9999", "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1",
}

func main() {
	most, seed := argument(1, 20_000), argument(2, 1)
	r := rand.New(rand.NewPCG(uint64(seed), 0))
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	write := json.NewEncoder(out)
	for done := 0; done < most; {
		g := play(r, start(r), most-done)
		done += len(g.Positions)
		err := write.Encode(g)
		for range 20 {
			err = errors.Join(err, write.Encode(read(spoil(r, g.Positions[r.IntN(len(g.Positions))].FEN))))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "twin:", err)
			os.Exit(1)
		}
	}
}

// argument returns a number of the command line.
func argument(i, otherwise int) int {
	if len(os.Args) <= i {
		return otherwise
	}
	n, err := strconv.Atoi(os.Args[i])
	if err != nil || n < 1 {
		fmt.Fprintf(os.Stderr, "twin: %q: want a number of at least 1\n", os.Args[i])
		os.Exit(2)
	}
	return n
}

// start returns where a game starts: a quarter are of Chess960, and half of these have two different starts.
func start(r *rand.Rand) *chess.Position {
	white := r.IntN(chess.Chess960Starts)
	black := white
	switch n := r.IntN(8); {
	case n == 0:
		black = r.IntN(chess.Chess960Starts)
	case n > 5:
		white, black = chess.StandardStart, chess.StandardStart
	case n > 1:
		p, err := chess.ParseFEN(endings[r.IntN(len(endings))])
		if err != nil {
			panic(err) // a constant
		}
		return p
	}
	p, err := chess.NewDoubleChess960(white, black)
	if err == nil && r.IntN(2) == 0 {
		p, err = chess.ParseFEN(p.FormatFEN(chess.FENStyle{Castling: chess.CastlingShredder}))
	}
	if err != nil {
		panic(err) // the numbers are of starts
	}
	return p
}

// play plays random moves, often back and forth, so that positions come again, and sometimes passes.
func play(r *rand.Rand, p *chess.Position, most int) gameFacts {
	g := gameFacts{Start: p.FEN()}
	for range min(most, 200) {
		q := facts{FEN: p.FEN(), Legal: [][2]string{}, Check: p.InCheck(), Chess960: p.Chess960(),
			Outcome: p.Outcome().String(), Result: p.Result().String()}
		if o, ok := openings.OfGame(p); ok {
			q.Opening = o.String()
		}
		moves := movegen.Legal(p, nil)
		for _, m := range moves {
			q.Legal = append(q.Legal, [2]string{p.UCI(m), p.SAN(m)})
		}
		if len(moves) == 0 || p.Outcome() == chess.DeadPosition && r.IntN(4) == 0 {
			g.Positions = append(g.Positions, q)
			break
		}
		m := moves[r.IntN(len(moves))]
		mate := slices.IndexFunc(q.Legal, func(l [2]string) bool { return strings.HasSuffix(l[1], "#") })
		if mate >= 0 && r.IntN(2) == 0 {
			m = moves[mate]
		} else if back, err := p.ParseUCI(reverse(p).String()); err == nil && r.IntN(3) > 0 {
			m = back
		}
		if r.IntN(50) == 0 && !p.InCheck() {
			m = chess.NoMove
		}
		q.Move = p.UCI(m)
		g.Positions = append(g.Positions, q)
		if m == chess.NoMove {
			p.MakeNull()
		} else {
			p.Make(m)
		}
	}
	return g
}

// reverse returns the last move of the side to move backwards.
func reverse(p *chess.Position) chess.Move {
	if p.Plies() < 2 {
		return chess.NoMove
	}
	m := p.Step(1).Move
	return chess.NewMove(m.To(), m.From(), chess.Normal)
}

// spoil changes a FEN: a letter, a field, or how it is written.
func spoil(r *rand.Rand, fen string) string {
	fields := strings.Fields(fen)
	switch i := r.IntN(len(fen)); r.IntN(7) {
	case 0:
		return fen[:i] + string("KQRBNPkqrbnp12345678/-wxabcdefgh36 "[r.IntN(35)]) + fen[i+1:]
	case 1:
		return fen[:i] + fen[i+1:]
	case 2:
		return strings.Join(fields[:1+r.IntN(5)], "_")
	case 3:
		fields[2] = []string{"KQkq", "HAha", "K", "q", "Kh", "-", "QK", "GBgb", "Kx"}[r.IntN(9)]
	case 4:
		fields[3] = []string{"e3", "d6", "a3", "h6", "e4", "c6", "-", "z9"}[r.IntN(8)]
	case 5:
		fields[1+r.IntN(5)] = []string{"0", "w", "b", "99999", "-1", "12345678901"}[r.IntN(6)]
	default:
		return "https://lichess.org/analysis/standard/" + strings.ReplaceAll(fen, " ", "_") + "?color=black#3"
	}
	return strings.Join(fields, " ")
}

// read reads a text.
func read(fen string) text {
	out := text{Text: fen}
	p, err := chess.ParseFEN(strings.ReplaceAll(fen, "_", " ")) // as the page reads them
	if wrong, ok := errors.AsType[*chess.FENError](err); ok {
		out.Field, out.Reason, out.At = wrong.Field, wrong.Reason, wrong.Offset
	} else {
		out.FEN = p.FEN()
	}
	return out
}
