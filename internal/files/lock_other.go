//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package files

import "os"

// lock does nothing where the system has no flock.
func lock(*os.File) error { return nil }

func locked(*os.File) (bool, error) { return false, nil }

const noFollow = 0
