package nnue

import (
	"fmt"
	"os"
	"sync"
)

// Path names a set of kernels.
type Path uint8

// The paths, from the plainest up. Go runs everywhere and specifies the
// others; AVX512 also needs VNNI.
const (
	Go Path = iota
	AVX2
	AVX512
)

var pathNames = [...]string{Go: "go", AVX2: "avx2", AVX512: "avx512"}

// String returns the path's name as ParsePath reads it.
func (p Path) String() string {
	if int(p) < len(pathNames) {
		return pathNames[p]
	}
	return fmt.Sprintf("path %d", uint8(p))
}

// ParsePath returns the path with the given name: go, avx2 or avx512.
func ParsePath(name string) (Path, error) {
	for p, n := range pathNames {
		if n == name {
			return Path(p), nil
		}
	}
	return 0, fmt.Errorf("evaluation path %q: want one of %q", name, pathNames)
}

// Best returns the fastest path that this machine can run.
func Best() Path {
	for p := AVX512; p > Go; p-- {
		if Supported(p) == nil {
			return p
		}
	}
	return Go
}

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

// PathVariable names the environment variable that overrides the choice of
// path: go, avx2 or avx512.
const PathVariable = "TABULA_EVAL"

// FromEnvironment returns the path that PathVariable names, or the best one
// where it is unset. The error says that there is no such path or why this
// machine cannot run it.
func FromEnvironment() (Path, error) { return Select(os.Getenv(PathVariable)) }

// Default returns the path that evaluators use unless they are told otherwise:
// the one FromEnvironment names, and the best one where that is in error. It
// decides once; a program that wants to report the error asks FromEnvironment
// itself.
func Default() Path { return defaultPath() }

var defaultPath = sync.OnceValue(func() Path {
	p, err := FromEnvironment()
	if err != nil {
		p = Best()
	}
	return p
})
