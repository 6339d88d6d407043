package cli

import "runtime/debug"

// collectAt is the memory, hash apart, at which the garbage collector begins to
// work by itself. A game leaves a tenth of it behind, and ucinewgame clears up,
// so that no collection falls into a game.
const collectAt = 128 << 20

// calmCollector keeps the collector from working during games. What GOGC and
// GOMEMLIMIT ask for stands.
func calmCollector(getenv func(string) string) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(collectAt)
}
