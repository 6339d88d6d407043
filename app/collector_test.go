package app

import (
	"math"
	"runtime/debug"
	"testing"
)

// TestCalmCollector reads the limit that the runtime works with: it grows and
// shrinks with what the engine holds, and is the user's where the user has one.
func TestCalmCollector(t *testing.T) {
	limit, percent := debug.SetMemoryLimit(-1), debug.SetGCPercent(100)
	defer func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}()
	set := map[string]string{}
	getenv := func(name string) string { return set[name] }
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		set[name] = "1"
		calmCollector(getenv)(1 << 30)
		if now := debug.SetMemoryLimit(-1); now != limit {
			t.Errorf("with %s the limit is %d, want %d as before", name, now, limit)
		}
		delete(set, name)
	}
	grown := calmCollector(getenv)
	if p := debug.SetGCPercent(-1); p != -1 {
		t.Errorf("the collector works at every %d %%, want by the limit alone", p)
	}
	const worker = 5 << 20
	for _, heap := range []uint64{0, worker, 28 * worker, 1024 * worker, worker} {
		grown(heap)
		if now := debug.SetMemoryLimit(-1); now != collectAt+int64(heap) {
			t.Errorf("with %d MiB held the limit is %d MiB, want %d", heap>>20, now>>20, collectAt>>20+heap>>20)
		}
	}
	if grown(math.MaxUint64); debug.SetMemoryLimit(-1) != math.MaxInt64 {
		t.Error("what no machine has is not the largest limit")
	}
}
