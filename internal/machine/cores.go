// Package machine knows the machine: its cores, the instruction sets of its processor, and memory for
// large tables.
package machine

import (
	"runtime"
	"sync"
)

var (
	mu    sync.Mutex
	cores int // as counted before the first Reserve; 0 until then
)

// Cores returns the number of cores that this process may use: GOMAXPROCS as it
// was before any call of [Reserve]. Go sets it from the machine, its limits for
// containers, and the environment.
func Cores() int {
	mu.Lock()
	defer mu.Unlock()
	return counted()
}

// counted returns cores; mu is held.
func counted() int {
	if cores > 0 {
		return cores
	}
	return runtime.GOMAXPROCS(0)
}

// spare is how many goroutines can run beside the busy ones: one that reads a
// command and one that writes an answer.
const spare = 2

// Reserve raises GOMAXPROCS above the number of cores, so that goroutines which
// wake up run at once although every core is computing. Otherwise they wait for
// Go's scheduler, which interrupts a goroutine only after 10 ms. With more
// threads than cores the kernel decides who runs, and it prefers a thread that
// has just woken up. A second call does nothing.
func Reserve() {
	mu.Lock()
	defer mu.Unlock()
	if cores == 0 {
		cores = runtime.GOMAXPROCS(0)
		runtime.GOMAXPROCS(cores + spare)
	}
}
