package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// starved returns how long the threads of this process and of the engine have
// been ready to run while the processor was busy with something else, in all.
// Bounds on time are extended by what it grows, so that a busy machine does not
// make an engine look slow; on an idle one it stays near zero.
func (e *engine) starved() time.Duration {
	return starvedIn(os.Getpid()) + starvedIn(e.cmd.Process.Pid)
}

// starvedIn returns the part of starved of one process. It is zero where the
// system does not tell (Documentation/scheduler/sched-stats.rst of Linux).
func starvedIn(pid int) time.Duration {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		return 0
	}
	var sum time.Duration
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			continue // the thread has ended
		}
		if fields := strings.Fields(string(b)); len(fields) > 1 {
			if n, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				sum += time.Duration(n)
			}
		}
	}
	return sum
}
