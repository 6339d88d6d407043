package generator

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

const (
	kiwipeteFEN = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
	frcFEN      = "nrbbkqrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBKQRN w GBgb - 0 1"
)

func TestGenerators(t *testing.T) {
	for _, g := range All() {
		if g.Missing != nil {
			t.Logf("%s: %v", g.Name, g.Missing)
			if _, err := g.Open(chess.NewPosition()); err == nil {
				t.Errorf("%s opens although it is missing: %v", g.Name, g.Missing)
			}
			continue
		}
		for _, fen := range []string{kiwipeteFEN, strings.Replace(kiwipeteFEN, "KQkq", "HAha", 1)} {
			if n, err := g.Perft(fen, 3); n != 97862 || err != nil {
				t.Errorf("%s: %s: Perft(3) = %d, %v, want 97862", g.Name, fen, n, err)
			}
		}
		n, err := g.Perft(frcFEN, 2)
		if g.Chess960 && (n != 324 || err != nil) {
			t.Errorf("%s: %s: Perft(2) = %d, %v, want 324", g.Name, frcFEN, n, err)
		}
		if !g.Chess960 && (err == nil || !strings.Contains(err.Error(), "Chess960")) {
			t.Errorf("%s: %s: Perft(2) = %d, %v, want an error about Chess960", g.Name, frcFEN, n, err)
		}
		checkBoard(t, g)
	}
}

// checkBoard plays every move of Kiwipete.
func checkBoard(t *testing.T, g *Generator) {
	t.Helper()
	p := kit.Position(t, kiwipeteFEN)
	open := func() Board {
		b, err := g.Open(p)
		kit.Succeed(t, err)
		return b
	}
	moves, sum := open().Legal(nil), 0
	for _, m := range moves {
		b := open()
		b.Make(m)
		sum += b.Count()
	}
	if n := open().Count(); len(moves) != 48 || n != 48 || sum != 2039 {
		t.Errorf("%s: %s: %d moves listed, %d counted, %d at the second ply; want 48, 48, 2039", g.Name, kiwipeteFEN, len(moves), n, sum)
	}
}

// TestGames: random games are legal and not over before their last move, and a long one goes on.
func TestGames(t *testing.T) {
	for seed := range uint64(200) {
		p := RandomGame(rand.New(rand.NewPCG(seed, 1)), seed%2 == 0)
		if crowded(p) || p.Outcome() != chess.Ongoing && p.HasLegalMove() {
			t.Errorf("seed %d: %s, %s", seed, p, p.Outcome())
		}
	}
	if p := LongGame(2000); p.Plies() != 2000 || p.Outcome() != chess.Ongoing {
		t.Errorf("%d plies, %s", p.Plies(), p.Outcome())
	}
}

// TestReduceList finds the two members of a list that are needed.
func TestReduceList(t *testing.T) {
	var list []int
	for i := range 100 {
		list = append(list, i)
	}
	got := ReduceList(list, func(l []int) bool { return slices.Contains(l, 17) && slices.Contains(l, 93) })
	if !slices.Equal(got, []int{17, 93}) {
		t.Errorf("%v", got)
	}
}

// TestReduceGame keeps of a game what its failure needs: two kings and a rook in check.
func TestReduceGame(t *testing.T) {
	p := chess.NewPosition()
	for _, m := range []string{"e2e4", "e7e5", "d1h5", "b8c6", "h5f7"} {
		move, err := p.ParseUCI(m)
		if err != nil {
			t.Fatal(err)
		}
		p.Make(move)
	}
	q := ReduceGame(p, func(p *chess.Position) bool { return p.InCheck() })
	if !q.InCheck() || q.Plies() > 1 || q.Occupied().Count() != 3 {
		t.Errorf("%s after %d plies", q, q.Plies())
	}
}
