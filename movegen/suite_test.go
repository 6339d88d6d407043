package movegen_test

import (
	"testing"

	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/movegen/internal/gentest"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// TestSuites counts the suites of testdata by playing every move, up to a number of nodes
// a count. The other paths and ways to count are compared with this one.
func TestSuites(t *testing.T) {
	for _, suite := range []struct {
		name             string
		limit, longLimit uint64
	}{
		{"published.epd", 20_000, 1_000_000}, {"random.epd", 2_000, 100_000}, {"chess960.epd", 2_000, 300_000},
	} {
		limit := suite.longLimit
		if testing.Short() {
			limit = suite.limit
		}
		for _, l := range gentest.Suite(t, suite.name) {
			p := chesstest.Position(t, l.FEN)
			for i, want := range l.Counts {
				if want > limit {
					break
				}
				if got := perft.Walk(p, i+1); got != want {
					t.Errorf("%s: perft %d = %d, want %d", l.FEN, i+1, got, want)
				}
			}
		}
	}
}
