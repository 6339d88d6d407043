package attacks

import (
	"os"
	"sync"
)

// PathVariable names the environment variable that overrides the choice of
// path: magic, pext, avx2 or avx512.
const PathVariable = "TABULA_ATTACKS"

// FromEnvironment returns the path that PathVariable names, or the best one
// where it is unset. The error says that there is no such path or why this
// machine cannot run it.
func FromEnvironment() (Path, error) { return Select(os.Getenv(PathVariable)) }

// Default returns the back end that the process uses unless it is told
// otherwise: the one FromEnvironment names, and the best one where that is in
// error. It decides once; a program that wants to report the error asks
// FromEnvironment itself.
func Default() *Backend { return defaultBackend() }

var defaultBackend = sync.OnceValue(func() *Backend {
	path, err := FromEnvironment()
	if err != nil {
		path = Best()
	}
	backend, err := For(path)
	if err != nil {
		return &magic
	}
	return backend
})
