package generator

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
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
		if n, err := g.Perft(kiwipeteFEN, 3); n != 97862 || err != nil {
			t.Errorf("%s: %s: Perft(3) = %d, %v, want 97862", g.Name, kiwipeteFEN, n, err)
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

// checkBoard plays every move of Kiwipete and takes it back.
func checkBoard(t *testing.T, g *Generator) {
	t.Helper()
	p := testkit.Position(t, kiwipeteFEN)
	b, err := g.Open(p)
	testkit.Succeed(t, err)
	want := sorted(b.Legal(nil))
	if len(want) != 48 || b.Count() != 48 {
		t.Errorf("%s: %s: %d moves listed, %d counted, want 48", g.Name, kiwipeteFEN, len(want), b.Count())
	}
	sum := 0
	for _, m := range want {
		b.Make(m)
		sum += b.Count()
		b.Unmake()
	}
	if got := sorted(b.Legal(nil)); sum != 2039 || !slices.Equal(got, want) {
		t.Errorf("%s: %s: %d moves at the second ply, want 2039; afterwards\n got %v\nwant %v", g.Name, kiwipeteFEN, sum, got, want)
	}
}

func sorted(moves []chess.Move) []chess.Move {
	slices.Sort(moves)
	return moves
}
