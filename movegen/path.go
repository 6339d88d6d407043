package movegen

import (
	"sync"

	"github.com/tabula-chess/tabula/internal/machine"
)

// Path chooses the code that lists moves here and counts positions in package perft: plain Go or the kernels of an
// instruction set. [ListPath] says how a path lists, for not every path has kernels for both. The processor determines
// the default path. Paths are ordered from the simplest to the fastest.
type Path uint8

// The paths.
const (
	Magic  Path = iota // plain Go with magic look-ups; every processor
	Pext               // lists with PEXT, counts as magic does
	AVX2               // counts four positions at a time without PEXT, lists with it where it is fast
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
	Needs: [][]string{
		Magic: nil,
		Pext:  {"POPCNT", "BMI1", "BMI2"},
		AVX2:  {"CMOV", "POPCNT", "AVX", "AVX2"},
		AVX512: {
			"CMOV", "POPCNT", "BMI1", "BMI2", "AVX", "AVX2",
			"AVX512F", "AVX512BW", "AVX512CD", "AVX512DQ", "AVX512VL",
			"AVX512VBMI2", "AVX512VPOPCNTDQ", "GFNI",
		},
		NEON: {"ASIMD"},
	},
	Slow: func(p Path) bool { return p == Pext && pextIsSlow() },
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
