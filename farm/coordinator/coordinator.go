package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
)

// Config says how to coordinate.
type Config struct {
	Store Store
	Open  run.Opener
	Times link.Times
	Log   *slog.Logger // nil for none

	// Alone says that the only worker is one in this process: there is no need to wait
	// for others.
	Alone bool

	// Keep is how long a run that is over is kept; 0 for ever.
	Keep time.Duration
}

// Coordinator distributes the jobs of all open runs. It is used by one goroutine.
type Coordinator struct {
	Config
	log     *slog.Logger
	began   time.Time
	tasks   map[string]*task // by run
	ended   []link.End
	bans    []link.Ban
	workers map[string]*worker
	leases  map[string]*lease // by the name of the job
	waiting []question
	full    string    // why nothing is handed out, "" if it is
	looked  time.Time // at what changes seldom
	swept   time.Time // when runs were last forgotten
	limit   int64     // bytes that the streams may take, 0 for no bound
}

// task is a run that is open.
type task struct {
	link.Open
	*reader
	since    time.Time // known to this coordinator
	fresh    bool      // it had no results then
	next     int       // jobs below it have been handed out once
	more     []int     // of them, those that may need another copy
	running  int       // leases
	credit   float64   // seconds of work that it may still be given
	failures map[int]*failure
	dead     map[int]string // jobs that were given up
	version  string         // why no worker takes part, "" where some may
	stand    link.Stand     // as last written
	wrote    time.Time      // when
	marks    []mark         // of its progress
	err      error          // of the last look
}

// mark is how much was folded at a time.
type mark struct {
	at     time.Time
	folded int
}

// worker is one that was heard of lately.
type worker struct {
	link.Alive
	id    string
	heard time.Time
	since time.Time
	note  string            // why it has no job
	rests map[string]rest   // from runs, by id
	has   map[string]*lease // by the name of the job
	drain bool              // it is to leave
}

// lease is a job that a worker has.
type lease struct {
	job       run.Job
	worker    string
	boot      string
	since     time.Time
	heard     time.Time
	charged   float64 // seconds, to the run
	delivered bool    // its result is stored, and will be read
}

// question is a worker that waits for a job.
type question struct {
	worker string
	ask    link.Ask
	until  time.Time
	answer func(any)
}

// New returns a coordinator that knows nothing yet.
func New(c Config, now time.Time) *Coordinator {
	log := c.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Coordinator{Config: c, log: log, began: now, tasks: map[string]*task{}, workers: map[string]*worker{}, leases: map[string]*lease{}}
}

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
		w = &worker{id: id, since: now, rests: map[string]rest{}, has: map[string]*lease{}}
		c.workers[id] = w
	}
	if w.Boot != m.Boot {
		// It was killed with what it had.
		for _, l := range w.has {
			c.silent(now, l)
		}
	}
	w.Machine, w.heard = m, now
	return w
}

