package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/work"
)

// Machine is what a worker tells of itself.
type Machine struct {
	Kinds  map[string]int `json:"kinds"` // versions of the kinds of work that it knows
	Host   string         `json:"host"`
	Cores  int            `json:"cores"`
	Commit string         `json:"commit"`
	Path   string         `json:"path"`             // kernels that its processor runs
	Search uint64         `json:"search"`           // signature of its search
	NPS    float64        `json:"nps"`              // nodes a second of one core, all cores at work
	Done   int            `json:"done"`             // jobs since it was started
	Failed string         `json:"failed,omitempty"` // the last error of a job
}

// WorkerStatus is what a worker reported last.
type WorkerStatus struct {
	Machine
	Running int    `json:"running"`        // jobs
	Note    string `json:"note,omitempty"` // why it has nothing to do
}

// takes returns why a machine may not take jobs of a run, nil where it may. It says which side to update.
func (m *Machine) takes(r *Record) error {
	version, known := m.Kinds[r.Kind]
	switch {
	case !known:
		return fmt.Errorf("this worker does not know runs of kind %s: update it", r.Kind)
	case version < r.Version:
		return fmt.Errorf("%s version %d: the run needs version %d: update the worker", r.Kind, version, r.Version)
	case version > r.Version:
		return fmt.Errorf("%s version %d: the run needs version %d: the worker is newer than the run: update its command",
			r.Kind, version, r.Version)
	case r.Search != 0 && m.Search != r.Search:
		return fmt.Errorf("the bench of its search visits %d nodes, the run needs %d: use the same commit", m.Search,
			r.Search)
	}
	return nil
}

// WorkConfig says how to work.
type WorkConfig struct {
	Conn    *Conn
	Machine Machine // what the worker tells of itself; Work sets Kinds, Done and Failed
	Types   []*work.Type
	Env     work.Env
	Log     *slog.Logger
}

const (
	pollWait   = time.Second      // between two looks at the runs
	lifeEvery  = 8 * time.Second  // between two signs of life of a worker with nothing new
	firstPause = 10 * time.Second // of a run on a worker that could not do one of its jobs; each further one doubles it
	deliveries = 20               // after which a job counts as one that nobody can do
)

// worker is a worker at work.
type worker struct {
	WorkConfig
	turn sync.Mutex // one core at a time waits for jobs

	mu      sync.Mutex
	state   RunState
	runs    map[string]*opened
	busy    int    // cores
	drained bool   // it ends when the jobs under way are done
	note    string // why it has nothing to do
}

// opened is an open run that the worker may take jobs of.
type opened struct {
	id     string
	ctx    context.Context // ends with the run
	cancel context.CancelFunc
	queue  atomic.Pointer[jetstream.Consumer] // nil until it is asked
	mean   float64                            // seconds of a job, lately
	pause  time.Time                          // until then it takes no jobs
	failed int                                // jobs in a row that failed

	open   sync.Mutex
	spec   *work.Spec // nil until it is read
	kind   work.Kind
	in     map[int][]byte
	unread time.Time // until then no input is read again
}

// errUnread reports an input that could not be read, which says nothing about the job.
var errUnread = errors.New("it could not be read")

// core is what does the jobs of one run, on one core.
type core struct {
	run  *opened
	work work.JobWorker // nil for none
}

func (c *core) close() {
	if c.work != nil {
		c.work.Close()
	}
	*c = core{}
}

