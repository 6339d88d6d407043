package app

import (
	"math"
	"runtime/debug"
)

// collectAt is the memory, hash and threads apart, at which the garbage collector begins to
// work by itself. A game leaves a tenth of it behind, and isready after ucinewgame clears up,
// so that no collection falls into a game.
const collectAt = 128 << 20

// calmCollector keeps the collector from working during games. It returns what
// is to be called with the memory that the engine holds, when that changes: the limit
// grows with it, or the collector would never rest. What GOGC and GOMEMLIMIT
// ask for stands.
func calmCollector(getenv func(string) string) (grown func(heap uint64)) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return func(uint64) {}
	}
	debug.SetGCPercent(-1)
	grown = func(heap uint64) { debug.SetMemoryLimit(collectAt + int64(min(heap, math.MaxInt64-collectAt))) }
	grown(0)
	return grown
}
