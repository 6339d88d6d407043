package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
)

// Config says how to work.
type Config struct {
	Conn  *link.Conn // opened with Home's key
	Home  *Home
	Open  run.Opener
	Cores int // jobs at a time
	Times link.Times
	Log   *slog.Logger // nil for none
	Host  string       // what the worker calls itself

	Commit string // that the program was built from
	Path   string // kernels that the processor runs

	// Bench returns the worker's own number of the engine's bench. It is asked
	// once, when a run first wants it; nil where no run may want it.
	Bench func(context.Context) (uint64, error)

	// Step, if not nil, is told each step of the protocol before it is taken, by
	// any core: for tests that kill there.
	Step func(step string, j run.Job)
}

// Steps of the protocol, as told to Config.Step.
const (
	StepFetched   = "fetched"   // a job is here
	StepComputed  = "computed"  // it is done
	StepSpooled   = "spooled"   // the result is in the spool
	StepFiles     = "files"     // the hub has its files
	StepPublished = "published" // the hub has the result
	StepAcked     = "acked"     // the hub has taken the job from its queue
)

// Steps returns the steps in their order.
func Steps() []string {
	return []string{StepFetched, StepComputed, StepSpooled, StepFiles, StepPublished, StepAcked}
}

// worker is one that is at work.
type worker struct {
	Config
	key   string
	spool spool
	log   *slog.Logger
	bench func() (uint64, error)

	mu        sync.Mutex
	open      []link.Open
	plans     map[string]*plan
	consumers map[string]jetstream.Consumer
	running   map[string]run.Job
	mine      map[string]bool // jobs done, as run.index
	slots     map[string]int  // the group that the worker is of, by run, where a job has told it
	rest      map[string]rest // from runs, after a job that failed
	done      int
	failed    string
	refuses   map[string]string
}

// plan is a run of which the worker has the manifest.
type plan struct {
	manifest *run.Manifest
	run.Plan
	bench uint64
}

// Run works until ctx ends, which gives the jobs under way back, or the hub
// refuses or bans the worker, an error.
func Run(ctx context.Context, c Config) error {
	w := &worker{
		Config: c, key: c.Conn.Key, spool: spool{filepath.Join(c.Home.Dir, "spool")}, log: c.Log,
		plans: map[string]*plan{}, consumers: map[string]jetstream.Consumer{}, running: map[string]run.Job{},
		mine: map[string]bool{}, slots: map[string]int{}, rest: map[string]rest{}, refuses: map[string]string{},
	}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	w.bench = sync.OnceValues(func() (uint64, error) {
		if c.Bench == nil {
			return 0, errors.New("this worker has no engine")
		}
		w.log.Info("runs the bench")
		return c.Bench(ctx)
	})
	ctx, cancel := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { w.lookout(ctx, cancel) })
	defer func() { cancel(nil); watch.Wait() }()
	if err := w.flush(ctx); err != nil {
		return err
	}
	var cores sync.WaitGroup
	for core := range c.Cores {
		cores.Go(func() { w.core(ctx, core) })
	}
	cores.Wait()
	w.sign(true)
	_ = c.Conn.NC.FlushTimeout(time.Second)
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return ctx.Err()
}

// step tells a test where the worker is.
func (w *worker) step(step string, j run.Job) {
	if w.Step != nil {
		w.Step(step, j)
	}
}

// lookout keeps up with which runs are open and says that the worker lives,
// until ctx ends. It cancels where there is no use in going on.
func (w *worker) lookout(ctx context.Context, cancel context.CancelCauseFunc) {
	every := time.NewTicker(max(w.Times.Alive/4, 10*time.Millisecond))
	defer every.Stop()
	for n := 0; ; n++ {
		if n%4 == 0 {
			w.sign(false)
			if banned, err := w.Conn.Last(ctx, link.Bans, "ban."+w.key); err == nil {
				cancel(fmt.Errorf("this worker is banned: %s", banned.Data))
			}
		}
		if open, err := w.Conn.OpenRuns(ctx); err == nil {
			w.mu.Lock()
			w.open = open
			w.forget()
			w.mu.Unlock()
		}
		select {
		case <-ctx.Done():
			return
		case <-w.Conn.Closed():
			cancel(w.Conn.Err())
		case <-every.C:
		}
	}
}

