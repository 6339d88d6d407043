package command

import (
	"fmt"
	"os"
	"runtime"
)

// freeCore reports whether a core is free for a game by the clock on a machine whose
// worker does so many jobs at a time, and is at so many now: the other programs and the
// worker may together not want more cores than there are. Where the system does not tell
// its load, other programs are not counted.
func freeCore(cores, running int) bool {
	others := 0.0
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		var load float64
		if _, err := fmt.Sscan(string(text), &load); err == nil {
			others = max(0, load-float64(running))
		}
	}
	// The load is a mean of a minute, in which jobs have begun and ended.
	return float64(min(cores, runtime.NumCPU()))+others < float64(runtime.NumCPU())+1
}
