package run

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/work"
)

// Place does the jobs of one run on the workers of a farm. It makes work.Run the owner of the run: it queues jobs and
// hands results over in the order of the jobs. Workers go on with what is queued while there is no owner, and the next
// owner reads all results again, so that the farm itself is the journal.
type Place struct {
	Conn   *Conn
	Record Record // Name (by default KIND-ID), Title, Owner and Jobs of the run
	Exact  bool   // one job in a hundred is repeated here: see work.Type
	Log    *slog.Logger

	mu       sync.Mutex
	progress Progress // as it is reported
}

// Report tells the farm how far the run is. It is called while results are folded.
func (p *Place) Report(k work.Kind, steps int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.progress.Text, p.progress.Folded = k.Text(), steps
	if k, ok := k.(interface{ Numbers() []work.Number }); ok {
		p.progress.Numbers = k.Numbers()
	}
}

// Progress is where a run stands, as its owner tells the farm.
type Progress struct {
	Folded  int             `json:"folded"` // steps of Record.Jobs
	Before  int             `json:"before"` // jobs with smaller indexes are folded
	Text    string          `json:"text"`
	Numbers []work.Number   `json:"numbers,omitempty"`
	Left    float64         `json:"left"`           // seconds, 0 where unknown
	Held    string          `json:"held,omitempty"` // why nothing is queued
	Workers map[string]Done `json:"workers"`        // by key
	At      time.Time       `json:"at"`
}

// Done is what a worker has published of a run.
type Done struct {
	Host   string  `json:"host"`
	Jobs   int     `json:"jobs"`
	Units  float64 `json:"units"`
	Took   float64 `json:"took"`
	Bytes  int     `json:"bytes"`
	Failed int     `json:"failed"` // jobs that it could not do, or whose results were refused
}

const (
	Ahead       = 10_000           // jobs in the queue: workers go on with them while the owner is away
	queueAtOnce = 256              // jobs that are published before their confirmations are read
	requeue     = 30 * time.Second // after which a job is published again; the queue refuses one that it has
	enough      = 3                // a run fails when a job failed on so many workers, or on all that there are
	patience    = 15               // looks, in which workers tell that they live, before they are all that there are
	cacheBytes  = 32 << 20         // of results that wait; what exceeds it is read again
	lookEvery   = time.Second      // between two reports of progress, and looks at what operators want
	checkOne    = 100              // one job in so many is repeated
	batch, flow = 256, 16 << 20    // messages and bytes of results in flight; a limit below the largest message would stall
	headDone    = "Farm-Done"      // header of a result with a Done of it
)

// task is a job that is not folded: it is in the queue, or has results, or both.
type task struct {
	job     work.Job
	handed  bool              // by work.Run
	queued  time.Time         // when the queue was known to have it
	results []result          // in the order of the stream: the first one counts
	failed  map[string]string // why it failed, by key
	checked chan []byte       // receives what the owner computes, nil where it could not; nil where it is not repeated
}

// result is what a worker has published.
type result struct {
	key      string
	sequence uint64
	data     []byte
	again    bool // the data has to be read again
}

// owner is a Place at work. One goroutine uses it.
type owner struct {
	*Place
	spec *work.Spec
	id   string
	kind work.Kind
	in   work.Inputs
	got  func(work.Result) error
	all  sync.WaitGroup

	tasks    map[int]*task
	waiting  []int           // indexes of the tasks that were handed, ascending
	fresh    []int           // of those to be queued
	last     int             // index of the job that was handed last
	cached   int             // bytes of all results
	first    uint64          // sequence behind the results that there were at the beginning
	caughtUp bool            // these have come
	began    time.Time       // when they had
	since    int             // steps done then
	done     map[string]Done // by key: all that the stream has
	keys     Keys
	held     string
	lonely   int         // looks since there was a worker that could do a job that failed
	checking atomic.Bool // a job is being repeated
}

var errStopped = errors.New("the run was ended") // by an operator

