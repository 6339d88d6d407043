// Package work is a worker: it asks a hub for jobs, does them, and reports what they come to.
//
// A worker keeps nothing on its disk but the engines that it has built: a kill costs the jobs under
// way. While the hub is away it goes on with them and reports them later.
package work

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Config says how to work.
type Config struct {
	Conn    *run.Conn
	Machine run.Machine // what the worker tells of itself; Run sets Protocol, Uptime, Done and Failed
	Open    run.Opener
	Times   run.Times
	Log     *slog.Logger
}

// worker is one that is at work.
type worker struct {
	Config
	name  string // distinguishes machines with one key
	began time.Time
	end   context.CancelCauseFunc
	leave context.CancelFunc // ends it when the jobs under way are done

	mu      sync.Mutex
	plans   map[string]*run.Plan
	running map[string]*job // by token, also those that are reported
	busy    int             // jobs that are computed
	note    string
	free    chan struct{} // wakes the loop that asks when a core is free
}

// job is one that is under way.
type job struct {
	run.Lease
	ctx    context.Context
	cancel context.CancelFunc
}

// Run works until ctx ends, which gives the jobs under way back, the operator drains the worker,
// which is no error, or the farm refuses it.
func Run(ctx context.Context, c Config) error {
	c.Machine.Protocol = run.Protocol
	w := &worker{
		Config: c, name: rand.Text()[:12], began: time.Now(), plans: map[string]*run.Plan{}, running: map[string]*job{}, free: make(chan struct{}, 1),
	}
	ctx, w.end = context.WithCancelCause(ctx)
	defer w.end(nil)
	asking, leave := context.WithCancel(ctx)
	defer leave()
	w.leave = leave
	var jobs sync.WaitGroup
	for asking.Err() == nil {
		w.ask(ctx, asking, &jobs)
	}
	drained := make(chan struct{})
	go func() { jobs.Wait(); close(drained) }()
	for done := ctx.Err() != nil; !done; { // a worker that is drained lives until its jobs are done
		select {
		case <-drained:
			done = true
		case <-time.After(c.Times.Hold):
			w.tell(ctx, 0, false)
		}
	}
	// What is under way is given back before it is cancelled, or it would be reported.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	w.tell(last, 0, true)
	cause := context.Cause(ctx)
	w.end(nil)
	<-drained
	return cause
}

// tell says that the worker lives and what it does, and asks for jobs.
func (w *worker) tell(ctx context.Context, want int, leaving bool) (jobs []run.Lease) {
	w.mu.Lock()
	m := w.Machine
	m.Uptime = time.Since(w.began).Seconds()
	text, err := json.Marshal(run.Ask{Machine: m, Want: want, Tokens: slices.Collect(maps.Keys(w.running)), Leaving: leaving})
	w.mu.Unlock()
	var a run.Answer
	if err == nil {
		a, err = w.Conn.Tell(ctx, w.name, "ask", "", text, w.Times.Hold+10*time.Second)
	}
	w.obey(&a)
	if err != nil && ctx.Err() == nil {
		w.Conn.Warn(err)
		select {
		case <-ctx.Done():
		case <-time.After(w.Times.Hold / 10):
		}
	}
	return a.Jobs
}