// forget drops what the worker keeps for runs that are closed.
func (w *worker) forget() {
	isOpen := func(id string) bool {
		return slices.ContainsFunc(w.open, func(o link.Open) bool { return o.Run == id })
	}
	maps.DeleteFunc(w.plans, func(id string, _ *plan) bool { return !isOpen(id) })
	maps.DeleteFunc(w.refuses, func(id, _ string) bool { return !isOpen(id) })
	maps.DeleteFunc(w.slots, func(id string, _ int) bool { return !isOpen(id) })
	maps.DeleteFunc(w.rest, func(id string, _ rest) bool { return !isOpen(id) })
	maps.DeleteFunc(w.consumers, func(name string, _ jetstream.Consumer) bool {
		return !slices.ContainsFunc(w.open, func(o link.Open) bool {
			return strings.HasPrefix(name, o.Run) && strings.HasSuffix(name, o.Epoch)
		})
	})
	maps.DeleteFunc(w.mine, func(name string, _ bool) bool {
		id, _, _ := strings.Cut(name, ".")
		return !isOpen(id)
	})
}

// sign says that the worker lives and what it does.
func (w *worker) sign(leaving bool) {
	left, _ := w.spool.all()
	w.mu.Lock()
	a := link.Alive{
		Worker: w.key, Host: w.Host, Cores: w.Cores, Commit: w.Commit, Path: w.Path,
		Done: w.done, Spool: len(left), Failed: w.failed, Leaving: leaving,
	}
	for _, name := range slices.Sorted(maps.Keys(w.running)) {
		a.Running = append(a.Running, run.Job{Run: w.running[name].Run, Index: w.running[name].Index, K: w.running[name].K})
	}
	for id, why := range w.refuses {
		a.Refuses = append(a.Refuses, id+": "+why)
	}
	w.mu.Unlock()
	if text, err := json.Marshal(&a); err == nil {
		_ = w.Conn.NC.Publish("alive."+w.key, text) // the next one will do
	}
}

// flush publishes what an earlier run of the worker has left in the spool.
func (w *worker) flush(ctx context.Context) error {
	names, err := w.spool.all()
	if err != nil {
		return err
	}
	for _, name := range names {
		r, err := w.spool.read(name)
		if err != nil {
			return err
		}
		j := run.Job{Run: r.Result.Run, Index: r.Result.Index, K: r.Result.K}
		w.log.Info("publishes a result from the spool", "run", j.Run[:8], "job", j.Index)
		first, err := w.deliver(ctx, j, r)
		if err != nil {
			return err
		}
		w.mu.Lock()
		w.mine[mineName(j)] = first
		w.mu.Unlock()
		if err := w.spool.remove(j); err != nil {
			return err
		}
	}
	return nil
}

// core does job after job until ctx ends.
func (w *worker) core(ctx context.Context, core int) {
	for turn := core; ctx.Err() == nil; turn++ {
		m, j, p := w.fetch(ctx, turn)
		if m != nil {
			w.do(ctx, m, j, p)
		}
	}
}

// do does a job and reports it.
func (w *worker) do(ctx context.Context, m jetstream.Msg, j run.Job, p *plan) {
	w.step(StepFetched, j)
	w.note(j, true)
	defer w.note(j, false)
	stop := w.keep(m)
	defer stop()
	began := time.Now()
	out, err := p.Work(ctx, j, w.Conn)
	if err != nil {
		w.giveBack(ctx, m, j, err)
		return
	}
	r, err := w.result(j, p, &out, time.Since(began))
	if err == nil {
		w.step(StepComputed, j)
		err = w.spool.put(j, spooled{r, out.Files})
	}
	if err != nil {
		w.giveBack(ctx, m, j, err)
		return
	}
	w.step(StepSpooled, j)
	first, err := w.deliver(ctx, j, spooled{r, out.Files})
	if err != nil {
		return // the spool has it; the next start goes on
	}
	w.step(StepPublished, j)
	w.mu.Lock()
	// Where another was first with this copy, this worker has no part in the job
	// and may make the next.
	w.mine[mineName(j)] = first
	w.mu.Unlock()
	// Whether or not the hub hears this, it has the result and will take the
	// job from its queue.
	_ = w.Conn.Ask(context.WithoutCancel(ctx), m.DoubleAck)
	w.step(StepAcked, j)
	if err := w.spool.remove(j); err != nil {
		w.log.Error("the spool", "error", err)
	}
	w.mu.Lock()
	w.done++
	delete(w.rest, j.Run)
	w.mu.Unlock()
}