// Do implements [work.Place].
func (p *Place) Do(parent context.Context, s *work.Spec, k work.Kind, in work.Inputs,
	next func(context.Context) (work.Job, bool), got func(work.Result) error) error {
	ctx, cancel := context.WithCancelCause(parent)
	o := &owner{Place: p, spec: s, id: s.ID(), kind: k, in: in, got: got, last: -1, tasks: map[int]*task{}, done: map[string]Done{}}
	defer func() { cancel(nil); o.all.Wait() }()
	p.Record.Run, p.Record.Kind, p.Record.Version, p.Record.Search = o.id, s.Kind, s.Version, s.Search
	if p.Record.Name == "" {
		p.Record.Name = fmt.Sprintf("%s-%.6s", s.Kind, o.id)
	}
	if err := p.Conn.Retry(ctx, startWait, o.begin); err != nil {
		return err
	}
	messages, stop, err := o.follow(ctx)
	if err != nil {
		return err
	}
	defer stop()
	jobs := make(chan work.Job)
	o.all.Go(func() {
		defer close(jobs)
		for j, ok := next(ctx); ok; j, ok = next(ctx) {
			select {
			case jobs <- j:
			case <-ctx.Done():
				return
			}
		}
	})
	err = o.loop(ctx, jobs, messages)
	cancel(err)
	o.all.Wait() // now k is ours
	return o.end(parent, err)
}

// end tells the farm how the run has ended. What was interrupted stays open.
func (o *owner) end(ctx context.Context, err error) error {
	var e Ended
	switch bad, isFailure := errors.AsType[failure](err); {
	case errors.Is(err, errStopped):
		return err
	case isFailure:
		e.Failed = string(bad)
	case err != nil && !o.kind.Done() && !errors.Is(err, context.DeadlineExceeded): // of the run's time
		return err
	}
	return errors.Join(err, o.Conn.Retry(context.WithoutCancel(ctx), time.Minute, func(ctx context.Context) error {
		return errors.Join(put(ctx, o.Conn.status, o.id, o.tells()), o.Conn.End(ctx, o.id, e))
	}))
}

// begin makes the run known to the farm.
func (o *owner) begin(ctx context.Context) error {
	for i := range o.spec.Inputs {
		data, err := o.in(ctx, i)
		if errors.Is(err, fs.ErrNotExist) {
			continue // no job needs it
		}
		if err == nil {
			err = o.Conn.putInput(ctx, o.id, data)
		}
		if err != nil {
			return fmt.Errorf("input %d: %w", i+1, err)
		}
	}
	_, err := o.Conn.JS.CreateOrUpdateConsumer(ctx, JobsStream, jetstream.ConsumerConfig{
		Durable: o.id, FilterSubject: "jobs." + o.id + ".*", AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: o.Conn.options.AckWait, MaxAckPending: -1, MaxWaiting: 4096,
	})
	if err == nil {
		err = put(ctx, o.Conn.farm, "spec."+o.id, o.spec)
	}
	if err == nil {
		o.keys, err = o.Conn.Keys(ctx)
	}
	if err != nil {
		return err
	}
	return change(ctx, o.Conn.farm, stateKey, func(all *State) error {
		r := &o.Record
		if old := all.find(o.id); old != nil { // it goes on, perhaps further
			old.Name, old.Title, old.Owner, old.Jobs, old.Ended = r.Name, r.Title, r.Owner, r.Jobs, nil
			return nil
		}
		r.Share = 1
		all.Runs = append(all.Runs, *r)
		return nil
	})
}

