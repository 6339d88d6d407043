package perft

import (
	"testing"

	"github.com/tabula-chess/tabula/movegen"
)

func perftTree(f *Frame, g *Geometry, depth int, leaves func(*Frame, *Geometry, *Steps) uint64) uint64 {
	var steps Steps
	switch depth {
	case 0:
		return 1
	case 1:
		return plainCount(f, g)
	case 2:
		return leaves(f, g, &steps)
	}
	n := List(f, g, &steps)
	gg := g.Flip()
	var child Frame
	var sum uint64
	for _, s := range steps[:n] {
		f.Make(s, g, &child)
		sum += perftTree(&child, &gg, depth-1, leaves)
	}
	return sum
}

// TestPaths counts the shared suites on every path, up to a size of tree.
func TestPaths(t *testing.T) {
	limit := uint64(2_000_000)
	if testing.Short() {
		limit = 50_000
	}
	for p := movegen.Magic; p <= movegen.AVX512; p++ {
		b, err := For(p)
		if err != nil {
			continue
		}
		for _, name := range []string{"tricky.epd", "standard.epd", "chess960.epd"} {
			t.Run(p.String()+"/"+name, func(t *testing.T) {
				for _, c := range readSuite(t, name) {
					f, g := mustParse(t, c.fen)
					if got := b.Count(&f, &g); got != c.nodes[1] && c.nodes[1] != 0 {
						t.Errorf("%s depth 1: %d, want %d", c.fen, got, c.nodes[1])
					}
					for depth, want := range c.nodes {
						if depth == 1 || want > limit {
							continue
						}
						if got := perftTree(&f, &g, depth, b.Leaves); got != want {
							t.Errorf("%s depth %d: %d, want %d", c.fen, depth, got, want)
						}
					}
				}
			})
		}
	}
}
