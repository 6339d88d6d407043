package pgn_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// randomGames makes games of 80 random moves, with a clock comment behind each
// move where asked.
func randomGames(b *testing.B, n int, clocks bool) []*pgn.Game {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	games := make([]*pgn.Game, n)
	for i := range games {
		g := &pgn.Game{Tags: []pgn.Tag{{Name: "Event", Value: "benchmark"}, {Name: "White", Value: "a"}, {Name: "Black", Value: "b"}}}
		p := chess.NewPosition()
		for len(g.Main.Moves) < 80 {
			m := chess.Move(r.IntN(1 << 16))
			if !p.IsLegal(m) {
				if p.Outcome().Over() {
					break
				}
				continue
			}
			node := pgn.Node{Move: m}
			if clocks {
				node.Comments = []string{"[%eval 0.17] [%clk 0:03:00]"}
			}
			g.Main.Moves = append(g.Main.Moves, node)
			p.Make(m)
		}
		games[i] = g
	}
	return games
}

// forms runs a benchmark on a file of 100 games, plain and with clocks.
func forms(b *testing.B, body func(b *testing.B, games []*pgn.Game, text string)) {
	for _, clocks := range []bool{false, true} {
		games := randomGames(b, 100, clocks)
		var buf bytes.Buffer
		w := pgn.NewWriter(&buf)
		for _, g := range games {
			if err := w.Write(g); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprintf("clocks=%v", clocks), func(b *testing.B) {
			b.SetBytes(int64(buf.Len()))
			b.ReportAllocs()
			body(b, games, buf.String())
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	forms(b, func(b *testing.B, games []*pgn.Game, _ string) {
		w := pgn.NewWriter(io.Discard)
		for b.Loop() {
			for _, g := range games {
				if err := w.Write(g); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
