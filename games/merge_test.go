package games

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// sizes returns the numbers of games of the segments.
func sizes(db *DB) (all []uint64) {
	for _, s := range db.segments {
		all = append(all, s.games)
	}
	return all
}

// TestCompact merges segments as far as one may hold their games: all games keep their
// order, and a second run has nothing to do. A segment has more than one block.
func TestCompact(t *testing.T) {
	for most, want := range map[uint64][]uint64{139: {70, 70, 70, 70, 70}, 140: {140, 140, 70}, 349: {280, 70}, 350: {350}} {
		db := begin(t, newDisk(t))
		db.most = most
		all := ""
		for i := range 5 {
			part := text(t, 70, uint64(i))
			mustImport(t, db, fmt.Sprint(i), part)
			all += part
		}
		for range 2 {
			kit.Succeed(t, db.Compact(t.Context(), func(int) {}))
			if got := sizes(db); !slices.Equal(got, want) {
				t.Errorf("at most %d games: segments of %d, want %d", most, got, want)
			}
			if shown(t, db) != all {
				t.Errorf("at most %d games: they have changed", most)
			}
		}
	}
}

// TestTidy imports in parts: the last eight segments become one where none is larger by far
// than the last and one may hold their games.
func TestTidy(t *testing.T) {
	for _, tt := range []struct {
		most   uint64
		before int // games of a first part, 0 for none
		want   []uint64
	}{{80, 0, []uint64{16, 2}}, {16, 0, []uint64{16, 2}}, {15, 0, slices.Repeat([]uint64{2}, 9)}, {80, 9, []uint64{9, 16, 2}}, {80, 7, []uint64{7, 16, 2}}, {80, 3, []uint64{17, 2, 2}}} {
		db := begin(t, newDisk(t))
		db.most = tt.most
		all := ""
		for i := range 10 {
			n := 2
			if i == 0 {
				n = tt.before
			}
			part := text(t, n, uint64(i))
			mustImport(t, db, fmt.Sprint(i), part)
			all += part
		}
		if got := sizes(db); !slices.Equal(got, tt.want) || shown(t, db) != all {
			t.Errorf("at most %d games in one, %d before: segments of %d games, want %d", tt.most, tt.before, got, tt.want)
		}
	}
}
