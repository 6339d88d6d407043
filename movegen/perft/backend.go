package perft

import (
	"sync"

	"github.com/klauspost/cpuid/v2"

	"github.com/tabula-chess/tabula/internal/path"
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

// PathVariable names the environment variable that overrides the choice of
// path: magic, pext, avx2 or avx512.
const PathVariable = "TABULA_ATTACKS"

// paths describes the paths. What each needs, a test compares with what the
// generator found.
var paths = path.Family[Path]{
	Kind:     "attack",
	Variable: PathVariable,
	Names:    []string{Magic: "magic", Pext: "pext", AVX2: "avx2", AVX512: "avx512"},
	Needs: [][]cpuid.FeatureID{
		Magic: nil,
		Pext:  {cpuid.CMOV, cpuid.POPCNT, cpuid.BMI1, cpuid.BMI2},
		AVX2:  {cpuid.CMOV, cpuid.BMI1, cpuid.BMI2, cpuid.AVX, cpuid.AVX2},
		AVX512: {
			cpuid.CMOV, cpuid.POPCNT, cpuid.BMI1, cpuid.BMI2, cpuid.AVX, cpuid.AVX2,
			cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512CD, cpuid.AVX512DQ, cpuid.AVX512VL,
			cpuid.AVX512VBMI2, cpuid.AVX512VPOPCNTDQ, cpuid.GFNI,
		},
	},
	Slow: func(p Path) bool { return p == Pext && slowPext(cpuid.CPU.VendorID, cpuid.CPU.Family) },
}

// slowPext reports whether PEXT is microcoded: on AMD, and Hygon's licence of
// it, before family 0x19. Source: CPW "BMI2".
func slowPext(vendor cpuid.Vendor, family int) bool {
	return vendor == cpuid.AMD && family < 0x19 || vendor == cpuid.Hygon
}

// String returns the name of the path: magic, pext, avx2 or avx512.
func (p Path) String() string { return paths.Name(p) }

// Supported returns nil if this machine, processor and operating system, can
// run the path, and an error saying what it lacks if not.
func Supported(p Path) error { return paths.Supported(p) }

// Best returns the path that is fastest on this machine. It looks at the
// processor once.
func Best() Path { return best() }

var best = sync.OnceValue(paths.Best)

// Select returns the path with the given name, or the best one if the name is
// empty. The error says that there is no such path or why this machine cannot
// run it.
func Select(name string) (Path, error) { return paths.Select(name) }

// FromEnvironment returns the path that PathVariable names, or the best one
// where it is unset. The error says that there is no such path or why this
// machine cannot run it.
func FromEnvironment() (Path, error) { return paths.FromEnvironment() }

// Backend counts legal moves along one path. It holds no state and is safe
// for concurrent use.
type Backend struct{ path Path }

// Path returns the path of the back end.
func (b *Backend) Path() Path { return b.path }

// Count returns the number of legal moves of f, as [Moves] does.
func (b *Backend) Count(f *Frame, g *Geometry) uint64 { return b.path.count(f, g) }

// Leaves returns the sum of Count over the children of f, perft to depth 2,
// as [Leaves] does. Steps is working space.
func (b *Backend) Leaves(f *Frame, g *Geometry, steps *Steps) uint64 {
	return b.path.leaves(f, g, steps)
}

var backends = [...]*Backend{Magic: {Magic}, Pext: {Pext}, AVX2: {AVX2}, AVX512: {AVX512}}

// For returns the back end of a path. The error says what this machine lacks.
func For(p Path) (*Backend, error) {
	if err := Supported(p); err != nil {
		return nil, err
	}
	return backends[p], nil
}

// Default returns the back end that the process uses unless it is told
// otherwise: the one FromEnvironment names, and the best one where that is in
// error. It decides once; a program that wants to report the error asks
// FromEnvironment itself.
func Default() *Backend { return defaultBackend() }

var defaultBackend = sync.OnceValue(func() *Backend { return backends[paths.Default()] })
