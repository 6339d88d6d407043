package journal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/testkit"
)

// TestFullDisk fills a small disk, and continues when there is space.
func TestFullDisk(t *testing.T) {
	dir := testkit.SmallDisk(t, 64<<10)
	name, ballast := filepath.Join(dir, "j"), filepath.Join(dir, "ballast")
	testkit.Write(t, ballast, make([]byte, 32<<10))
	safe := 0
	for range 2 {
		j, all := numbers(t, files.OS(), name)
		if !slices.Equal(all, upTo(safe)) || len(j.Damages) > 0 {
			t.Errorf("%d records, want %d, damage %v", len(all), safe, j.Damages)
		}
		before := safe
		var err error
		for err == nil && safe < 1<<16 {
			if _, err = j.Append(entryOf(safe)); err == nil {
				safe++
			}
		}
		if !errors.Is(err, syscall.ENOSPC) || safe == before {
			t.Errorf("%d records, then %v", safe-before, err)
		}
		testkit.Succeed(t, errors.Join(j.Close(), os.RemoveAll(ballast)))
	}
}
