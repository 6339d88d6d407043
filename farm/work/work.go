// Package work is a worker: it asks a hub for jobs, does them, and reports what they come to.
//
// A worker keeps nothing on its disk but its name and the engines that it has built: a kill
// costs the jobs under way. While the hub is away it goes on with them and reports them later.
package work

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Config says how to work.
type Config struct {
	Conn    *run.Conn
	Name    string      // tells machines with one key apart
	Machine run.Machine // what the worker tells of itself; Run sets Protocol, Boot and Uptime
	Open    run.Opener
	Times   run.Times
	Log     *slog.Logger // nil for none
	// Free, if not nil, reports whether a core is free for games by the clock while running
	// jobs are under way.
	Free func(running int) bool
}

// Name returns the name of a machine below dir that no other process has, and what to close
// when it is not needed any more.
func Name(dir string) (name string, lock files.File, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, err
	}
	for n := range 1024 {
		file := filepath.Join(dir, fmt.Sprintf("machine%d", n))
		if lock, err = files.OS().Update(file); errors.Is(err, files.ErrInUse) {
			continue
		} else if err != nil {
			return "", nil, err
		}
		text := make([]byte, 12)
		if _, err = lock.ReadAt(text, 0); err != nil {
			text = []byte(rand.Text()[:12])
			_, err = lock.WriteAt(text, 0)
		}
		return string(text), lock, err
	}
	return "", nil, fmt.Errorf("%s: 1024 workers use it already", dir)
}

// worker is one that is at work.
type worker struct {
	Config
	log   *slog.Logger
	began time.Time
	leave context.CancelFunc // takes no more jobs
	end   context.CancelCauseFunc

	mu      sync.Mutex
	plans   map[string]run.Plan
	running map[string]*job // by token, also those that are reported
	busy    int             // jobs that are computed
	done    int
	failed  string
	note    string
	free    chan struct{} // wakes the loop that asks when a core is free
}

// job is one that is under way.
type job struct {
	run.Lease
	ctx    context.Context
	cancel context.CancelFunc
}

// Run works until ctx ends, which gives the jobs under way back, the operator drains the
// worker, which is no error, or the farm refuses it.
func Run(ctx context.Context, c Config) error {
	c.Machine.Protocol, c.Machine.Boot = run.Protocol, rand.Text()
	w := &worker{Config: c, log: c.Log, began: time.Now(), plans: map[string]run.Plan{}, running: map[string]*job{}, free: make(chan struct{}, 1)}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	ctx, w.end = context.WithCancelCause(ctx)
	defer w.end(nil)
	asking, leave := context.WithCancel(ctx)
	defer leave()
	w.leave = leave
	var tells, jobs sync.WaitGroup
	tells.Go(func() { w.tell(ctx) })
	for asking.Err() == nil {
		w.ask(ctx, asking, &jobs)
	}
	if ctx.Err() != nil {
		// What is under way is given back before it is cancelled, or it would be reported.
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		_, _ = c.Conn.Tell(last, c.Name, "alive", w.alive(true), nil, 2*time.Second)
		cancel()
	}
	jobs.Wait()
	cause := context.Cause(ctx)
	if cause == nil {
		w.log.Info("drained: ends")
		last, cancel := context.WithTimeout(ctx, 2*time.Second)
		_, _ = c.Conn.Tell(last, c.Name, "alive", w.alive(true), nil, 2*time.Second)
		cancel()
	}
	w.end(nil)
	tells.Wait()
	return cause
}

// machine returns what the worker tells of itself.
func (w *worker) machine() run.Machine {
	m := w.Machine
	m.Uptime = time.Since(w.began).Seconds()
	return m
}

// alive returns what the worker says about itself and its jobs.
func (w *worker) alive(leaving bool) *run.Alive {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := &run.Alive{Worker: run.Worker{Machine: w.machine(), Done: w.done, Failed: w.failed}, Tokens: slices.Sorted(maps.Keys(w.running)), Leaving: leaving}
	for _, j := range w.running {
		a.Running = append(a.Running, j.Job.Name())
	}
	return a
}