// obey does what an answer says beside what was asked.
func (w *worker) obey(a *run.Answer) {
	if a.Refused != "" {
		w.end(errors.New(a.Refused))
	}
	if a.Leave {
		w.Log.Info("drained: ends when its jobs are done")
		w.leave()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, token := range a.Stop {
		if j := w.running[token]; j != nil {
			j.cancel()
		}
	}
	if a.Note != w.note {
		if w.note = a.Note; a.Note != "" {
			w.Log.Info("the hub says", "note", a.Note)
		}
	}
}

// ask asks for as many jobs as there are free cores, and starts them. Where there is none it only
// tells that it lives, and waits for one.
func (w *worker) ask(ctx, asking context.Context, jobs *sync.WaitGroup) {
	w.mu.Lock()
	want := w.Machine.Cores - w.busy
	w.mu.Unlock()
	for _, l := range w.tell(asking, want, false) {
		j := &job{Lease: l}
		j.ctx, j.cancel = context.WithCancel(ctx)
		w.mu.Lock()
		w.running[l.Token] = j
		w.busy++
		w.mu.Unlock()
		jobs.Go(func() {
			w.do(j)
			j.cancel()
			w.mu.Lock()
			delete(w.running, l.Token)
			w.mu.Unlock()
		})
	}
	w.mu.Lock()
	full := w.busy >= w.Machine.Cores
	w.mu.Unlock()
	if full {
		select {
		case <-w.free:
		case <-time.After(w.Times.Hold):
		case <-asking.Done():
		}
	}
	select {
	case <-w.Conn.Closed():
		w.end(w.Conn.Err())
	default:
	}
}

// do does a job and reports what it comes to, however long that takes. A job of a run that is
// over, or of a worker that ends, is not reported.
func (w *worker) do(j *job) {
	began := time.Now()
	verb := "report"
	message, err := w.compute(j, began)
	w.mu.Lock()
	w.busy--
	if len(w.free) == 0 { // the next job begins while this one is reported
		w.free <- struct{}{}
	}
	if err != nil && j.ctx.Err() == nil {
		verb, message = "fail", []byte(err.Error())
		w.Machine.Failed = fmt.Sprintf("run %s, job %d: %v", j.Job.Run[:8], j.Job.Index, err)
		w.Log.Error("a job failed", "run", j.Job.Run[:8], "job", j.Job.Index, "error", err)
	}
	w.mu.Unlock()
	if j.ctx.Err() != nil {
		return
	}
	err = w.Conn.Retry(j.ctx, run.Forever, func(ctx context.Context) error {
		a, err := w.Conn.Tell(ctx, w.name, verb, j.Token, message, w.Times.AckWait)
		w.obey(&a)
		return err
	})
	if err == nil && verb == "report" {
		w.mu.Lock()
		w.Machine.Done++
		w.mu.Unlock()
	}
}

// compute does a job and returns its result as a message.
func (w *worker) compute(j *job, began time.Time) ([]byte, error) {
	m, err := run.ParseManifest(j.Job.Run, j.Manifest)
	if err != nil {
		return nil, err
	}
	p, err := w.plan(m)
	if err != nil {
		return nil, err
	}
	data, units, err := p.Work(j.ctx, j.Job, inputs{w, j})
	if err == nil && len(data) > run.MaxData {
		err = fmt.Errorf("it comes to %d bytes, more than %d: smaller jobs are needed", len(data), run.MaxData)
	}
	if err != nil {
		return nil, err
	}
	r := run.NewResult(m, j.Job, data, units, time.Since(began).Seconds())
	r.Key, r.Machine, r.Host = w.Conn.Key, w.name, w.Machine.Host
	return run.Seal(r, w.Conn.Sign)
}

// plan returns the plan of a run.
func (w *worker) plan(m *run.Manifest) (*run.Plan, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.plans[m.ID()]
	if p == nil {
		var err error
		if p, err = w.Open(m); err != nil {
			return nil, err
		}
		if len(w.plans) >= 16 {
			clear(w.plans) // they hold networks and hash tables
		}
		w.plans[m.ID()] = p
	}
	return p, nil
}

// inputs reads the inputs of a job's run.
type inputs struct {
	*worker
	*job
}

// Get implements [run.Inputs].
func (in inputs) Get(ctx context.Context, sum string) (data []byte, err error) {
	for size := 1; len(data) < size; {
		text, err := json.Marshal(run.Fetch{Sum: sum, From: len(data)})
		if err != nil {
			return nil, err
		}
		err = in.Conn.Retry(ctx, run.Forever, func(ctx context.Context) error {
			a, err := in.Conn.Tell(ctx, in.name, "input", in.Token, text, 30*time.Second)
			in.obey(&a)
			data, size = append(data, a.Data...), a.Size
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if run.Sum(data) != sum {
		err = fmt.Errorf("input %.12s was altered on its way", sum)
	}
	return data, err
}