// follow reads the results and failures of the run from the first one, through restarts of the hub. No more than a few
// MiB are in flight.
func (o *owner) follow(ctx context.Context) (_ <-chan jetstream.Msg, stop func(), err error) {
	results, err := o.Conn.JS.Stream(ctx, ResultsStream)
	if err != nil {
		return nil, nil, err
	}
	o.first = results.CachedInfo().State.LastSeq + 1
	c, err := results.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{"results." + o.id + ".>", "failed." + o.id + ".>"},
	})
	if err != nil {
		return nil, nil, err
	}
	o.caughtUp, o.began = c.CachedInfo().NumPending == 0, time.Now()
	out := make(chan jetstream.Msg)
	consumed, err := c.Consume(func(m jetstream.Msg) {
		select {
		case out <- m:
		case <-ctx.Done():
		}
	}, jetstream.PullMaxMessagesWithBytesLimit(batch, flow),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) { o.Conn.Warn(err) }))
	if err != nil {
		return nil, nil, err
	}
	return out, consumed.Stop, nil
}

// loop queues jobs and hands results over until the run ends.
func (o *owner) loop(ctx context.Context, jobs <-chan work.Job, messages <-chan jetstream.Msg) (err error) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if err = o.deliver(ctx); err == nil && len(o.fresh) >= queueAtOnce {
			err = o.queue(ctx)
		}
		if err != nil || jobs == nil && len(o.waiting) == 0 {
			return err
		}
		var idle <-chan time.Time // no job has come for a moment
		if len(o.fresh) > 0 && o.caughtUp && o.held == "" {
			idle = time.After(2 * time.Millisecond)
		}
		select {
		case j, ok := <-jobs:
			if ok {
				o.add(ctx, j)
			} else {
				jobs = nil
			}
		case m := <-messages:
			o.take(ctx, m)
		case <-idle:
			err = o.queue(ctx)
		case <-tick.C:
			o.again()
			err = errors.Join(o.queue(ctx), o.stuck(ctx), o.look(ctx))
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// task returns the task with an index.
func (o *owner) task(index int) *task {
	if o.tasks[index] == nil {
		o.tasks[index] = &task{failed: map[string]string{}}
	}
	return o.tasks[index]
}

// add adds a job that has been handed.
func (o *owner) add(ctx context.Context, j work.Job) {
	for index := o.last + 1; index < j.Index; index++ {
		o.drop(index) // the journal has it
	}
	t := o.task(j.Index)
	t.job, t.handed, o.last = j, true, j.Index
	o.waiting, o.fresh = append(o.waiting, j.Index), append(o.fresh, j.Index)
	o.check(ctx, t)
}

// drop forgets a task.
func (o *owner) drop(index int) {
	if t := o.tasks[index]; t != nil {
		o.keep(t, func(result) bool { return false })
		delete(o.tasks, index)
	}
}

// keep keeps those results of a task that are to be kept. Where any other goes, the job may have to be queued again.
func (o *owner) keep(t *task, is func(result) bool) {
	t.results = slices.DeleteFunc(t.results, func(r result) bool {
		if is(r) {
			return false
		}
		o.cached -= len(r.data)
		t.queued, t.checked = time.Time{}, nil
		return true
	})
}

// take takes a message of the stream of results.
func (o *owner) take(ctx context.Context, m jetstream.Msg) {
	meta, err := m.Metadata()
	parts := strings.Split(m.Subject(), ".")
	index, bad := strconv.Atoi(parts[2])
	if err != nil || bad != nil || index < 0 {
		return
	}
	if !o.caughtUp && meta.NumPending == 0 {
		o.caughtUp, o.began, o.since = true, time.Now(), o.tells().Folded
	}
	t, key, sequence := o.tasks[index], parts[3], meta.Sequence.Stream
	if parts[0] == "failed" {
		if t == nil || !t.handed || sequence < o.first {
			t = &task{failed: map[string]string{}} // it is done, or tried again since
		}
		o.fail(t, key, work.Clean(string(m.Data())))
		return
	}
	r, d, by := result{key: key, sequence: sequence, data: m.Data()}, o.done[key], Done{}
	_ = json.Unmarshal([]byte(m.Headers().Get(headDone)), &by) // of statistics alone
	d.Host, d.Units, d.Took = work.Clean(by.Host), d.Units+by.Units, d.Took+by.Took
	d.Jobs, d.Bytes = d.Jobs+1, d.Bytes+len(r.data)
	o.done[key] = d
	if index <= o.last && t == nil || !o.keys.counts(key, o.id, index) {
		return // it is folded, or does not count
	}
	if o.cached+len(r.data) > cacheBytes {
		r.data, r.again = nil, true
	}
	o.cached += len(r.data)
	t = o.task(index)
	t.results = append(t.results, r)
	o.check(ctx, t)
}

// fail notes that a worker could not do a job, or that its result was refused.
func (o *owner) fail(t *task, key, why string) {
	if t.handed {
		o.Log.Warn("a job failed", "run", o.Record.Name, "job", t.job.Index, "worker", key, "error", why)
	}
	t.failed[key] = why
	d := o.done[key]
	d.Failed++
	o.done[key] = d
}

// deliver hands over the results that come next in the order of the jobs.
func (o *owner) deliver(ctx context.Context) error {
	for len(o.waiting) > 0 {
		t := o.tasks[o.waiting[0]]
		if len(t.results) == 0 || t.checked != nil && len(t.checked) == 0 {
			return nil // it is not done, or is being repeated
		}
		r := t.results[0]
		if r.again {
			s, err := o.Conn.JS.Stream(ctx, ResultsStream)
			var m *jetstream.RawStreamMsg
			if err == nil {
				m, err = s.GetMsg(ctx, r.sequence)
			}
			if err != nil {
				o.Conn.Warn(err)
				return nil // the next event tries again
			}
			r.data = m.Data
		}
		if t.checked != nil {
			own := <-t.checked
			t.checked = nil
			if own != nil && !bytes.Equal(own, r.data) {
				o.fail(t, r.key, "its result differs from what this machine computes, which counts")
				r.data = own
			}
		}
		err := o.got(work.Result{Index: t.job.Index, Data: r.data})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			o.fail(t, r.key, "its result is refused: "+work.Clean(err.Error()))
			o.keep(t, func(other result) bool { return other.sequence != r.sequence })
			o.fresh = append(o.fresh, t.job.Index)
			continue
		}
		o.drop(t.job.Index)
		o.waiting = o.waiting[1:]
	}
	return nil
}

