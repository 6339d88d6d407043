package perft

import (
	"testing"

	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/internal/gentest"
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

// TestPaths counts the suites of package movegen on every path, up to a size of tree.
func TestPaths(t *testing.T) {
	limit := uint64(2_000_000)
	if testing.Short() {
		limit = 20_000
	}
	for _, name := range []string{"published.epd", "random.epd", "chess960.epd"} {
		for _, line := range gentest.Suite(t, name) {
			p := chesstest.Position(t, line.FEN)
			f, g := FrameOf(p)
			if err := f.Check(); err != nil {
				t.Fatalf("%s: %v", line.FEN, err)
			}
			for path := movegen.Magic; path <= movegen.AVX512; path++ {
				b, err := For(path)
				if err != nil {
					continue
				}
				if got := b.Count(&f, &g); got != line.Counts[0] {
					t.Errorf("%s: %v counts %d, want %d", line.FEN, path, got, line.Counts[0])
				}
				for i, want := range line.Counts[1:] {
					if want > limit {
						break
					}
					if got := perftTree(&f, &g, i+2, b.Leaves); got != want {
						t.Errorf("%s depth %d on %v: %d, want %d", line.FEN, i+2, path, got, want)
					}
				}
			}
		}
	}
}
