package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// WorkConfig says how to work.
type WorkConfig struct {
	Conn    *Conn
	Machine Machine // what the worker tells of itself; Work sets Protocol, Uptime, Done and Failed
	Open    Opener
	Times   Times
	Log     *slog.Logger
}

type worker struct {
	WorkConfig
	began time.Time
	end   context.CancelCauseFunc
	freed chan struct{} // has one where a core has become free

	mu      sync.Mutex
	kinds   map[string]*used              // by run
	running map[string]context.CancelFunc // jobs by token, each on a core until it is reported
	drained bool                          // it ends when the jobs under way are done
	note    string
}

// Work asks a hub for jobs, does them, and reports what they come to. It keeps nothing on its disk but the engines that
// it has built: a kill costs the jobs under way. While the hub is away it goes on with them and reports them later. It
// works until ctx ends, which gives the jobs under way back, the operator drains the worker, which is no error,
// or the farm refuses it.
func Work(ctx context.Context, c WorkConfig) error {
	w := &worker{WorkConfig: c, began: time.Now(), kinds: map[string]*used{}, running: map[string]context.CancelFunc{}}
	w.Machine.Protocol, w.freed = Protocol, make(chan struct{}, 1)
	ctx, w.end = context.WithCancelCause(ctx)
	defer w.end(nil)
	var jobs sync.WaitGroup
	for ctx.Err() == nil && !w.finished() {
		wait := c.Times.Hold
		if w.ask(ctx, &jobs) {
			wait /= 10
		}
		select {
		case <-w.freed:
		case <-time.After(wait):
		case <-c.Conn.Closed():
			w.end(c.Conn.Err())
		case <-ctx.Done():
		}
	}
	// What is under way is given back before it is cancelled, or it would be reported.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_, _ = w.tell(last, 0, true)
	cause := context.Cause(ctx)
	w.end(nil)
	jobs.Wait()
	return cause
}

// finished reports whether the worker is drained and has nothing to do.
func (w *worker) finished() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.drained && len(w.running) == 0
}

// ask asks for a job for each free core and begins those that it gets. It reports whether it has to ask again soon.
func (w *worker) ask(ctx context.Context, jobs *sync.WaitGroup) (soon bool) {
	w.mu.Lock()
	want := w.Machine.Cores - len(w.running)
	if w.drained {
		want = 0
	}
	w.mu.Unlock()
	a, err := w.tell(ctx, want, false)
	if err != nil && ctx.Err() == nil {
		w.Conn.Warn(err)
	}
	for _, l := range a.Jobs {
		manifest := a.Manifest
		ctx, cancel := context.WithCancel(ctx)
		w.mu.Lock()
		w.running[l.Token] = cancel
		w.mu.Unlock()
		jobs.Go(func() {
			w.do(ctx, l, manifest)
			cancel()
			w.mu.Lock()
			delete(w.running, l.Token)
			w.mu.Unlock()
			select {
			case w.freed <- struct{}{}:
			default:
			}
		})
	}
	return err != nil || len(a.Jobs) < want || w.drained
}

// tell says that the worker lives and what it does, and asks for jobs.
func (w *worker) tell(ctx context.Context, want int, leaving bool) (a Answer, err error) {
	w.mu.Lock()
	m := w.Machine
	m.Uptime = time.Since(w.began).Seconds()
	text, err := json.Marshal(Ask{Machine: m, Want: want, Tokens: slices.Collect(maps.Keys(w.running)), Leaving: leaving})
	w.mu.Unlock()
	if err == nil {
		a, err = w.Conn.Tell(ctx, "ask", "", text, 2*answerWait)
	}
	w.obey(&a)
	return a, err
}

