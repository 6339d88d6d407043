package work

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Config says how to work.
type Config struct {
	Conn    *link.Conn // opened with Home's machine
	Home    *Home
	Machine link.Machine // what the worker tells of itself; Run sets Protocol and Boot
	Open    run.Opener
	Times   link.Times
	Log     *slog.Logger // nil for none

	// Free, if not nil, reports whether a core is free for games by the clock while running
	// jobs are under way.
	Free func(running int) bool
}

// worker is one that is at work.
type worker struct {
	Config
	spool string // folder
	log   *slog.Logger

	mu      sync.Mutex
	plans   map[string]*plan
	running map[string]*job // by name
	done    int
	spooled int
	failed  string
	note    string
}

// plan is a run whose manifest the worker has.
type plan struct {
	once sync.Once
	run.Plan
	err error
}

// job is one that is under way.
type job struct {
	run.Job
	cancel context.CancelFunc
}

// Run works until ctx ends, which gives the jobs under way back, the operator drains the
// worker, which is no error, or the farm refuses it.
func Run(ctx context.Context, c Config) error {
	c.Machine.Protocol, c.Machine.Boot = link.Protocol, rand.Text()
	w := &worker{Config: c, log: c.Log, plans: map[string]*plan{}, running: map[string]*job{}}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	if err := w.openSpool(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	over, err := c.Conn.NC.Subscribe("over.*", func(m *nats.Msg) { w.over(strings.TrimPrefix(m.Subject, "over.")) })
	if err != nil {
		return err
	}
	defer func() { _ = over.Unsubscribe() }()
	asking, leave := context.WithCancel(ctx)
	defer leave()
	leaves, err := c.Conn.NC.Subscribe("leave.>", func(m *nats.Msg) {
		if link.Covers(strings.TrimPrefix(m.Subject, "leave."), c.Conn.Worker()) {
			leave()
		}
	})
	if err != nil {
		return err
	}
	defer func() { _ = leaves.Unsubscribe() }()
	var watch sync.WaitGroup
	watch.Go(func() { w.lookout(ctx, cancel) })
	defer func() { cancel(nil); watch.Wait() }()
	if err := w.flush(ctx); err != nil {
		return err
	}
	var cores sync.WaitGroup
	for n := range c.Machine.Cores {
		s, err := openSlot(w.spool, n)
		if err != nil {
			cancel(err)
			break
		}
		cores.Go(func() {
			w.core(ctx, asking, cancel, s)
			s.file.Close()
		})
	}
	cores.Wait()
	w.tell(true)
	_ = c.Conn.NC.FlushTimeout(time.Second)
	switch cause := context.Cause(ctx); {
	case cause == nil:
		w.log.Info("leaves, as the operator wants")
		return nil
	case !errors.Is(cause, context.Canceled):
		return cause
	}
	return ctx.Err()
}

// openSpool asks which farm this is, until it is known.
func (w *worker) openSpool(ctx context.Context) (err error) {
	farm := ""
	err = w.Conn.Insist(ctx, link.Forever, func(ctx context.Context) (err error) {
		farm, err = w.Conn.FarmID(ctx)
		return err
	})
	if err == nil {
		w.spool, err = spoolDir(w.Home.Dir, farm)
	}
	return err
}

// over cancels the jobs of a run that has ended.
func (w *worker) over(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.plans, id)
	for _, j := range w.running {
		if j.Run == id {
			j.cancel()
		}
	}
}

// lookout says that the worker lives, until ctx ends. It cancels where there is no use in
// going on.
func (w *worker) lookout(ctx context.Context, cancel context.CancelCauseFunc) {
	every := time.NewTicker(w.Times.Alive)
	defer every.Stop()
	for {
		w.tell(false)
		select {
		case <-ctx.Done():
			return
		case <-w.Conn.Closed():
			cancel(w.Conn.Err())
			return
		case <-every.C:
		}
	}
}

// tell says that the worker lives and what it does.
func (w *worker) tell(leaving bool) {
	w.mu.Lock()
	a := link.Alive{
		Machine: w.Machine, Done: w.done, Spool: w.spooled, Failed: w.failed, Leaving: leaving,
		Running: slices.Sorted(maps.Keys(w.running)),
	}
	w.mu.Unlock()
	w.Conn.Tell("alive", &a)
}

// flush publishes what an earlier run of the worker has left in the spool.
func (w *worker) flush(ctx context.Context) error {
	return left(w.spool, func(r spooled) error {
		w.log.Info("publishes a result from the spool", "run", r.Job.Run[:8], "job", r.Job.Index)
		return w.deliver(ctx, r)
	})
}

