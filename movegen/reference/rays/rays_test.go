package rays_test

import (
	"testing"

	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/movegen/reference/rays"
)

func TestConformance(t *testing.T) { testkit.Conform(t, rays.New) }

// TestLook looks from either end of a file, with and without blockers on it.
func TestLook(t *testing.T) {
	const north, south = 0, 4
	const b1, b3, b6, b8 = 1, 17, 41, 57
	const blockers, aside = 1<<b3 | 1<<b6, 1 << 20
	for _, tt := range []struct {
		dir      uint8
		from     int
		occupied uint64
		blockers uint64
		nearest  int
		last     bool
	}{
		{north, b1, blockers | aside, blockers, b3, false},
		{south, b8, blockers | aside, blockers, b6, true},
		{north, b1, aside, 0, 63, false},
		{south, b8, aside, 0, 0, true},
	} {
		v := rays.Look(tt.dir, tt.from, tt.occupied)
		if v.Blockers != tt.blockers || v.Nearest != tt.nearest || v.Last != tt.last {
			t.Errorf("direction %d from %d: %+v, want %+v", tt.dir, tt.from, v, tt)
		}
	}
}
