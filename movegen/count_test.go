package movegen_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// TestFramesAgreeWithLegal compares the frame of every position, its count on
// each back end and its listed steps with the generator's list.
func TestFramesAgreeWithLegal(t *testing.T) {
	var backends []*perft.Backend
	for p := movegen.Magic; p <= movegen.AVX512; p++ {
		if b, err := perft.For(p); err == nil {
			backends = append(backends, b)
		} else {
			t.Log(err)
		}
	}
	var steps perft.Steps
	visit(t, games(600), func(p *chess.Position, legal []chess.Move, _ *rand.Rand) {
		f, g := perft.FrameOf(p)
		if err := f.Check(); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		for _, b := range backends {
			if got := int(b.Count(&f, &g)); got != len(legal) {
				t.Fatalf("%s: %s counts %d, want %d", p, b.Path(), got, len(legal))
			}
		}
		var got []chess.Move
		for _, s := range steps[:perft.List(&f, &g, &steps)] {
			got = append(got, perft.MoveOf(&f, &g, p.SideToMove(), s))
		}
		want := slices.Clone(legal)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: steps\n got %v\nwant %v", p, got, want)
		}
		if perft.Legal(p) != len(legal) {
			t.Fatalf("%s: Count = %d, want %d", p, perft.Legal(p), len(legal))
		}
	})
}