// Work takes jobs of the runs of a farm, does them, and publishes what they come to. It keeps nothing on its disk but
// the engines that it has built: a kill costs the jobs under way. While the hub is away it goes on with them and
// publishes them later. It works until ctx ends, which gives the jobs under way back, the operator drains the worker,
// which is no error, or the hub refuses it.
func Work(ctx context.Context, c WorkConfig) error {
	w := &worker{WorkConfig: c, runs: map[string]*opened{}}
	w.Machine.Kinds = map[string]int{}
	for _, t := range c.Types {
		w.Machine.Kinds[t.Name] = t.Version
	}
	ctx, end := context.WithCancelCause(noDeadline{ctx})
	var cores, life sync.WaitGroup
	life.Go(func() { w.live(ctx, end) })
	for range c.Machine.Cores {
		cores.Go(func() {
			var at core
			defer at.close()
			for m, u := w.next(ctx); m != nil; m, u = w.next(ctx) {
				w.do(u, &at, m)
			}
		})
	}
	cores.Wait()
	cause := context.Cause(ctx)
	end(nil)
	life.Wait()
	return cause
}

// live looks at what owners and operators want, and tells that the worker lives, until ctx ends.
func (w *worker) live(ctx context.Context, end context.CancelCauseFunc) {
	var told time.Time
	var last WorkerStatus
	var drained *time.Time // by an operator, of an earlier process; any clock may be wrong
	for {
		state, err := w.Conn.State(ctx)
		if err == nil {
			at := state.Drained[w.Conn.Key]
			if drained == nil {
				drained = &at
			}
			w.see(&state, !at.IsZero() && !at.Equal(*drained))
		}
		w.mu.Lock()
		now := WorkerStatus{Machine: w.Machine, Running: w.busy, Note: w.note}
		w.mu.Unlock()
		if err == nil && (!reflect.DeepEqual(now, last) || time.Since(told) > lifeEvery) {
			last, told = now, time.Now()
			var text []byte
			if text, err = json.Marshal(now); err == nil {
				_, err = w.Conn.JS.Publish(ctx, "$KV."+workersBucket+"."+w.Conn.Key, text)
			}
		}
		if err != nil && ctx.Err() == nil {
			w.Conn.Warn(err)
		}
		select {
		case <-time.After(pollWait):
		case <-w.Conn.closed:
			end(w.Conn.err())
			return
		case <-ctx.Done():
			return
		}
	}
}

// see takes over what owners and operators want: jobs of runs that are over end.
func (w *worker) see(s *RunState, drained bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state = *s
	if drained && !w.drained {
		w.drained, w.note = true, "drained: the worker ends when its jobs are done"
		w.Log.Info(w.note)
	}
	for id, u := range w.runs {
		if r := s.find(id); r == nil || r.Ended != nil {
			u.cancel()
			delete(w.runs, id)
		}
	}
}

// wants returns the runs whose jobs the worker may take, in the order in which it asks for them: by priority, and at
// random among equals, so that each gets its share of the time. Once the worker is drained it wants none.
func (w *worker) wants(ctx context.Context) (runs []*opened, drained bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	note := ""
	rank := map[*opened][2]float64{}
	for i := range w.state.Runs {
		r := &w.state.Runs[i]
		u := w.runs[r.Run]
		if r.Ended != nil {
			continue
		}
		if u == nil {
			u = &opened{id: r.Run, in: map[int][]byte{}}
			u.ctx, u.cancel = context.WithCancel(ctx)
			w.runs[r.Run] = u
		}
		switch err := w.Machine.takes(r); {
		case r.Paused || time.Now().Before(u.pause):
		case err != nil:
			note = fmt.Sprintf("%s: %v", r.Name, err)
		default:
			runs = append(runs, u)
			rank[u] = [2]float64{-float64(r.Priority), rand.ExpFloat64() * max(u.mean, 0.001) / r.Share}
		}
	}
	if w.drained {
		return nil, true
	}
	if len(runs) > 0 {
		note = ""
	}
	if w.note != note && note != "" {
		w.Log.Info("no jobs", "because", note)
	}
	w.note = note
	slices.SortFunc(runs, func(a, b *opened) int {
		return cmp.Or(cmp.Compare(rank[a][0], rank[b][0]), cmp.Compare(rank[a][1], rank[b][1]))
	})
	return runs, false
}

