package generator

import (
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

// checkBoard plays every move of Kiwipete.
func checkBoard(t *testing.T, g *Generator) {
	t.Helper()
	p := testkit.Position(t, kiwipeteFEN)
	open := func() Board {
		b, err := g.Open(p)
		testkit.Succeed(t, err)
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
