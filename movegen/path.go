package movegen

import (
	"sync"

	"github.com/klauspost/cpuid/v2"

	"github.com/tabula-chess/tabula/internal/processor"
)

// Path is a way to compute slider attacks where a whole position is worked on
// in one step: lists of moves here and counts in package perft. The processor
// decides between the paths once, here, for both. Paths are ordered from the
// plainest to the fastest.
type Path uint8

// The paths.
const (
	Magic  Path = iota // plain Go with magic look-ups; every processor
	Pext               // PEXT look-ups, one position at a time
	AVX2               // counts four positions at a time, without PEXT
	AVX512             // counts eight positions at a time, lists with PEXT
	NEON               // counts two positions at a time, on arm64
)

// PathVariable names the environment variable that overrides the choice of
// path: magic, pext, avx2, avx512 or neon.
const PathVariable = "TABULA_ATTACKS"

// paths describes the paths. A test compares the needs of each with what the
// generator found.
var paths = processor.Family[Path]{
	Kind:     "attack",
	Variable: PathVariable,
	Names:    []string{Magic: "magic", Pext: "pext", AVX2: "avx2", AVX512: "avx512", NEON: "neon"},
	Needs: [][]cpuid.FeatureID{
		Magic: nil,
		Pext:  {cpuid.CMOV, cpuid.POPCNT, cpuid.BMI1, cpuid.BMI2},
		AVX2:  {cpuid.CMOV, cpuid.BMI1, cpuid.BMI2, cpuid.AVX, cpuid.AVX2},
		AVX512: {
			cpuid.CMOV, cpuid.POPCNT, cpuid.BMI1, cpuid.BMI2, cpuid.AVX, cpuid.AVX2,
			cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512CD, cpuid.AVX512DQ, cpuid.AVX512VL,
			cpuid.AVX512VBMI2, cpuid.AVX512VPOPCNTDQ, cpuid.GFNI,
		},
		NEON: {cpuid.ASIMD},
	},
	Slow: func(p Path) bool { return p == Pext && slowPext(cpuid.CPU.VendorID, cpuid.CPU.Family) },
}

// slowPext reports whether PEXT is microcoded: on AMD, and Hygon's licence of
// it, before family 0x19. Source: CPW "BMI2".
func slowPext(vendor cpuid.Vendor, family int) bool {
	return vendor == cpuid.AMD && family < 0x19 || vendor == cpuid.Hygon
}

// String returns the name of the path: magic, pext, avx2, avx512 or neon.
func (p Path) String() string { return paths.Name(p) }

// Supported returns nil if this machine, processor and operating system, can
// run the path, and an error saying what it lacks if not.
func (p Path) Supported() error { return paths.Supported(p) }

// SelectPath returns the path with the given name, or the best one if the name
// is empty. The error says that there is no such path or why this machine cannot
// run it.
func SelectPath(name string) (Path, error) { return paths.Select(name) }

// DefaultPath returns the path that the process uses unless it is told
// otherwise: the one that [PathVariable] names, and the best one where that is in
// error. It decides once; a program that wants to report the error asks [SelectPath].
func DefaultPath() Path { return defaultPath() }

var defaultPath = sync.OnceValue(paths.Default)
