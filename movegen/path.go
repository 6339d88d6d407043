package movegen

import (
	"sync"

	"github.com/klauspost/cpuid/v2"

	"github.com/tabula-chess/tabula/internal/machine"
)

// Path is a way to compute slider attacks for a whole position in one step: for the
// lists of moves here and for the counts of package perft. The processor determines
// the default path. Paths are ordered from the simplest to the fastest.
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
var paths = machine.Family[Path]{
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

// DefaultPath returns the default path of the process: the path that [PathVariable]
// names, or the best one if that name is invalid. It decides once; [SelectPath]
// reports the error.
func DefaultPath() Path { return defaultPath() }

var defaultPath = sync.OnceValue(paths.Default)
