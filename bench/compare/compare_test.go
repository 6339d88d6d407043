// Package compare measures packages chess, movegen and pgn against two other
// Go libraries, dragontoothmg and corentings/chess. It is a module of its own
// so that nobody who imports Tabula inherits them. README.md has the command and a table.
package compare

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	corentings "github.com/corentings/chess/v2"
	"github.com/dylhunn/dragontoothmg"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/pgn"
)

// positions are those of the table, with the depth of perft.
var positions = []struct {
	name, fen string
	depth     int
}{
	{"start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4},
	{"kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3},
	{"endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4},
}

// libraries are the contestants.
var libraries = []string{"tabula", "dragontoothmg", "corentings-v2"}

// prepare returns what is measured: a function that does the task as the library's own documentation shows, and
// returns a number that is the same for all libraries.
type prepare func(b testing.TB, fen string, depth int) func() int

// tasks are the rows of the table. A library that cannot do one is nil.
var tasks = []struct {
	name string
	by   [3]prepare // by library
}{
	{"FEN", [3]prepare{
		func(b testing.TB, fen string, _ int) func() int {
			return func() int {
				_, err := chess.ParseFEN(fen)
				return succeed(b, 1, err)
			}
		},
		func(_ testing.TB, fen string, _ int) func() int {
			return func() int {
				dragontoothmg.ParseFen(fen)
				return 1
			}
		},
		func(b testing.TB, fen string, _ int) func() int {
			return func() int { return succeed(b, 1, new(corentings.Position).UnmarshalText([]byte(fen))) }
		},
	}},
	{"moves", [3]prepare{
		func(b testing.TB, fen string, _ int) func() int {
			p, buf := tabula(b, fen), make([]chess.Move, 0, chess.MaxMoves)
			return func() int { return len(movegen.Legal(p, buf)) }
		},
		func(_ testing.TB, fen string, _ int) func() int {
			p := dragontoothmg.ParseFen(fen)
			return func() int { return len(p.GenerateLegalMoves()) }
		},
		func(b testing.TB, fen string, _ int) func() int {
			fresh := corentingsPosition(b, fen)
			return func() int {
				p := *fresh // or it would remember the moves
				return len(p.ValidMoves())
			}
		},
	}},
	{"play", [3]prepare{
		func(b testing.TB, fen string, _ int) func() int {
			p := tabula(b, fen)
			moves := movegen.Legal(p, nil)
			return func() int {
				for _, m := range moves {
					p.Make(m)
					p.Unmake()
				}
				return len(moves)
			}
		},
		func(_ testing.TB, fen string, _ int) func() int {
			p := dragontoothmg.ParseFen(fen)
			moves := p.GenerateLegalMoves()
			return func() int {
				for _, m := range moves {
					p.Apply(m)()
				}
				return len(moves)
			}
		},
		func(b testing.TB, fen string, _ int) func() int {
			p := corentingsPosition(b, fen)
			moves := p.ValidMoves()
			return func() int {
				for i := range moves {
					p.Update(&moves[i]) // copies, so that there is nothing to take back
				}
				return len(moves)
			}
		},
	}},
	{"perft", [3]prepare{
		func(b testing.TB, fen string, depth int) func() int {
			p := tabula(b, fen)
			return func() int { return int(perft.ByLists(p, depth)) }
		},
		func(_ testing.TB, fen string, depth int) func() int {
			p := dragontoothmg.ParseFen(fen)
			return func() int { return int(dragontoothmg.Perft(&p, depth)) }
		},
		func(b testing.TB, fen string, depth int) func() int {
			return func() int { return corentingsPerft(corentingsPosition(b, fen), depth) }
		},
	}},
	{"SANwrite", [3]prepare{
		func(b testing.TB, fen string, _ int) func() int {
			p := tabula(b, fen)
			moves := movegen.Legal(p, nil)
			return func() (n int) {
				for _, m := range moves {
					n += len(p.SAN(m))
				}
				return n
			}
		},
		2: func(b testing.TB, fen string, _ int) func() int {
			p := corentingsPosition(b, fen)
			moves := p.ValidMoves()
			return func() (n int) {
				for i := range moves {
					n += len(corentings.AlgebraicNotation{}.Encode(p, &moves[i]))
				}
				return n
			}
		},
	}},
	{"SANread", [3]prepare{
		func(b testing.TB, fen string, _ int) func() int {
			p, texts := tabula(b, fen), texts(b, fen)
			return func() int {
				for _, text := range texts {
					_, err := p.ParseSAN(text)
					succeed(b, 0, err)
				}
				return len(texts)
			}
		},
		2: func(b testing.TB, fen string, _ int) func() int {
			p, texts := corentingsPosition(b, fen), texts(b, fen)
			return func() int {
				for _, text := range texts {
					_, err := corentings.AlgebraicNotation{}.Decode(p, text)
					succeed(b, 0, err)
				}
				return len(texts)
			}
		},
	}},
	{"PGN", [3]prepare{
		func(b testing.TB, fen string, _ int) func() int {
			text := gameFile(b, fen)
			return func() (plies int) {
				for g, err := range pgn.NewReader(strings.NewReader(text)).Games() {
					plies += len(succeed(b, g, err).Main.Moves)
				}
				return plies
			}
		},
		2: func(b testing.TB, fen string, _ int) func() int {
			text := gameFile(b, fen)
			return func() (plies int) {
				for s := corentings.NewScanner(strings.NewReader(text)); s.HasNext(); {
					g, err := s.ParseNext()
					plies += len(succeed(b, g, err).Moves())
				}
				return plies
			}
		},
	}},
}

// TestSame compares the results of the libraries.
func TestSame(t *testing.T) {
	for _, task := range tasks {
		for _, p := range positions {
			want := task.by[0](t, p.fen, p.depth)()
			for i, prepare := range task.by {
				if prepare == nil {
					continue
				}
				if got := prepare(t, p.fen, p.depth)(); got != want {
					t.Errorf("%s of %s by %s: %d, want %d", task.name, p.name, libraries[i], got, want)
				}
			}
		}
	}
}

// Benchmark does every task in every position with every library.
func Benchmark(b *testing.B) {
	for _, task := range tasks {
		for _, p := range positions {
			for i, prepare := range task.by {
				if prepare == nil {
					continue
				}
				b.Run(fmt.Sprintf("task=%s/position=%s/library=%s", task.name, p.name, libraries[i]), func(b *testing.B) {
					do := prepare(b, p.fen, p.depth)
					b.ReportAllocs()
					for b.Loop() {
						do()
					}
				})
			}
		}
	}
}

// succeed returns a value, and ends the test with an error.
func succeed[T any](b testing.TB, v T, err error) T {
	if err != nil {
		b.Fatal(err)
	}
	return v
}

func tabula(b testing.TB, fen string) *chess.Position {
	p, err := chess.ParseFEN(fen)
	return succeed(b, p, err)
}

func corentingsPosition(b testing.TB, fen string) *corentings.Position {
	p := new(corentings.Position)
	return succeed(b, p, p.UnmarshalText([]byte(fen)))
}

// corentingsPerft counts leaves by the length of the last lists of moves.
func corentingsPerft(p *corentings.Position, depth int) (nodes int) {
	moves := p.ValidMoves()
	if depth == 1 {
		return len(moves)
	}
	for i := range moves {
		nodes += corentingsPerft(p.Update(&moves[i]), depth-1)
	}
	return nodes
}

// texts returns the legal moves of a position in standard algebraic notation.
func texts(b testing.TB, fen string) (all []string) {
	p := tabula(b, fen)
	for _, m := range movegen.Legal(p, nil) {
		all = append(all, p.SAN(m))
	}
	return all
}

// gameFile writes 200 games of random moves from a position as a site would, with a clock comment behind each move.
func gameFile(b testing.TB, fen string) string {
	r := rand.New(rand.NewPCG(1, 2))
	var buf bytes.Buffer
	w := pgn.NewWriter(&buf)
	for i := range 200 {
		p := tabula(b, fen)
		g := pgn.Game{Start: tabula(b, fen), Tags: []pgn.Tag{
			{Name: "Event", Value: "Rated blitz game"}, {Name: "Site", Value: fmt.Sprintf("https://example.org/%08x", r.Uint32())},
			{Name: "Date", Value: "2026.11.20"}, {Name: "Round", Value: fmt.Sprint(i + 1)},
			{Name: "White", Value: "Anderssen, Adolf"}, {Name: "Black", Value: "Kieseritzky, Lionel"},
			{Name: "WhiteElo", Value: "2600"}, {Name: "BlackElo", Value: "2500"}, {Name: "ECO", Value: "C33"},
		}}
		for range 80 {
			moves := movegen.Legal(p, nil)
			if p.Outcome() != chess.Ongoing {
				break
			}
			n := pgn.Node{Move: moves[r.IntN(len(moves))], Comments: []string{"[%eval 0.17] [%clk 0:03:00]"}}
			g.Main.Moves = append(g.Main.Moves, n)
			p.Make(n.Move)
		}
		g.Result = p.Result()
		succeed(b, 0, w.Write(&g))
	}
	return buf.String()
}