// check begins to repeat a job that has a result, if it is one in a hundred and no other is being repeated.
func (o *owner) check(ctx context.Context, t *task) {
	seed := t.job.Seed()
	if !o.Exact || !t.handed || len(t.results) == 0 || t.checked != nil || binary.BigEndian.Uint64(seed[:])%checkOne != 0 ||
		!o.checking.CompareAndSwap(false, true) {
		return
	}
	done, job := make(chan []byte, 1), t.job
	t.checked = done
	o.all.Go(func() {
		var data []byte
		w, err := o.kind.Open(ctx, o.in)
		if err == nil {
			data, _, err = w.Do(ctx, job)
			w.Close()
		}
		if err != nil && ctx.Err() == nil {
			o.Log.Warn("a job cannot be repeated here", "run", o.Record.Name, "job", job.Index, "error", err)
		}
		done <- data
		o.checking.Store(false)
	})
}

// again notes the jobs that have no result and may have left the queue, as by a worker that acknowledged what was not
// its own. The queue refuses those that it has.
func (o *owner) again() {
	o.fresh = o.fresh[:0]
	for _, index := range o.waiting {
		if t := o.tasks[index]; len(t.results) == 0 && time.Since(t.queued) > requeue {
			t.queued = time.Time{}
			o.fresh = append(o.fresh, index)
		}
	}
}

