package app

import (
	"math"
	"runtime/debug"
)

// collectAt is the heap size, besides hash and threads, at which the garbage collector starts.
// A game allocates a tenth of it, and isready after ucinewgame collects, so no collection runs
// during a game.
const collectAt = 128 << 20

// calmCollector keeps the garbage collector from running during games. Call grown with the size
// of the engine's memory whenever it changes: the limit must grow with it, or the collector would
// run all the time. GOGC and GOMEMLIMIT take precedence.
func calmCollector(getenv func(string) string) (grown func(heap uint64)) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return func(uint64) {}
	}
	debug.SetGCPercent(-1)
	grown = func(heap uint64) { debug.SetMemoryLimit(collectAt + int64(min(heap, math.MaxInt64-collectAt))) }
	grown(0)
	return grown
}
