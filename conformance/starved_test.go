package main

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
// Bounds on time are extended by it, so that a busy machine does not make an
// engine look slow; on an idle one it stays near zero. It is zero where the
// system does not tell (Documentation/scheduler/sched-stats.rst of Linux).
func (e *engine) starved() time.Duration {
	var sum time.Duration
	for _, pid := range []int{os.Getpid(), e.cmd.Process.Pid} {
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		if err != nil {
			continue
		}
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
	}
	return sum
}
