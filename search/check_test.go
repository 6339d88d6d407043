//go:build tabula_check

package search

import (
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/movegen"
)

// TestGamesHoldTheirSteps plays games of the checking search with itself:
// standard chess and Chess960 from random openings, endgames, and positions
// late in the fifty moves. Whatever does not hold panics.
func TestGamesHoldTheirSteps(t *testing.T) {
	games := 200
	if testing.Short() {
		games = 12
	}
	r := rand.New(rand.NewPCG(2, 14))
	e, err := NewEngine(1)
	testkit.Succeed(t, err)
	plies := 0
	for g := range games {
		p := openingOf(t, g, r)
		e.Clear()
		o := Options{MultiPV: 1 + g%3}
		threads := 1
		if g%20 == 0 {
			threads = 2
		}
		testkit.Succeed(t, e.SetThreads(threads))
		for n := 0; n < 120 && p.Outcome() == chess.Ongoing; n++ {
			l := Limits{Nodes: 40 + r.Uint64N(120)}
			if n%16 == 0 {
				l.Nodes = 1500
			}
			result := e.Search(p, l, o, func(i Info) { checkLine(t, p.FEN(), i) })
			if !p.IsLegal(result.Best) {
				t.Fatalf("%s: best move %v is not legal", p, result.Best)
			}
			p.Make(result.Best)
			plies++
		}
	}
	t.Logf("%d games, %d plies", games, plies)
}

// openingOf returns the position from which game g starts.
func openingOf(t *testing.T, g int, r *rand.Rand) *chess.Position {
	t.Helper()
	fens := [...]string{
		"8/5k2/8/3K4/8/2R5/8/8 w - - 80 100", "8/8/4k3/8/2KQ4/8/8/7r w - - 90 120", "8/1P6/8/k1K5/8/8/6p1/8 w - - 0 1",
		"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 96 90", "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1", "8/8/8/2k5/4K3/8/B7/N7 w - - 0 1",
	}
	var p *chess.Position
	switch g % 4 {
	case 0:
		p = testkit.Position(t, fens[g/4%len(fens)])
	case 1:
		var err error
		p, err = chess.NewChess960(r.IntN(960))
		testkit.Succeed(t, err)
	default:
		p = chess.NewPosition()
	}
	if g%4 != 0 {
		movegen.RandomWalk(p, r, 8)
	}
	return p
}
