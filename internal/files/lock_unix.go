//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package files

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

const (
	hasLocks = true
	noWait   = syscall.O_NONBLOCK // opening a pipe does not wait for its other end
)

// How often and after what time lock tries again: longer than locked holds what
// it asks for, too short for a user to notice.
const (
	lockTries = 10
	lockPause = 5 * time.Millisecond
)

// flock calls flock(2), which a signal may break off.
func flock(f *os.File, how int) (err error) {
	for {
		if err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// lock claims f for this process until it is closed or the process ends.
func lock(f *os.File) error {
	for try := 1; ; try++ {
		err := flock(f, syscall.LOCK_EX)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return fmt.Errorf("lock %s: %w", f.Name(), err)
		case try == lockTries:
			return fmt.Errorf("%s: %w", f.Name(), ErrInUse)
		}
		time.Sleep(lockPause)
	}
}

// locked reports whether another open file has the lock. To ask is to take a
// share of it for a moment.
func locked(f *os.File) (bool, error) {
	err := flock(f, syscall.LOCK_SH)
	switch {
	case err == nil:
		return false, flock(f, syscall.LOCK_UN)
	case errors.Is(err, syscall.EWOULDBLOCK):
		return true, nil
	}
	return false, fmt.Errorf("lock %s: %w", f.Name(), err)
}