// tell says that the worker lives, until ctx ends. It ends the worker where there is no use in
// going on.
func (w *worker) tell(ctx context.Context) {
	every := time.NewTicker(w.Times.Alive)
	defer every.Stop()
	for {
		if a, err := w.Conn.Tell(ctx, w.Name, "alive", w.alive(false), nil, w.Times.AckWait/2); err == nil {
			w.obey(&a)
		} else if ctx.Err() == nil {
			w.Conn.Warn(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-w.Conn.Closed():
			w.end(w.Conn.Err())
			return
		case <-every.C:
		}
	}
}

// obey does what an answer says beside what was asked.
func (w *worker) obey(a *run.Answer) {
	if a.Refused != "" {
		w.end(errors.New(a.Refused))
	}
	if a.Leave {
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
			w.log.Info("the hub says", "note", a.Note)
		}
	}
}

// ask waits for a free core, asks for as many jobs as there are free cores, and starts them.
func (w *worker) ask(ctx, asking context.Context, jobs *sync.WaitGroup) {
	w.mu.Lock()
	running := w.busy
	w.mu.Unlock()
	if running >= w.Machine.Cores {
		select {
		case <-w.free:
		case <-asking.Done():
		}
		return
	}
	a, err := w.Conn.Tell(asking, w.Name, "next", &run.Ask{Machine: w.machine(), Want: w.Machine.Cores - running, Timed: w.Free == nil || w.Free(running)}, nil, w.Times.Hold+10*time.Second)
	if err == nil && a.Error != "" {
		err = errors.New(a.Error)
	}
	if err != nil {
		if asking.Err() == nil {
			w.Conn.Warn(err)
			select {
			case <-asking.Done():
			case <-time.After(w.Times.Alive / 10):
			}
		}
		return
	}
	w.obey(&a)
	for _, l := range a.Jobs {
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
}

// do does a job and reports what it comes to, however long that takes. A job of a run that is
// over, or of a worker that ends, is not reported.
func (w *worker) do(j *job) {
	began := time.Now()
	report := run.Report{Token: j.Token}
	m, err := run.ParseManifest(j.Job.Run, j.Manifest)
	var p run.Plan
	if err == nil {
		p, err = w.plan(m)
	}
	var out run.Output
	if err == nil {
		out, err = p.Work(j.ctx, j.Job, inputs{w, j})
	}
	w.release()
	if err == nil && len(out.File) > run.MaxFile {
		err = fmt.Errorf("a file of %d bytes, more than %d: smaller jobs are needed", len(out.File), run.MaxFile)
	}
	if err == nil {
		r := run.NewResult(m, j.Job, &out, time.Since(began).Seconds())
		r.Key, r.Machine, r.Host, r.Commit, r.Path = w.Conn.Key, w.Name, w.Machine.Host, w.Machine.Commit, w.Machine.Path
		report.Result, err = run.Seal(r, w.Conn.Sign)
	}
	if j.ctx.Err() != nil {
		return
	}
	if err != nil {
		report.Failed = err.Error()
		w.log.Error("a job failed", "run", j.Job.Run[:8], "job", j.Job.Index, "error", err)
	}
	err = w.Conn.Retry(j.ctx, run.Forever, func(ctx context.Context) error {
		a, err := w.Conn.Tell(ctx, w.Name, "report", &report, out.File, w.Times.AckWait)
		if err == nil && a.Error != "" {
			err = errors.New(a.Error)
		}
		if err == nil {
			w.obey(&a)
		}
		return err
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case report.Failed != "":
		w.failed = fmt.Sprintf("run %s, job %d: %s", j.Job.Run[:8], j.Job.Index, report.Failed)
	case err == nil:
		w.done++
	}
}

// release frees the core of a job that is computed: the next one begins while it is reported.
func (w *worker) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy--
	select {
	case w.free <- struct{}{}:
	default:
	}
}

// plan returns the plan of a run.
func (w *worker) plan(m *run.Manifest) (run.Plan, error) {
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
	err = in.Conn.Retry(ctx, run.Forever, func(ctx context.Context) error {
		a, err := in.Conn.Tell(ctx, in.Name, "input", &run.Fetch{Token: in.Token, Sum: sum, From: len(data)}, nil, 30*time.Second)
		for err == nil && a.Error == "" {
			if data = append(data, a.Data...); len(data) >= a.Size {
				return nil
			}
			a, err = in.Conn.Tell(ctx, in.Name, "input", &run.Fetch{Token: in.Token, Sum: sum, From: len(data)}, nil, 30*time.Second)
		}
		if err == nil {
			err = errors.New(a.Error)
		}
		return err
	})
	if err == nil && run.Sum(data) != sum {
		err = fmt.Errorf("input %.12s was altered on its way", sum)
	}
	return data, err
}
