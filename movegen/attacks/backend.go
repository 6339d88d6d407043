package attacks

import (
	"fmt"
	"strings"
	"sync"
)

// Path is a way to count moves; see the package's doc. Paths are ordered from
// the plainest to the fastest.
type Path uint8

// The paths.
const (
	Magic Path = iota
	Pext
	AVX2
	AVX512
)

var pathNames = [...]string{Magic: "magic", Pext: "pext", AVX2: "avx2", AVX512: "avx512"}

// String returns the name of the path: magic, pext, avx2 or avx512.
func (p Path) String() string {
	if int(p) < len(pathNames) {
		return pathNames[p]
	}
	return fmt.Sprintf("Path(%d)", uint8(p))
}

// ParsePath returns the path with the given name. The error lists the names.
func ParsePath(name string) (Path, error) {
	for p, n := range pathNames {
		if n == name {
			return Path(p), nil
		}
	}
	return 0, fmt.Errorf("unknown attack path %q (known: %s)", name, strings.Join(pathNames[:], ", "))
}

// Backend counts legal moves along one path. It holds no state and is safe
// for concurrent use.
type Backend struct{ path Path }

// Path returns the path of the back end.
func (b *Backend) Path() Path { return b.path }

// Count returns the number of legal moves of f, as [Count] does.
func (b *Backend) Count(f *Frame, g *Geometry) uint64 { return b.path.count(f, g) }

// Leaves returns the sum of Count over the children of f, perft to depth 2,
// as [Leaves] does. Steps is working space.
func (b *Backend) Leaves(f *Frame, g *Geometry, steps *Steps) uint64 {
	return b.path.leaves(f, g, steps)
}

var magic = Backend{Magic}

// For returns the back end of a path. The error says what this machine lacks.
func For(p Path) (*Backend, error) {
	if err := Supported(p); err != nil {
		return nil, err
	}
	return backends[p], nil
}

// Best returns the path that is fastest on this machine. It looks at the
// processor once.
func Best() Path { return best() }

var best = sync.OnceValue(func() Path {
	for p := AVX512; p > Magic; p-- {
		if Supported(p) == nil && !slow(p) {
			return p
		}
	}
	return Magic
})

// Select returns the path with the given name, or the best one if the name is
// empty. The error says that there is no such path or why this machine cannot
// run it.
func Select(name string) (Path, error) {
	if name == "" {
		return Best(), nil
	}
	p, err := ParsePath(name)
	if err != nil {
		return 0, err
	}
	return p, Supported(p)
}
