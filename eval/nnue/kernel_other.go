//go:build !amd64

package nnue

import "fmt"

var kernels = [...]*kernel{Go: &plain}

// Supported returns nil if this machine can run the path, and an error saying
// what it lacks if not.
func Supported(p Path) error {
	if p == Go {
		return nil
	}
	return fmt.Errorf("evaluation path %v needs an amd64 processor", p)
}
