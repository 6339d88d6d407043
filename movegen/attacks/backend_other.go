//go:build !amd64

package attacks

import "fmt"

var backends = [...]*Backend{Magic: &magic}

// Supported returns nil if this machine can run the path, and an error saying
// what it lacks if not.
func Supported(p Path) error {
	if p == Magic {
		return nil
	}
	return fmt.Errorf("attack path %v needs an amd64 processor", p)
}
