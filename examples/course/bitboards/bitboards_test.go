package bitboards

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestSets makes every legal move of the suite, two plies deep, and compares the twelve sets with the position: each
// piece is in the set of its side and kind and in no other, and in what its side has together.
func TestSets(t *testing.T) {
	for _, line := range kit.Suite(t, "published.epd") {
		for _, fen := range []string{line.FEN, kit.Mirror(line.FEN)} {
			b, err := read(fen)
			kit.Succeed(t, err)
			follow(t, kit.Position(t, fen), b, 2)
		}
	}
}

func follow(t *testing.T, p *chess.Position, b board, depth int) {
	for side := range chess.Color(2) {
		for kind := chess.Pawn; kind <= chess.King; kind++ {
			if got, want := b.pieces[side][kind], p.Pieces(side, kind); got != uint64(want) {
				t.Fatalf("%s: side %d, kind %d: %x, want %x", p.FEN(), side, kind, got, uint64(want))
			}
		}
		if got, want := b.all[side], p.ByColor(side); got != uint64(want) {
			t.Fatalf("%s: side %d: %x, want %x", p.FEN(), side, got, uint64(want))
		}
	}
	if depth == 0 {
		return
	}
	for _, m := range b.pseudo(nil) {
		if after, legal := b.make(m); legal {
			p.Make(kit.Move(t, p, m.String()))
			follow(t, p, after, depth-1)
			p.Unmake()
		}
	}
}
