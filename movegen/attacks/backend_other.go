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

func slow(Path) bool { return false }

func (Path) count(f *Frame, g *Geometry) uint64 { return Count(f, g) }

func (Path) leaves(f *Frame, g *Geometry, steps *Steps) uint64 { return Leaves(f, g, steps) }