// next waits for a job. It returns nil when the worker ends.
func (w *worker) next(ctx context.Context) (jetstream.Msg, *opened) {
	waiting := false
	for ctx.Err() == nil {
		runs, drained := w.wants(ctx)
		if drained {
			break
		}
		for _, u := range runs {
			if m := w.fetch(ctx, u, false); m != nil {
				return m, u
			}
		}
		switch {
		case !waiting:
			waiting = true
			w.turn.Lock()
			defer w.turn.Unlock()
		case len(runs) == 0:
			time.Sleep(pollWait / 4)
		default:
			if m := w.fetch(ctx, runs[0], true); m != nil {
				return m, runs[0]
			}
		}
	}
	return nil, nil
}

// fetch takes a job of a run, nil if there is none, or none comes soon.
func (w *worker) fetch(ctx context.Context, u *opened, wait bool) jetstream.Msg {
	var err error
	if u.queue.Load() == nil {
		var c jetstream.Consumer
		if c, err = w.Conn.JS.Consumer(ctx, JobsStream, u.id); err == nil {
			u.queue.Store(&c)
		}
	}
	var all jetstream.MessageBatch
	if c := u.queue.Load(); c != nil && wait {
		all, err = (*c).Fetch(1, jetstream.FetchMaxWait(pollWait))
	} else if c != nil {
		all, err = (*c).FetchNoWait(1)
	}
	if err == nil && all != nil {
		if m, ok := <-all.Messages(); ok {
			return m
		}
		err = all.Error()
	}
	if err != nil && ctx.Err() == nil {
		u.queue.Store(nil)
		time.Sleep(retryWait)
		if !errors.Is(err, jetstream.ErrConsumerNotFound) && !errors.Is(err, nats.ErrNoResponders) &&
			!errors.Is(err, jetstream.ErrConsumerDeleted) { // as they are when the run is over, which is told later
			w.Conn.Warn(err)
		}
	}
	return nil
}

// do does a job and publishes what it comes to. It gives a job back when the worker ends.
func (w *worker) do(u *opened, at *core, m jetstream.Msg) {
	ctx, cancel := context.WithCancel(u.ctx)
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			select {
			case <-time.After(w.Conn.options.AckWait / 4):
				_ = m.InProgress()
			case <-ctx.Done():
			}
		}
	}()
	w.mu.Lock()
	w.busy++
	w.mu.Unlock()
	began := time.Now()
	j, data, units, err := w.compute(ctx, u, at, m)
	took := time.Since(began).Seconds()
	out := nats.NewMsg(w.subject("results", u, &j))
	out.Data = data
	if err != nil {
		out.Subject, out.Data = w.subject("failed", u, &j), []byte(cmp.Or(work.Clean(err.Error()), "?"))
		at.close()
	}
	out.Header.Set(headInput, inputSum(&j))
	if by, err := json.Marshal(Done{Host: w.Machine.Host, Units: units, Took: took}); err == nil {
		out.Header.Set(headDone, string(by))
	}
	if ctx.Err() != nil || errors.Is(err, errUnread) {
		w.giveBack(u, &j, m)
	} else {
		_ = w.Conn.Retry(ctx, Forever, func(ctx context.Context) error {
			_, err := w.Conn.JS.PublishMsg(ctx, out)
			return err
		})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy--
	switch {
	case ctx.Err() != nil: // the run is over, or the worker ends
	case err != nil:
		w.Log.Error("a job failed", "run", u.id[:8], "job", j.Index, "error", err)
		w.Machine.Failed = fmt.Sprintf("run %s, job %d: %v", u.id[:8], j.Index, err)
		u.pause = time.Now().Add(firstPause << min(u.failed, 6))
		u.failed++
		_ = m.Nak()
	default:
		w.Machine.Done++
		u.failed, u.mean = 0, (3*u.mean+took)/4
		_ = m.Ack() // without it the job is done again, and the first result counts
	}
}

// subject returns the subject of what this worker tells of a job.
func (w *worker) subject(kind string, u *opened, j *work.Job) string {
	return fmt.Sprintf("%s.%s.%d.%s", kind, u.id, j.Index, w.Conn.Key)
}

