package compare

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	corentings "github.com/corentings/chess/v2"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/pgn"
)

// gameFile writes games of random moves as a site would, with a clock comment
// behind each move where asked. dragontoothmg reads no PGN.
func gameFile(tb testing.TB, games int, clocks bool) (text string, plies int) {
	tb.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var buf bytes.Buffer
	w := pgn.NewWriter(&buf)
	for i := range games {
		p := chess.NewPosition()
		g := pgn.Game{Tags: []pgn.Tag{
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
			n := pgn.Node{Move: moves[r.IntN(len(moves))]}
			if clocks {
				n.Comments = []string{"[%eval 0.17] [%clk 0:03:00]"}
			}
			g.Main.Moves = append(g.Main.Moves, n)
			p.Make(n.Move)
		}
		g.Result = p.Result()
		plies += len(g.Main.Moves)
		if err := w.Write(&g); err != nil {
			tb.Fatal(err)
		}
	}
	return buf.String(), plies
}

// readTabula returns the number of moves that package pgn reads.
func readTabula(src io.Reader) (plies int, err error) {
	for g, err := range pgn.NewReader(src).Games() {
		if err != nil {
			return plies, err
		}
		plies += len(g.Main.Moves)
	}
	return plies, nil
}

// readCorentings returns the number of moves that corentings/chess reads.
func readCorentings(src io.Reader) (plies int, err error) {
	for s := corentings.NewScanner(src); s.HasNext(); {
		g, err := s.ParseNext()
		if err != nil {
			return plies, err
		}
		plies += len(g.Moves())
	}
	return plies, nil
}

// readers are the contestants.
var readers = []struct {
	name string
	read func(io.Reader) (int, error)
}{{"tabula", readTabula}, {"corentings-v2", readCorentings}}

// TestSameGames makes sure that both read the whole file.
func TestSameGames(t *testing.T) {
	for _, clocks := range []bool{false, true} {
		text, want := gameFile(t, 20, clocks)
		for _, r := range readers {
			if got, err := r.read(strings.NewReader(text)); err != nil || got != want {
				t.Errorf("%s, clocks %v: %d moves, %v, want %d", r.name, clocks, got, err, want)
			}
		}
	}
}

// BenchmarkReadPGN reads a file of 200 games.
func BenchmarkReadPGN(b *testing.B) {
	for _, clocks := range []bool{false, true} {
		text, _ := gameFile(b, 200, clocks)
		for _, r := range readers {
			b.Run(fmt.Sprintf("clocks=%v/library=%s", clocks, r.name), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(text)))
				for range b.N {
					if _, err := r.read(strings.NewReader(text)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
