package coordinator

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Runs of one priority share the time of the workers by deficit round robin: each has a
// credit of seconds, which a job takes from it, and all get more, by their shares, when
// none of them that has work has credit left. A run without work keeps no credit.

// quantum is the number of seconds by which a credit grows at a time.
const quantum = 60

// firstEstimate is how many seconds a job is taken to need before one was done.
const firstEstimate = 60

// estimate returns the seconds that a job of the run needs.
func (t *task) estimate() float64 {
	if t.results == 0 {
		return firstEstimate
	}
	return t.took / float64(t.results)
}

// ask answers a worker that wants a job, now or later.
func (c *Coordinator) ask(now time.Time, id string, a link.Ask, answer func(any)) {
	w := c.hear(now, id, a.Machine)
	for _, b := range c.bans {
		if link.Covers(b.Worker, id) {
			answer(link.Answer{Refused: "this worker is banned: " + b.Reason})
			return
		}
	}
	if a.Protocol != link.Protocol {
		answer(link.Answer{Refused: fmt.Sprintf("this worker speaks version %d of the protocol, the farm %d: update the older one", a.Protocol, link.Protocol)})
		return
	}
	if l := c.leases[a.Delivered]; l != nil && l.worker == id {
		l.delivered, l.heard = true, now
	}
	q := question{id, a, now.Add(c.Times.Hold), answer}
	if c.tryAnswer(now, w, &q) {
		return
	}
	// A worker waits with each of its cores at most once: what it has asked before and
	// no longer waits for goes.
	n := 0
	for _, q := range c.waiting {
		if q.worker == id {
			n++
		}
	}
	if n >= max(1, a.Cores) {
		at := slices.IndexFunc(c.waiting, func(q question) bool { return q.worker == id })
		c.waiting = slices.Delete(c.waiting, at, at+1)
	}
	c.waiting = append(c.waiting, q)
}

// serve answers those who wait and can have a job, or have waited long enough.
func (c *Coordinator) serve(now time.Time) {
	c.waiting = slices.DeleteFunc(c.waiting, func(q question) bool {
		w := c.workers[q.worker]
		if w == nil || w.Boot != q.ask.Boot {
			return true
		}
		if c.tryAnswer(now, w, &q) {
			return true
		}
		if now.Before(q.until) {
			return false
		}
		q.answer(link.Answer{Note: w.note})
		return true
	})
}

// tryAnswer answers a question if there is something to say.
func (c *Coordinator) tryAnswer(now time.Time, w *worker, q *question) bool {
	j := c.assign(now, w, q.ask)
	if j != nil {
		w.note = ""
		q.answer(link.Answer{Job: j})
	}
	return j != nil
}

// assign gives a job to a worker, nil where there is none for it.
func (c *Coordinator) assign(now time.Time, w *worker, a link.Ask) *run.Job {
	w.note = c.full
	if c.full != "" || w.busy() >= max(1, a.Cores) {
		return nil
	}
	var tasks []*task
	for _, t := range c.ordered() {
		if c.eligible(now, t, w, a) {
			tasks = append(tasks, t)
		}
	}
	slices.SortStableFunc(tasks, func(a, b *task) int { return b.Priority - a.Priority })
	for len(tasks) > 0 {
		n := 1
		for n < len(tasks) && tasks[n].Priority == tasks[0].Priority {
			n++
		}
		if j := c.assignOf(now, w, tasks[:n]); j != nil {
			return j
		}
		tasks = tasks[n:]
	}
	return nil
}

// assignOf gives a job of one of the runs of one priority to a worker.
func (c *Coordinator) assignOf(now time.Time, w *worker, tasks []*task) *run.Job {
	tasks = slices.Clone(tasks)
	slices.SortStableFunc(tasks, func(a, b *task) int { return cmp.Compare(b.credit, a.credit) })
	for at, t := range tasks {
		index, ok := c.pick(now, t, w)
		if !ok {
			continue
		}
		for t.credit <= 0 {
			for _, other := range tasks[at:] {
				other.credit += quantum * max(other.Share, 0.01)
			}
		}
		j := run.Job{Run: t.id, Index: index, K: t.freeCopy(index)}
		var err error
		if j.Input, err = t.fold.Input(index); err != nil {
			c.log.Error("a job without its input", "run", t.Name, "error", err)
			return nil
		}
		c.lease(now, t, w, j)
		return &j
	}
	return nil
}

