//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package block

import (
	"os"
	"syscall"
)

// lock claims f for this process until it is closed or the process ends.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