// obey does what an answer says beside what was asked.
func (w *worker) obey(a *Answer) {
	if a.Refused != "" {
		w.end(errors.New(a.Refused))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, token := range a.Stop {
		if cancel := w.running[token]; cancel != nil {
			cancel()
		}
	}
	if a.Leave {
		a.Note = "drained: the worker ends when its jobs are done"
		w.drained = true
	}
	if a.Note != w.note && a.Note != "" {
		w.Log.Info("the hub says", "note", a.Note)
	}
	w.note = a.Note
}

// do does a job and reports what it comes to, however long that takes: a hub that takes no results has no jobs either.
// A job of a run that is over, or of a worker that ends, is not reported.
func (w *worker) do(ctx context.Context, l Lease, manifest json.RawMessage) {
	message, err := w.compute(ctx, l, manifest)
	if ctx.Err() != nil {
		return
	}
	verb := "report"
	w.mu.Lock()
	if err != nil {
		verb, message = "fail", []byte(err.Error())
		w.Machine.Failed = fmt.Sprintf("run %s, job %d: %v", l.Job.Run[:8], l.Job.Index, err)
		w.Log.Error("a job failed", "run", l.Job.Run[:8], "job", l.Job.Index, "error", err)
	} else {
		w.Machine.Done++
	}
	w.mu.Unlock()
	_ = w.Conn.Retry(ctx, Forever, func(ctx context.Context) error {
		a, err := w.Conn.Tell(ctx, verb, l.Token, message, w.Times.AckWait)
		w.obey(&a)
		return err
	})
}

func (w *worker) compute(ctx context.Context, l Lease, manifest json.RawMessage) ([]byte, error) {
	began := time.Now()
	m, err := ParseManifest(l.Job.Run, manifest)
	if err != nil {
		return nil, err
	}
	k, err := w.kind(m)
	if err != nil {
		return nil, err
	}
	defer k.jobs.Add(-1)
	data, units, err := k.Do(ctx, l.Job, func(ctx context.Context, index int) ([]byte, error) {
		return w.input(ctx, l.Token, m, index)
	})
	if err == nil && len(data) > MaxData {
		err = fmt.Errorf("its result has %d bytes, more than %d: smaller jobs are needed", len(data), MaxData)
	}
	if err != nil {
		return nil, err
	}
	return Seal(&Result{
		Job: l.Job.Bare(), Kind: m.Kind, Version: m.Version, Key: w.Conn.Key, Host: w.Machine.Host,
		Units: units, Took: time.Since(began).Seconds(), Data: data,
	}, w.Conn.Sign)
}

// used is the kind of a run and how many of its jobs are under way.
type used struct {
	Kind
	jobs atomic.Int32
}

// kind returns the kind of a run, for one job. A new one takes the place of those without a job, since they hold
// networks and hash tables; a single one stays, for two runs that take turns.
func (w *worker) kind(m *Manifest) (*used, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	k := w.kinds[m.ID()]
	if k == nil {
		idle := 0
		for _, old := range w.kinds {
			if old.jobs.Load() == 0 {
				idle++
			}
		}
		maps.DeleteFunc(w.kinds, func(_ string, old *used) bool { return idle > 1 && old.jobs.Load() == 0 })
		opened, err := w.Open(m)
		if err != nil {
			return nil, err
		}
		k = &used{Kind: opened}
		w.kinds[m.ID()] = k
	}
	k.jobs.Add(1)
	return k, nil
}

// input reads an input of a run, for the job with a token.
func (w *worker) input(ctx context.Context, token string, of *Manifest, index int) (data []byte, err error) {
	for size := 1; len(data) < size; {
		text, err := json.Marshal(Fetch{Index: index, From: len(data)})
		if err == nil {
			err = w.Conn.Retry(ctx, Forever, func(ctx context.Context) error {
				a, err := w.Conn.Tell(ctx, "input", token, text, 30*time.Second)
				w.obey(&a)
				data, size = append(data, a.Data...), a.Size
				return err
			})
		}
		if err != nil {
			return nil, err
		}
	}
	if Sum(data) != of.Inputs[index] {
		err = fmt.Errorf("input %d was altered on its way", index)
	}
	return data, err
}
