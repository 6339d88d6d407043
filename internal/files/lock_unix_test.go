//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package files

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabula-chess/tabula/internal/must"
)

// TestLockWaits claims a file that another holds for some time: a short one is waited for.
func TestLockWaits(t *testing.T) {
	for held, want := range map[time.Duration]error{lockPause / 2: nil, (lockTries - 2) * lockPause: nil, (lockTries + 1) * lockPause: ErrInUse} {
		synctest.Test(t, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "a")
			other, err := OS().Update(name)
			must.Succeed(t, err)
			time.AfterFunc(held, func() { other.Close() })
			f, err := OS().Update(name)
			if !errors.Is(err, want) {
				t.Errorf("held for %v: %v, want %v", held, err, want)
			}
			if err == nil {
				must.Succeed(t, f.Close())
			}
			time.Sleep(lockTries * lockPause)
		})
	}
}
