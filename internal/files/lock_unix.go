//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package files

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// noFollow makes opening a link an error.
const noFollow = syscall.O_NOFOLLOW

// How often and after what time lock tries again: longer than locked holds what
// it asks for, too short for a user to notice.
const (
	lockTries = 10
	lockPause = 5 * time.Millisecond
)

// lock claims f for this process until it is closed or the process ends.
func lock(f *os.File) error {
	for try := 1; ; try++ {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
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
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return false, syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
}