// queue publishes jobs that have no result, once it is known which have none.
func (o *owner) queue(ctx context.Context) error {
	for o.held = ""; o.caughtUp && len(o.fresh) > 0 && o.held == "" && ctx.Err() == nil; {
		asked := map[*task]jetstream.PubAckFuture{}
		n := min(queueAtOnce, len(o.fresh))
		for _, index := range o.fresh[:n] {
			t := o.tasks[index]
			if t == nil || len(t.results) > 0 || !t.queued.IsZero() {
				continue
			}
			text, err := json.Marshal(&t.job)
			if err == nil && len(text) > MaxData {
				err = failure(fmt.Sprintf("job %d: its input has %d bytes, too many for a message of %d", index, len(text), MaxData))
			}
			if err != nil {
				return err
			}
			asked[t], err = o.Conn.JS.PublishAsync(fmt.Sprintf("jobs.%s.%d", o.id, index), text,
				jetstream.WithExpectLastSequencePerSubject(0))
			if err != nil {
				delete(asked, t)
				o.held = "the queue takes no jobs: " + err.Error()
				break
			}
		}
		for t, f := range asked {
			var err error
			select {
			case <-f.Ok():
			case err = <-f.Err():
			}
			if err == nil || isWrongSequence(err) {
				t.queued = time.Now()
			} else {
				o.held = "the queue takes no jobs: " + err.Error()
			}
		}
		if o.held == "" {
			o.fresh = slices.Delete(o.fresh, 0, n)
		}
	}
	return nil
}

// stuck ends the run where a job has failed on as many workers as may be expected to do it.
func (o *owner) stuck(ctx context.Context) error {
	lonely := 0
	for _, index := range o.waiting {
		t := o.tasks[index]
		if len(t.failed) == 0 {
			continue
		}
		workers, err := all[Worker](ctx, o.Conn.workers)
		if err != nil {
			o.Conn.Warn(err)
			return nil
		}
		able := 0
		for key, w := range workers {
			if _, tried := t.failed[key]; w.takes(&o.Record) == nil && !tried {
				able++
			}
		}
		if able == 0 {
			lonely = o.lonely + 1
		}
		if len(t.failed) >= enough || able == 0 && lonely > patience {
			why := fmt.Sprintf("job %d failed on every worker that tried it", index)
			for _, key := range slices.Sorted(maps.Keys(t.failed)) {
				why += "; " + key + ": " + t.failed[key]
			}
			return failure(why)
		}
	}
	o.lonely = lonely
	return nil
}

// look tells the farm where the run stands, and does what operators want of it.
func (o *owner) look(ctx context.Context) error {
	state, err := o.Conn.State(ctx)
	keys, bad := o.Conn.Keys(ctx)
	if err = errors.Join(err, bad, put(ctx, o.Conn.status, o.id, o.tells())); err != nil {
		if ctx.Err() == nil {
			o.Conn.Warn(err)
		}
		return nil
	}
	r := state.find(o.id)
	switch {
	case r == nil:
		return fmt.Errorf("%w: it was removed from the farm", errStopped)
	case r.Ended != nil && r.Ended.Failed != "":
		return fmt.Errorf("%w: %s", errStopped, r.Ended.Failed)
	case r.Ended != nil: // another owner needs no more of it, and has cleared the queue
		if err := o.begin(ctx); err != nil {
			o.Conn.Warn(err)
		}
		for _, index := range o.waiting {
			o.tasks[index].queued = time.Time{}
		}
	}
	o.keys = keys
	for index, t := range o.tasks {
		o.keep(t, func(r result) bool { return keys.counts(r.key, o.id, index) })
	}
	return nil
}

// tells returns where the run stands.
func (o *owner) tells() *Progress {
	o.mu.Lock()
	p := o.progress
	o.mu.Unlock()
	p.Before, p.Held, p.Workers, p.At = o.last+1, o.held, o.done, time.Now()
	if len(o.waiting) > 0 {
		p.Before = o.waiting[0]
	}
	if p.Text == "" {
		p.Text, p.Folded = fmt.Sprintf("%d jobs", p.Before), p.Before
	}
	if done := p.Folded - o.since; done > 0 && o.Record.Jobs > 0 && o.caughtUp {
		p.Left = time.Since(o.began).Seconds() / float64(done) * float64(max(0, o.Record.Jobs-p.Folded))
	}
	return &p
}