// giveBack gives a job back that could not be done.
func (w *worker) giveBack(ctx context.Context, m jetstream.Msg, j run.Job, err error) {
	if ctx.Err() != nil {
		_ = m.Nak()
		return
	}
	w.log.Error("a job failed", "run", j.Run[:8], "job", j.Index, "error", err)
	w.mu.Lock()
	w.failed = fmt.Sprintf("run %s, job %d: %v", j.Run[:8], j.Index, err)
	w.mu.Unlock()
	w.tire(j.Run)
	_ = m.NakWithDelay(w.Times.Alive) // another may do better
}

// note notes that a job is under way, or no more.
func (w *worker) note(j run.Job, running bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if running {
		w.running[j.Name()] = j
	} else {
		delete(w.running, j.Name())
	}
}

// mineName names a job whatever the copy.
func mineName(j run.Job) string { return fmt.Sprintf("%s.%d", j.Run, j.Index) }

// keep says that the job is being worked at, often enough, until stop is called.
func (w *worker) keep(m jetstream.Msg) (stop func()) {
	done := make(chan struct{})
	go func() {
		every := time.NewTicker(w.Times.AckWait / 3)
		defer every.Stop()
		for {
			select {
			case <-done:
				return
			case <-every.C:
				_ = m.InProgress() // the next one will do
			}
		}
	}()
	return sync.OnceFunc(func() { close(done) })
}

// result makes and signs what the worker reports.
func (w *worker) result(j run.Job, p *plan, out *run.Output, took time.Duration) (*run.Result, error) {
	r := &run.Result{
		Run: j.Run, Index: j.Index, K: j.K, Value: out.Value, Worker: w.key, Host: w.Host, Commit: w.Commit, Path: w.Path,
		Bench: p.bench, Alone: w.alone(j.Run), Units: out.Units, Took: took.Seconds(),
	}
	for _, data := range out.Files {
		if len(data) > run.MaxArtefact {
			return nil, fmt.Errorf("a file of %d bytes, more than %d", len(data), run.MaxArtefact)
		}
		r.Files = append(r.Files, run.Artefact{Sum: link.Sum(data), Size: len(data)})
	}
	signed, err := r.Signed()
	if err != nil {
		return nil, err
	}
	// One that the hub never takes would wait in the spool for ever.
	if most := w.Conn.NC.MaxPayload() * 3 / 4; most > 0 && int64(len(signed)) > most {
		return nil, fmt.Errorf("a result of %d bytes, more than %d", len(signed), most)
	}
	r.Sig, err = w.Home.Key.Sign(signed)
	return r, err
}

// alone reports whether the run has no other worker.
func (w *worker) alone(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.open, func(o link.Open) bool { return o.Run == id && o.Alone })
}

// deliver brings a result to the hub, however long that takes, and reports whether
// it was the first there, or may have been: where an answer was lost, what is
// there is this worker's own. Only the end of ctx is an error.
func (w *worker) deliver(ctx context.Context, j run.Job, r spooled) (first bool, err error) {
	unsure := false
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		first, err := w.publish(ctx, j, r)
		if err == nil {
			return first || unsure, nil
		}
		unsure = true
		w.log.Warn("a result waits for the hub", "run", j.Run[:8], "job", j.Index, "error", err)
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// publish publishes the files and then the result.
func (w *worker) publish(ctx context.Context, j run.Job, r spooled) (first bool, err error) {
	for _, data := range r.Files {
		if err := w.Conn.PutArtefact(ctx, w.key, data); err != nil {
			return false, err
		}
	}
	w.step(StepFiles, j)
	text, err := json.Marshal(r.Result)
	if err != nil {
		return false, err
	}
	return w.Conn.First(ctx, link.ResultSubject(j), text)
}