// alive notes which jobs a worker has. Those that the coordinator does not know, since it
// was started later, it knows from now on; those that the worker does not have were lost on
// the way.
func (c *Coordinator) alive(now time.Time, id string, a link.Alive) {
	w := c.hear(now, id, a.Machine)
	w.Alive = a
	running := map[string]bool{}
	for _, name := range a.Running {
		running[name] = true
		if l := c.leases[name]; l != nil && l.worker == id {
			l.heard = now
			continue
		}
		if j, ok := jobOf("res." + name); ok && c.leases[name] == nil {
			if t := c.tasks[j.Run]; t != nil && j.Index >= 0 && j.Index < len(t.slots) && j.K >= 0 && j.K < run.VerdictCopy {
				c.lease(now, t, w, j)
			}
		}
	}
	for name, l := range w.has {
		if !running[name] && now.Sub(l.since) > 2*c.Times.Alive {
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
	l := &lease{job: j, worker: w.id, boot: w.Boot, since: now, heard: now, charged: t.estimate()}
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
	t.queue(l.job.Index)
}

// forget forgets that a worker has a job.
func (c *Coordinator) forget(l *lease) {
	delete(c.leases, l.job.Name())
	if w := c.workers[l.worker]; w != nil {
		delete(w.has, l.job.Name())
	}
}

// Look reads what has come, ends runs that are done, and answers who waits. It is called
// every Times.Poll. An error says that the store did not answer; the next call tries
// again.
func (c *Coordinator) Look(ctx context.Context, now time.Time) error {
	var err error
	if seldom := max(c.Times.Poll, c.Times.Alive/10); now.Sub(c.looked) >= seldom || c.looked.IsZero() {
		if err = c.records(ctx, now); err == nil {
			c.looked = now
		}
	}
	for _, l := range c.leases {
		if now.Sub(l.heard) > c.Times.AckWait {
			c.silent(now, l)
		}
	}
	for id, w := range c.workers {
		if now.Sub(w.heard) > max(10*c.Times.Alive, 2*c.Times.AckWait) {
			c.leave(id)
		}
	}
	for _, t := range c.ordered() {
		if t.err = c.work(ctx, now, t); t.err != nil {
			err = errors.Join(err, fmt.Errorf("run %s: %w", t.Name, t.err))
		}
	}
	c.serve(now)
	return err
}

// ordered returns the tasks in a fixed order.
func (c *Coordinator) ordered() []*task {
	var all []*task
	for _, t := range c.tasks {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *task) int {
		if d := a.Began.Compare(b.Began); d != 0 {
			return d
		}
		return slices.Compare([]byte(a.id), []byte(b.id))
	})
	return all
}

// records reads what operators have said: runs, bans, drains, and how much space there is.
func (c *Coordinator) records(ctx context.Context, now time.Time) (err error) {
	if c.bans, err = c.Store.Bans(ctx); err != nil {
		return err
	}
	if c.ended, err = c.Store.EndedRuns(ctx); err != nil {
		return err
	}
	open, err := c.Store.OpenRuns(ctx)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, o := range open {
		seen[o.Run] = true
		if at := slices.IndexFunc(c.ended, func(e link.End) bool { return e.Run == o.Run }); at >= 0 {
			// Whoever ended it was killed before it was off the list.
			err = errors.Join(err, c.Store.PutEnd(ctx, c.ended[at]))
			seen[o.Run] = false
			continue
		}
		err = errors.Join(err, c.opened(ctx, now, o))
	}
	for id := range c.tasks {
		if !seen[id] {
			c.close(id)
		}
	}
	return errors.Join(err, c.drain(ctx), c.space(ctx), c.sweep(ctx, now))
}

// opened takes a run on, or what its operator has changed.
func (c *Coordinator) opened(ctx context.Context, now time.Time, o link.Open) error {
	if t := c.tasks[o.Run]; t != nil {
		t.Open = o
		t.setBans(c.bans)
		if err := t.whole(ctx, c.Store); err != nil {
			return err
		}
		kept, err := c.Store.Kept(ctx, o.Run)
		t.setKept(kept)
		return err
	}
	m, err := c.Store.Manifest(ctx, o.Run)
	if err != nil {
		return err
	}
	plan, err := c.Config.Open(m)
	if err != nil {
		return c.Store.PutEnd(ctx, endOf(&task{Open: o, reader: &reader{}}, now, "the coordinator cannot take it on: "+err.Error()))
	}
	t := &task{Open: o, reader: newReader(m, plan, c.log), since: now, failures: map[int]*failure{}}
	t.bans = c.bans
	if t.dead, err = c.Store.GivenUp(ctx, o.Run); err != nil {
		return err
	}
	if err := t.read(ctx, c.Store); err != nil {
		return err
	}
	t.fresh = t.results == 0
	c.tasks[o.Run] = t
	c.log.Info("takes a run on", "run", t.Name, "jobs", t.Jobs, "folded", t.folded)
	return nil
}

// close drops a run that is open no more.
func (c *Coordinator) close(id string) {
	for _, l := range c.leases {
		if l.job.Run == id {
			c.forget(l)
		}
	}
	delete(c.tasks, id)
}

// drain forgets the orders to workers that have left.
func (c *Coordinator) drain(ctx context.Context) error {
	names, err := c.Store.Drains(ctx)
	for _, w := range c.workers {
		w.drain = slices.ContainsFunc(names, func(name string) bool { return link.Covers(name, w.id) })
	}
	for _, name := range names {
		here := false
		for id := range c.workers {
			here = here || link.Covers(name, id)
		}
		if !here {
			err = errors.Join(err, c.Store.Drained(ctx, name))
		}
	}
	return err
}

// space finds out whether there is space for results.
func (c *Coordinator) space(ctx context.Context) error {
	used, limit, err := c.Store.Space(ctx)
	if err != nil {
		return err
	}
	full := ""
	if c.limit = limit; limit > 0 && used > limit-limit/10 {
		full = fmt.Sprintf("the store is full: %d of %d MiB are used; work goes on when there is space", used>>20, limit>>20)
	}
	if full != "" && c.full == "" {
		c.log.Error(full)
	}
	c.full = full
	return nil
}

// sweep forgets runs that were over long ago.
func (c *Coordinator) sweep(ctx context.Context, now time.Time) error {
	if c.Keep == 0 || now.Sub(c.swept) < time.Minute {
		return nil
	}
	c.swept = now
	for _, e := range c.ended {
		if now.Sub(e.At) > c.Keep {
			c.log.Info("forgets a run", "run", e.Name, "ended", e.At)
			if err := c.Store.Forget(ctx, e.Run); err != nil {
				return err
			}
		}
	}
	return nil
}

// work reads what has come of a run and ends it if it is done.
func (c *Coordinator) work(ctx context.Context, now time.Time, t *task) error {
	if err := t.read(ctx, c.Store); err != nil {
		return err
	}
	if t.again { // which jobs were handed out is known by their leases alone
		t.again, t.next, t.more = false, 0, nil
	}
	for _, r := range t.touched {
		c.reported(t, r)
	}
	t.touched = nil
	if err := c.bury(ctx, t); err != nil {
		return err
	}
	failed := ""
	switch _, dead := t.dead[t.folded]; {
	case t.failed != nil:
		failed = t.failed.Error()
	case dead && !t.fold.Done() && (c.idle(t) || t.results == 0): // nobody can do any, or the others are done
		failed = fmt.Sprintf("%d jobs were given up, the first is %d: %s", len(t.dead), t.folded, t.dead[t.folded])
	}
	if failed != "" || t.fold.Done() {
		if err := c.Store.PutEnd(ctx, endOf(t, now, failed)); err != nil {
			return err
		}
		c.log.Info("a run is over", "run", t.Name, "text", t.fold.Text(), "failed", failed)
		c.close(t.id)
		return nil
	}
	return c.post(ctx, now, t)
}

// reported releases the lease of a copy whose result has come.
func (c *Coordinator) reported(t *task, r report) {
	if l := c.leases[run.Job{Run: t.id, Index: r.index, K: r.k}.Name()]; l != nil {
		t.credit += l.charged - r.took
		if w := c.workers[l.worker]; w != nil {
			delete(w.rests, t.id)
		}
		c.release(l)
	}
	delete(t.failures, r.index)
	t.queue(r.index)
}

// endOf returns the record of a run's end.
func endOf(t *task, now time.Time, failed string) link.End {
	e := link.End{
		Run: t.Run, Name: t.Name, Owner: t.Owner, Kind: t.Kind, Jobs: t.Jobs, Failed: failed, At: now,
		Folded: t.folded, Took: t.took,
	}
	if t.fold != nil {
		e.Text = t.fold.Text()
	}
	return e
}

// post writes where a run stands, not too often.
func (c *Coordinator) post(ctx context.Context, now time.Time, t *task) error {
	if now.Sub(t.wrote) < c.Times.Alive/2 {
		return nil
	}
	t.wrote = now
	t.marks = append(t.marks, mark{now, t.folded})
	if len(t.marks) > 60 {
		t.marks = slices.Delete(t.marks, 1, 2)
		t.marks = slices.DeleteFunc(t.marks, func(m mark) bool { return now.Sub(m.at) > 200*c.Times.Alive })
	}
	stand := link.Stand{Run: t.id, Folded: t.folded, Left: math.Round(t.left(now)), Text: t.fold.Text(), Held: c.held(t)}
	if stand == t.stand {
		return nil
	}
	t.stand = stand
	return c.Store.PutStand(ctx, stand)
}

// left returns the seconds until all jobs are folded at the present speed, 0 where
// nothing is known.
func (t *task) left(now time.Time) float64 {
	if len(t.marks) == 0 || t.folded <= t.marks[0].folded {
		return 0
	}
	first := t.marks[0]
	return now.Sub(first.at).Seconds() / float64(t.folded-first.folded) * float64(t.Jobs-t.folded)
}

// held returns why a run does not go on, "" where it does.
func (c *Coordinator) held(t *task) string {
	switch {
	case t.dispute != nil:
		return t.dispute.String() + "; the command that started the run decides it, given again"
	case t.Paused:
		return "paused"
	case c.full != "":
		return c.full
	case c.limit > 0 && t.stored > c.limit/2:
		return fmt.Sprintf("its files take %d MiB, half of the store; it goes on when its owner has fetched them", t.stored>>20)
	case t.version != "":
		return t.version
	}
	return ""
}
