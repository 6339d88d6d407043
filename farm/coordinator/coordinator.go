package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
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
	limit   int64     // bytes that the streams may take, 0 for no bound
}

// task is a run that is open.
type task struct {
	link.Open
	*reader
	since    time.Time // known to this coordinator
	next     int       // jobs below it need no copy
	running  int       // leases
	credit   float64   // seconds of work that it may still be given
	failures map[int]*failure
	dead     map[int]string // jobs that this coordinator has given up; another one tries them again
	before   int            // jobs that were folded by since
}

// worker is one that was heard of lately.
type worker struct {
	link.Alive
	id    string
	heard time.Time
	since time.Time
	note  string               // why it has no job
	rests map[string]time.Time // from runs, by id: until when
	has   map[string]*lease    // by the name of the job
}

// lease is a job that a worker has.
type lease struct {
	job       run.Job
	worker    string
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
			c.silent(l)
		}
	}
	for id, w := range c.workers {
		if now.Sub(w.heard) > max(10*c.Times.Alive, 2*c.Times.AckWait) {
			c.leave(id)
		}
	}
	for _, t := range c.ordered() {
		if bad := c.work(ctx, now, t); bad != nil {
			err = errors.Join(err, fmt.Errorf("run %s: %w", t.Name, bad))
		}
	}
	c.serve(now)
	return err
}

// ordered returns the tasks in a fixed order.
func (c *Coordinator) ordered() []*task {
	return slices.SortedFunc(maps.Values(c.tasks), func(a, b *task) int {
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.id, b.id))
	})
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
			// Jobs may have been handed out since it was ended: their workers hear of it now.
			err = errors.Join(err, c.Store.CloseRun(ctx, id))
			c.close(id)
		}
	}
	return errors.Join(err, c.space(ctx), c.sweep(ctx, now))
}

// opened takes a run on, or what its operator has changed.
func (c *Coordinator) opened(ctx context.Context, now time.Time, o link.Open) error {
	if t := c.tasks[o.Run]; t != nil {
		t.Open = o
		t.setBans(c.bans)
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
	t := &task{Open: o, reader: newReader(m, plan, c.log), since: now, failures: map[int]*failure{}, dead: map[int]string{}}
	t.bans = c.bans
	if err := t.read(ctx, c.Store); err != nil {
		return err
	}
	t.before = t.folded
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
	for _, e := range c.ended {
		if c.Keep > 0 && now.Sub(e.At) > c.Keep {
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
		t.again, t.next = false, 0
	}
	for _, r := range t.touched {
		c.reported(t, r)
	}
	t.touched = nil
	c.bury(t)
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
	}
	return nil
}

// reported releases the lease of a copy whose result has come.
func (c *Coordinator) reported(t *task, r report) {
	if l := c.leases[run.Job{Run: t.id, Index: r.index, K: r.k}.Name()]; l != nil {
		t.credit += l.charged - r.took
		c.release(l)
	}
	delete(t.failures, r.index)
	t.next = min(t.next, r.index)
}

// endOf returns the record of a run's end.
func endOf(t *task, now time.Time, failed string) link.End {
	e := link.End{Open: t.Open, Failed: failed, At: now, Folded: t.folded, Took: t.took}
	if t.fold != nil {
		e.Text = t.fold.Text()
	}
	return e
}

// left returns the seconds until all jobs are folded at the speed so far, 0 where nothing is
// known.
func (t *task) left(now time.Time) float64 {
	if t.folded <= t.before {
		return 0
	}
	return math.Round(now.Sub(t.since).Seconds() / float64(t.folded-t.before) * float64(t.Jobs-t.folded))
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
	}
	return ""
}
