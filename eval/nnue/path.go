package nnue

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/tabula-chess/tabula/internal/machine"
)

// Path names a set of kernels.
type Path uint8

// The paths, from the plainest up. Go runs everywhere and specifies the
// others. SIMD128 is the path of a WebAssembly host, RelaxedSIMD of one that also has
// the relaxed vectors of WebAssembly 3.0. AVX512 also needs VNNI. NEON
// runs on every arm64 processor, DotProd on those with FEAT_DotProd (ARMv8.4 and most
// since 2018).
const (
	Go Path = iota
	SIMD128
	RelaxedSIMD
	AVX2
	AVX512
	NEON
	DotProd
)

// PathVariable names the environment variable that overrides the choice of
// path: go, simd128, relaxed, avx2, avx512, neon or dotprod.
const PathVariable = "TABULA_EVAL"

var paths = machine.Family[Path]{
	Kind:     "evaluation",
	Variable: PathVariable,
	Names: []string{
		Go: "go", SIMD128: "simd128", RelaxedSIMD: "relaxed", AVX2: "avx2", AVX512: "avx512", NEON: "neon",
		DotProd: "dotprod",
	},
	Needs: [][]string{
		Go: nil, SIMD128: nil, RelaxedSIMD: nil,
		AVX2:   {"AVX2", "BMI1"},
		AVX512: {"AVX2", "BMI1", "AVX512F", "AVX512BW", "AVX512VNNI"},
		NEON:   nil, DotProd: nil, // see host: cpuid knows nothing of arm64 under Windows
	},
	Host: host,
}

// host returns nil where the path's architecture and host fit.
func host(p Path) error {
	switch {
	case (p == SIMD128 || p == RelaxedSIMD) && !hostSIMD(p):
		return fmt.Errorf("evaluation path %s needs a WebAssembly host with such vectors", p)
	case (p == NEON || p == DotProd) && runtime.GOARCH != "arm64":
		return fmt.Errorf("evaluation path %s needs an arm64 processor", p)
	case p == DotProd && !machine.DotProd():
		return errors.New("evaluation path dotprod needs FEAT_DotProd, which this machine lacks")
	}
	return nil
}

// String returns the path's name as Select reads it.
func (p Path) String() string { return paths.Name(p) }

// Supported returns nil if this machine, processor and operating system, can
// run the path, and an error saying what it lacks if not.
func Supported(p Path) error { return paths.Supported(p) }

// Select returns the path with the given name, or the best one if the name is
// empty. The error says that there is no such path or why this machine cannot
// run it.
func Select(name string) (Path, error) { return paths.Select(name) }

// Default returns the path that evaluators use unless they are told otherwise:
// the one that PathVariable names, and the best one where that is in error. It
// decides once; a program that wants to report the error asks Select itself.
func Default() Path { return defaultPath() }

var defaultPath = sync.OnceValue(paths.Default)
