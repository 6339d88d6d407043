package coordinator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// failure is what went wrong with a job.
type failure struct {
	by    map[string]string // reasons, by worker
	tries int
}

// silence is the reason for a worker of which nothing was heard.
const silence = "the worker fell silent"

// A job is given up when enoughWorkers different workers, or all there are, could not do it
// and it was tried enoughTries times. A worker that falls silent says less than one that reports: it
// takes two of them.
const (
	enoughWorkers = 3
	enoughTries   = 3
)

// rest is for how long a worker keeps away from a run whose job it could not do, in times of
// Times.Alive: a full disk or a missing compiler fails every job at once.
const rest = 6

// fail notes that a worker could not do its job. It then rests from the run.
func (c *Coordinator) fail(now time.Time, l *lease, why string) {
	t := c.tasks[l.job.Run]
	if t == nil {
		return
	}
	c.log.Warn("a job failed", "run", t.Name, "job", l.job.Index, "worker", l.worker, "error", why)
	f := t.failure(l.job.Index)
	f.by[l.worker] = why
	f.tries++
	if w := c.workers[l.worker]; w != nil {
		w.rests[t.id] = now.Add(rest * c.Times.Alive)
	}
}

// failure returns what is known of a job, to be added to.
func (t *task) failure(index int) *failure {
	f := t.failures[index]
	if f == nil {
		f = &failure{by: map[string]string{}}
		t.failures[index] = f
	}
	return f
}

// silent takes a job from a worker of which nothing was heard.
func (c *Coordinator) silent(l *lease) {
	if t := c.tasks[l.job.Run]; t != nil && !l.delivered {
		c.log.Warn("a worker fell silent", "run", t.Name, "job", l.job.Index, "worker", l.worker)
		f := t.failure(l.job.Index)
		if f.by[l.worker] == "" {
			f.by[l.worker] = silence
		}
		f.tries++
	}
	c.release(l)
}

// bury gives up the jobs that nobody can do.
func (c *Coordinator) bury(t *task) {
	enough := max(1, min(enoughWorkers, len(c.workers)))
	for _, index := range slices.Sorted(maps.Keys(t.failures)) {
		f := t.failures[index]
		if t.dead[index] != "" || f.tries < enoughTries || len(f.by) < enough {
			continue
		}
		var reasons []string
		reported := false
		for _, worker := range slices.Sorted(maps.Keys(f.by)) {
			reasons = append(reasons, worker+": "+f.by[worker])
			reported = reported || f.by[worker] != silence
		}
		if reported || len(f.by) > 1 {
			t.dead[index] = fmt.Sprintf("%d tries: %s", f.tries, strings.Join(reasons, "; "))
			c.log.Error("a job is given up", "run", t.Name, "job", index, "why", t.dead[index])
		}
	}
}
