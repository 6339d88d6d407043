package coordinator

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Take takes a message of a worker, and answers it at once or later.
func (c *Coordinator) Take(now time.Time, m link.Incoming) {
	switch m.What {
	case "ask":
		var a link.Ask
		if c.decode(m, &a) {
			c.ask(now, m.From, a, m.Answer)
		}
	case "alive":
		var a link.Alive
		if c.decode(m, &a) {
			c.alive(now, m.From, a)
		}
	case "back":
		var b link.Back
		if c.decode(m, &b) {
			c.back(now, m.From, b)
		}
	case "view":
		m.Answer(c.View(now))
	}
}

func (c *Coordinator) decode(m link.Incoming, v any) bool {
	err := json.Unmarshal(m.Data, v)
	if err != nil {
		c.log.Warn("a message that cannot be read", "what", m.What, "from", m.From, "error", err)
	}
	return err == nil
}

// hear notes what a worker tells of itself.
func (c *Coordinator) hear(now time.Time, id string, m link.Machine) *worker {
	w := c.workers[id]
	if w == nil {
		w = &worker{id: id, since: now, rests: map[string]time.Time{}, has: map[string]*lease{}}
		c.workers[id] = w
	}
	if w.Boot != m.Boot {
		// It was killed with what it had.
		for _, l := range w.has {
			c.silent(l)
		}
	}
	w.Machine, w.heard = m, now
	return w
}

// alive notes which jobs a worker has. Those that it does not have were lost on the way.
func (c *Coordinator) alive(now time.Time, id string, a link.Alive) {
	w := c.hear(now, id, a.Machine)
	w.Alive = a
	running := map[string]bool{}
	for _, name := range a.Running {
		running[name] = true
		if l := c.leases[name]; l != nil && l.worker == id {
			l.heard = now
		}
	}
	for name, l := range w.has {
		if !running[name] && now.Sub(l.heard) > 2*c.Times.Alive { // no sooner: its result may be there, unread
			c.release(l)
		}
	}
	if a.Leaving {
		c.leave(id)
	}
}

// leave forgets a worker that has left in good order.
func (c *Coordinator) leave(id string) {
	for _, l := range c.workers[id].has {
		c.release(l)
	}
	delete(c.workers, id)
	c.waiting = slices.DeleteFunc(c.waiting, func(q question) bool { return q.worker == id })
}

// back takes a job back. Only a reason makes it a failure.
func (c *Coordinator) back(now time.Time, id string, b link.Back) {
	l := c.leases[b.Job.Name()]
	if l == nil || l.worker != id {
		return
	}
	if b.Why != "" {
		c.fail(now, l, b.Why)
	}
	c.release(l)
}

// lease gives a job to a worker.
func (c *Coordinator) lease(now time.Time, t *task, w *worker, j run.Job) {
	l := &lease{job: j, worker: w.id, heard: now, charged: t.estimate()}
	c.leases[j.Name()], w.has[j.Name()] = l, l
	t.running++
	t.slots[j.Index].leased |= 1 << j.K
	t.credit -= l.charged
}

// release takes a job from a worker.
func (c *Coordinator) release(l *lease) {
	c.forget(l)
	t := c.tasks[l.job.Run]
	if t == nil {
		return
	}
	t.running--
	s := &t.slots[l.job.Index]
	s.leased &^= 1 << l.job.K
	if s.taken&(1<<l.job.K) == 0 { // no result: it was not done
		t.credit += l.charged
	}
	t.next = min(t.next, l.job.Index)
}

// forget forgets that a worker has a job.
func (c *Coordinator) forget(l *lease) {
	delete(c.leases, l.job.Name())
	if w := c.workers[l.worker]; w != nil {
		delete(w.has, l.job.Name())
	}
}
