package movegen_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/internal/gentest"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// TestCastling960 holds the rules of castling that only Chess960 asks for:
// what the rook shields, and squares that king and rook cross or share.
func TestCastling960(t *testing.T) {
	for _, c := range []struct{ name, fen, want string }{
		{"free", "k7/8/8/8/8/8/8/1R1K4 w B - 0 1", "d1b1"},
		{"the rook shields its king from the queen's side", "k7/8/8/8/8/8/8/qR1K4 w B - 0 1", ""},
		{"the rook shields its king from the king's side", "k7/8/8/8/8/8/8/5KRr w G - 0 1", ""},
		{"a knight behind the rook does not matter", "k7/8/8/8/8/8/8/nR1K4 w B - 0 1", "d1b1"},
		{"a bishop behind the rook does not matter", "k7/8/8/8/8/8/8/5KRb w G - 0 1", "f1g1"},
		{"an attacked rook does not matter", "4k1r1/8/8/8/8/8/8/5KR1 w G - 0 1", ""},
		{"an attacked rook off the king's way does not matter", "kr6/8/8/8/8/8/8/1R1K4 w B - 0 1", "d1b1"},
		{"the king stays where it is", "k7/8/8/8/8/8/8/2K4R w H - 0 1", "c1h1"},
		{"the king goes to the rook's square", "k7/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1"},
		{"the rook's way is blocked", "7k/8/8/8/8/8/8/RN1K4 w A - 0 1", ""},
		{"the king's way is blocked", "k7/8/8/8/8/8/8/1RK2N1R w H - 0 1", ""},
		{"the only legal move, to the king's side", "k3r3/8/8/8/8/6p1/6P1/5KRB w G - 0 1", "f1g1"},
		{"the only legal move, to the queen's side", "k2r4/8/8/8/8/1p6/1P6/BRK5 w B - 0 1", "c1b1"},
		{"the king crosses an attacked square", "k3r3/8/8/8/8/8/8/1RK4R w H - 0 1", ""},
	} {
		for _, fen := range []string{c.fen, gentest.Mirror(c.fen)} {
			want := c.want
			if fen != c.fen {
				want = strings.ReplaceAll(want, "1", "8")
			}
			p, err := chess.ParseFEN(fen)
			if err != nil {
				t.Errorf("%s: %s: %v", c.name, fen, err)
				continue
			}
			legal := movegen.Legal(p, nil)
			var got string
			for _, m := range legal {
				if m.Kind() == chess.Castling {
					got += m.String()
				}
			}
			if got != want {
				t.Errorf("%s: %s: castling %q, want %q", c.name, fen, got, want)
			}
			if strings.HasPrefix(c.name, "the only legal move") && len(legal) != 1 {
				t.Errorf("%s: %s: %v", c.name, fen, legal)
			}
			if p.HasLegalMove() != (len(legal) > 0) {
				t.Errorf("%s: %s: HasLegalMove = %v, %d moves", c.name, fen, p.HasLegalMove(), len(legal))
			}
			for m := range 1 << 16 {
				if m := chess.Move(m); p.IsLegal(m) != slices.Contains(legal, m) {
					t.Errorf("%s: %s: IsLegal(%v) = %v", c.name, fen, m, p.IsLegal(m))
				}
			}
			frame, geometry := perft.FrameOf(p)
			for path := movegen.Magic; path <= movegen.AVX512; path++ {
				if b, err := perft.For(path); err == nil && int(b.Count(&frame, &geometry)) != len(legal) {
					t.Errorf("%s: %s: %s counts %d, want %d", c.name, fen, path, b.Count(&frame, &geometry), len(legal))
				}
			}
		}
	}
}