// giveBack takes a job out of the queue and has the owner queue it again, so that the count of its deliveries says how
// often a worker was lost with it. The queue of a run that is over takes no acknowledgement.
func (w *worker) giveBack(u *opened, j *work.Job, m jetstream.Msg) {
	ctx, cancel := context.WithTimeout(context.Background(), answerWait)
	defer cancel()
	if err := m.DoubleAck(ctx); err == nil {
		_, _ = w.Conn.JS.Publish(ctx, w.subject("failed", u, j), nil)
	}
}

// compute does the job of a message.
func (w *worker) compute(
	ctx context.Context, u *opened, at *core, m jetstream.Msg,
) (j work.Job, data []byte, units float64, err error) {
	if err := json.Unmarshal(m.Data(), &j); err != nil || j.Run != u.id {
		return j, nil, 0, fmt.Errorf("%s: %.80q is no job of the run", m.Subject(), m.Data())
	}
	if meta, err := m.Metadata(); err == nil && meta.NumDelivered > deliveries {
		return j, nil, 0, fmt.Errorf("it was handed out %d times without a result", meta.NumDelivered)
	}
	if at.run != u || at.work == nil {
		at.close()
		k, err := w.kind(ctx, u)
		if err == nil {
			at.work, err = k.Open(u.ctx, func(ctx context.Context, index int) ([]byte, error) { return w.input(ctx, u, index) })
		}
		if err != nil {
			return j, nil, 0, err
		}
		at.run = u
	}
	data, units, err = at.work.Do(ctx, j)
	if err == nil && len(data) > MaxData {
		err = fmt.Errorf("its result has %d bytes, more than %d: smaller jobs are needed", len(data), MaxData)
	}
	return j, data, units, err
}

// kind returns the kind of a run.
func (w *worker) kind(ctx context.Context, u *opened) (work.Kind, error) {
	u.open.Lock()
	defer u.open.Unlock()
	if u.kind != nil {
		return u.kind, nil
	}
	var s work.Spec
	err := w.Conn.Retry(ctx, Forever, func(ctx context.Context) (err error) {
		s, _, err = get[work.Spec](ctx, w.Conn.farm, "spec."+u.id)
		return err
	})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(w.Types, func(t *work.Type) bool { return t.Name == s.Kind })
	if i < 0 || s.ID() != u.id {
		return nil, fmt.Errorf("the spec of run %s is another's, or of another version of this program", u.id)
	}
	k, err := w.Types[i].Open(&s, w.Env)
	if err == nil {
		u.spec, u.kind = &s, k
	}
	return k, err
}

// input reads an input of a run, once for all cores.
func (w *worker) input(ctx context.Context, u *opened, index int) (data []byte, err error) {
	u.open.Lock()
	defer u.open.Unlock()
	if data, ok := u.in[index]; ok {
		return data, nil
	}
	if index < 0 || index >= len(u.spec.Inputs) {
		return nil, fmt.Errorf("input %d: there are %d", index+1, len(u.spec.Inputs))
	}
	if time.Now().Before(u.unread) {
		return nil, fmt.Errorf("input %d: %w", index+1, errUnread)
	}
	wait := w.Conn.options.AckWait / 3 // others need the core
	var why error
	err = w.Conn.Retry(ctx, wait, func(ctx context.Context) error {
		data, why = w.Conn.input(ctx, u.id, u.spec.Inputs[index])
		if errors.Is(why, jetstream.ErrObjectNotFound) {
			why = failure("the farm does not have it")
		}
		return why
	})
	if err != nil && !errors.As(err, new(failure)) {
		u.unread, err = time.Now().Add(wait), fmt.Errorf("%w: %w", errUnread, why)
	}
	if err != nil {
		return nil, fmt.Errorf("input %d: %w", index+1, err)
	}
	u.in[index] = data
	return data, nil
}
