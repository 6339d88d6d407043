package perft

import (
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/movegen"
)

func TestFor(t *testing.T) {
	for p := movegen.Magic; p <= movegen.AVX512; p++ {
		b, err := For(p)
		if (err == nil) != (p.Supported() == nil) || err == nil && b.Path() != p {
			t.Errorf("For(%v): back end %v, %v", p, b, err)
		}
	}
}

func TestCheck(t *testing.T) {
	p := chesstest.Position(t, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
	good, _ := FrameOf(p)
	for _, c := range []struct {
		name string
		edit func(*Frame)
		want string
	}{
		{"no king", func(f *Frame) { f.K, f.Castle = 0, 0 }, "one king"},
		{"two kings", func(f *Frame) { f.TK |= 1 << 30 }, "one king"},
		{"kings side by side", func(f *Frame) { f.K = f.TK >> 8; f.TP &^= f.K; f.Castle = 0 }, "touch"},
		{"both sides", func(f *Frame) { f.TN |= f.N }, "both sides"},
		{"two kinds", func(f *Frame) { f.N |= f.P }, "two kinds"},
		{"a third knight beside eight pawns", func(f *Frame) { f.D &^= f.D & -f.D; f.N |= 1 << 22 }, "promoted"},
		{"a third bishop beside eight pawns", func(f *Frame) { f.N = 0; f.D |= 1 << 22 }, "promoted"},
		{"a third rook beside eight pawns", func(f *Frame) { f.N = 0; f.H |= 1 << 22 }, "promoted"},
		{"a second queen beside eight pawns", func(f *Frame) { f.N = 0; f.D |= 1 << 22; f.H |= 1 << 22 }, "promoted"},
		{"their third knight beside eight pawns", func(f *Frame) { f.TD = 0; f.TH &^= 1 << 52; f.TN |= 1 << 26 }, "promoted"},
		{"nine pawns", func(f *Frame) { f.P |= 1 << 16; f.N = 0 }, "promoted"},
		{"pawn on the last rank", func(f *Frame) { f.P ^= 1<<57 | 1<<8 }, "first or the last rank"},
		{"seventeen", func(f *Frame) { f.P |= 0xff0000 &^ (f.Us() | f.Them()) }, "sixteen"},
		{"right without rook", func(f *Frame) { f.Castle |= 2 }, "without its rook"},
		{"king off its rank", func(f *Frame) { f.K = 1 << 20 }, "king off its rank"},
		{"en passant from nowhere", func(f *Frame) { f.EnPassant = 1 << 45 }, "double push"},
		{"en passant for nobody", func(f *Frame) { f.TP ^= 1<<39 | 1<<23; f.EnPassant = 1 << 47 }, "no pawn attacks"},
		{"check given", func(f *Frame) { f.N ^= 1<<43 | 1<<36 }, "in check"},
	} {
		f := good
		c.edit(&f)
		if err := f.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one about %q", c.name, err, c.want)
		}
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}
