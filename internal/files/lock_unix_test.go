//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package files

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// TestLockWaits claims a file that another holds for some time: a short one is waited for.
func TestLockWaits(t *testing.T) {
	for held, want := range map[time.Duration]error{lockPause / 2: nil, (lockTries - 2) * lockPause: nil, (lockTries + 1) * lockPause: ErrInUse} {
		synctest.Test(t, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "a")
			other, err := OS().Update(name)
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(held, func() { other.Close() })
			f, err := OS().Update(name)
			if !errors.Is(err, want) {
				t.Errorf("held for %v: %v, want %v", held, err, want)
			}
			if err == nil {
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			}
			time.Sleep(lockTries * lockPause)
		})
	}
}