// core does job after job until asking ends, because ctx did or the operator wants the worker
// to leave.
func (w *worker) core(ctx, asking context.Context, cancel context.CancelCauseFunc, s slot) {
	delivered := ""
	for asking.Err() == nil {
		w.mu.Lock()
		running := len(w.running)
		w.mu.Unlock()
		a := link.Ask{Machine: w.Machine, Timed: w.Free == nil || w.Free(running), Delivered: delivered}
		delivered = ""
		answer, err := w.Conn.AskJob(asking, &a)
		switch {
		case err != nil && asking.Err() == nil:
			w.Conn.Say(err)
			select {
			case <-asking.Done():
			case <-time.After(w.Times.Alive / 20):
			}
		case err != nil:
		case answer.Refused != "":
			cancel(errors.New(answer.Refused))
		case answer.Job != nil:
			if w.do(ctx, *answer.Job, s) {
				delivered = answer.Job.Name()
			}
		default:
			w.noted(answer.Note)
		}
	}
}

// noted logs why there are no jobs, the same once.
func (w *worker) noted(note string) {
	w.mu.Lock()
	fresh := note != w.note
	w.note = note
	w.mu.Unlock()
	if fresh && note != "" {
		w.log.Info("has nothing to do", "why", note)
	}
}

// do does a job and reports whether the farm has its result.
func (w *worker) do(parent context.Context, j run.Job, s slot) bool {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	w.mu.Lock()
	w.running[j.Name()] = &job{j, cancel}
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.running, j.Name())
		w.mu.Unlock()
	}()
	began := time.Now()
	p, err := w.plan(ctx, j.Run)
	var out run.Output
	if err == nil {
		out, err = p.Work(ctx, j, w.Conn.Inputs(j.Run))
	}
	var r spooled
	if err == nil {
		r, err = w.result(j, &out, time.Since(began))
	}
	if err == nil {
		err = s.put(r)
	}
	if err != nil {
		w.giveBack(ctx, j, err)
		return false
	}
	w.count(&w.spooled, 1)
	if err := w.deliver(parent, r); err != nil {
		return false // the spool has it; the next start goes on
	}
	if err := s.clear(); err != nil {
		w.log.Error("the spool", "error", err)
	}
	w.count(&w.spooled, -1)
	w.count(&w.done, 1)
	return true
}

func (w *worker) count(n *int, by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*n += by
}

// plan returns the plan of a run.
func (w *worker) plan(ctx context.Context, id string) (run.Plan, error) {
	w.mu.Lock()
	p := w.plans[id]
	if p == nil {
		p = new(plan)
		w.plans[id] = p
	}
	w.mu.Unlock()
	p.once.Do(func() {
		var m *run.Manifest
		if m, p.err = w.Conn.Manifest(ctx, id); p.err == nil {
			p.Plan, p.err = w.Open(m)
		}
		if p.err != nil {
			w.mu.Lock()
			delete(w.plans, id) // the next job tries again
			w.mu.Unlock()
		}
	})
	return p.Plan, p.err
}

// giveBack gives a job back: one that could not be done, or, at the end of the worker or
// of the run, one that was not.
func (w *worker) giveBack(ctx context.Context, j run.Job, err error) {
	b := link.Back{Boot: w.Machine.Boot, Job: run.Job{Run: j.Run, Index: j.Index, K: j.K}}
	if ctx.Err() == nil {
		b.Why = err.Error()
		w.log.Error("a job failed", "run", j.Run[:8], "job", j.Index, "error", err)
		w.mu.Lock()
		w.failed = fmt.Sprintf("run %s, job %d: %v", j.Run[:8], j.Index, err)
		w.mu.Unlock()
	}
	w.Conn.Tell("back", &b)
}

// result makes and signs what the worker reports.
func (w *worker) result(j run.Job, out *run.Output, took time.Duration) (s spooled, err error) {
	r := run.NewResult(j, out, took.Seconds())
	r.Worker, r.Host, r.Commit, r.Path = w.Conn.Worker(), w.Machine.Host, w.Machine.Commit, w.Machine.Path
	for _, a := range r.Files {
		if a.Size > run.MaxArtefact {
			return s, fmt.Errorf("a file of %d bytes, more than %d", a.Size, run.MaxArtefact)
		}
	}
	message, err := run.Seal(r, w.Conn.Sign)
	// One that the hub never takes would wait in the spool for ever.
	if most := w.Conn.NC.MaxPayload(); err == nil && most > 0 && int64(len(message)) > most {
		err = fmt.Errorf("a result of %d bytes, more than %d", len(message), most)
	}
	return spooled{run.Job{Run: j.Run, Index: j.Index, K: j.K}, message, out.Files}, err
}

// deliver brings a result to the farm, however long that takes.
func (w *worker) deliver(ctx context.Context, r spooled) error {
	return w.Conn.Insist(ctx, link.Forever, func(ctx context.Context) error { return w.publish(ctx, r) })
}

// publish publishes the files and then the result. A result that is there already stays.
func (w *worker) publish(ctx context.Context, r spooled) error {
	for _, data := range r.Files {
		if err := w.Conn.PutArtefact(ctx, r.Job.Run, data); err != nil {
			return err
		}
	}
	_, err := w.Conn.First(ctx, r.Job.Subject(), r.Message)
	return err
}
