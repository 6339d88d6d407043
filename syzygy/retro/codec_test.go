package retro

import (
	"testing"
)

// TestDistance turns what is written back into plies, as docs/tablebases.md
// says: never across the border of the fifty moves, at most a ply less, and
// exact where the flags say so.
func TestDistance(t *testing.T) {
	for _, flags := range []byte{0, flagWinPlies, flagLossPlies, flagWinPlies | flagLossPlies} {
		for n := 1; n < 260; n++ {
			for _, v := range []Value{Value(n), Value(-n - 1)} {
				exact := n <= 100 && (v > 0 && flags&flagWinPlies != 0 || v < 0 && flags&flagLossPlies != 0)
				got := 1 + int(distance(v, flags))
				switch {
				case n > 100:
					got = 101 + 2*int(distance(v, flags))
				case !exact:
					got = 1 + 2*int(distance(v, flags))
				}
				if got != n && (exact || got != n-1 || n == 101) {
					t.Errorf("flags %d: value %d reads as %d plies", flags, v, got)
				}
			}
		}
	}
}