// busy returns how many jobs a worker has whose results are not there.
func (w *worker) busy() (n int) {
	for _, l := range w.has {
		if !l.delivered {
			n++
		}
	}
	return n
}

// eligible reports whether a worker may have jobs of a run.
func (c *Coordinator) eligible(now time.Time, t *task, w *worker, a link.Ask) bool {
	m := t.manifest
	mine, known := a.Kinds[m.Kind]
	timed, _ := t.plan.(run.Timed)
	switch {
	case t.fold.Done() || now.Before(w.rests[t.id]):
		return false
	case !known || mine != m.Version:
		w.note = fmt.Sprintf("run %s is %s of version %d, this worker knows version %d: update the older one", t.Name, m.Kind, m.Version, mine)
		return false
	case m.Bench != 0 && m.Bench != a.Bench:
		w.note = fmt.Sprintf("run %s wants a bench of %d nodes, this worker has %d: it has another network or another search", t.Name, m.Bench, a.Bench)
		return false
	case timed != nil && timed.Timed() && !a.Timed:
		w.note = fmt.Sprintf("run %s plays by the clock, and this worker has no free core", t.Name)
		return false
	}
	if why := c.held(t); why != "" && t.dispute == nil {
		w.note = fmt.Sprintf("run %s: %s", t.Name, why)
		return false
	}
	return true
}

// pick returns the first job of a run that a worker may do. What it passes over is under
// way or done, since the oldest job that is under way was begun.
func (c *Coordinator) pick(now time.Time, t *task, w *worker) (index int, ok bool) {
	some := false
	for index := t.next; index < min(t.fold.Ready(), t.Jobs); index++ {
		if !t.wants(index) {
			if !some && t.next == index && t.slots[index].leased == 0 {
				t.next++
			}
			continue
		}
		if some = true; c.may(now, t, w, index) {
			return index, true
		}
	}
	if !some {
		t.credit = min(t.credit, 0)
	}
	return 0, false
}

// wants reports whether a job needs a copy that is not under way.
func (t *task) wants(index int) bool {
	return t.needs(index) > bits.OnesCount16(t.slots[index].leased) && t.dead[index] == ""
}

// may reports whether a worker may do a job: a second copy is for another machine, and a
// job that failed for one too.
func (c *Coordinator) may(now time.Time, t *task, w *worker, index int) bool {
	s := &t.slots[index]
	if t.freeCopy(index) >= run.VerdictCopy {
		return false
	}
	if f := t.failures[index]; f != nil && f.by[w.id] != "" && c.others(now, w, f.by) {
		return false
	}
	if t.plan.Copies(index) < 2 || c.lonely(now, w) {
		return true
	}
	for _, r := range s.results {
		if r.Worker == w.id {
			return false
		}
	}
	for k := range run.VerdictCopy {
		if s.leased&(1<<k) != 0 && c.leases[run.Job{Run: t.id, Index: index, K: k}.Name()].worker == w.id {
			return false
		}
	}
	return true
}

// freeCopy returns the number of the next copy of a job, run.VerdictCopy where all have
// been used.
func (t *task) freeCopy(index int) int {
	s := &t.slots[index]
	return min(bits.TrailingZeros16(^(s.taken | s.leased)), run.VerdictCopy)
}

// others reports whether a worker that is not among some has been heard of lately.
func (c *Coordinator) others(now time.Time, w *worker, some map[string]string) bool {
	for id, other := range c.workers {
		if _, in := some[id]; !in && id != w.id && now.Sub(other.heard) < 4*c.Times.Alive {
			return true
		}
	}
	return false
}

// lonely reports whether there is one worker for some time: it then makes both copies.
func (c *Coordinator) lonely(now time.Time, w *worker) bool {
	return c.Alone || now.Sub(w.since) > 2*c.Times.Alive && now.Sub(c.began) > 2*c.Times.Alive && !c.others(now, w, nil)
}

// idle reports whether nothing of a run is under way and nothing can be handed out.
func (c *Coordinator) idle(t *task) bool {
	if t.running > 0 {
		return false
	}
	for index := t.folded; index < min(t.fold.Ready(), t.Jobs); index++ {
		if t.wants(index) {
			return false
		}
	}
	return true
}
