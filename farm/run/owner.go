package run

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/work"
)

const (
	Ahead       = 10_000           // jobs in the queue: workers go on with them while the owner is away
	queueAtOnce = 256              // jobs that are published before their confirmations are read
	requeue     = 30 * time.Second // after which a job is published again; the queue refuses one that it has
	enough      = 3                // a run fails when a job failed on so many workers, or on all that there are
	patience    = 15               // looks, in which workers tell that they live, before they are all that there are
	cacheBytes  = 32 << 20         // of results that wait; what exceeds it is read again
	lookEvery   = time.Second      // between two reports of progress, and looks at what operators want
	checkOne    = 100              // one job in so many is repeated
	// messages and bytes of results in flight; a limit below the largest message would stall
	batch, flow = 256, 16 << 20
	headDone    = "Farm-Done"  // header of a result with a Done of it
	headInput   = "Farm-Input" // header of a result or failure with the inputSum of its job
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
	input    string // inputSum of the job that was done, "" from a worker that does not tell it
	data     []byte // nil where it has to be read again
}

// inputSum returns what tells jobs with one index but different inputs apart: what some runs already have when they
// begin goes into their jobs.
func inputSum(j *work.Job) string { return work.Sum(j.Input)[:32] }

// owner is a Remote at work. One goroutine uses it.
type owner struct {
	*Remote
	spec *work.Spec
	id   string
	kind work.Kind
	in   work.Inputs
	got  func(work.JobResult) error
	all  sync.WaitGroup

	stream   jetstream.Stream // of results
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
	stranded int         // looks since there was a worker that could do a job that failed
	checking atomic.Bool // a job is being repeated
}

// follow reads the results and failures of the run from the first one, through restarts of the hub. No more than a few
// MiB are in flight.
func (o *owner) follow(ctx context.Context) (_ <-chan jetstream.Msg, stop func(), err error) {
	if o.stream, err = o.Conn.JS.Stream(ctx, ResultsStream); err != nil {
		return nil, nil, err
	}
	o.first = o.stream.CachedInfo().State.LastSeq + 1
	c, err := o.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
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
		case <-o.Conn.closed:
			err = o.Conn.err()
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
	o.match(t)
	o.check(ctx, t)
}

// match drops the results that are of another job with the index of this one.
func (o *owner) match(t *task) {
	sum := inputSum(&t.job)
	o.keep(t, func(r result) bool { return r.input == "" || r.input == sum })
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
	if err != nil || bad != nil || index < 0 || index > math.MaxUint32 {
		return
	}
	if !o.caughtUp && meta.NumPending == 0 {
		o.caughtUp, o.began, o.since = true, time.Now(), o.tells().Folded
	}
	t, key, sequence := o.tasks[index], parts[3], meta.Sequence.Stream
	r := result{key: key, sequence: sequence, input: m.Headers().Get(headInput), data: m.Data()}
	if parts[0] == "failed" && len(r.data) == 0 { // the worker gave it back
		if t != nil {
			t.queued = time.Time{}
		}
		return
	} else if parts[0] == "failed" {
		o.fail(t, &r, work.Clean(string(r.data)))
		return
	}
	d, by := o.done[key], Done{}
	_ = json.Unmarshal([]byte(m.Headers().Get(headDone)), &by) // of statistics alone
	d.Host, d.Units, d.Took = work.Clean(by.Host), d.Units+amount(by.Units), d.Took+amount(by.Took)
	d.Jobs, d.Bytes = d.Jobs+1, d.Bytes+len(r.data)
	o.done[key] = d
	if index <= o.last && t == nil || !o.keys.counts(key, o.id, index) {
		return // it is folded, or does not count
	}
	if o.cached+len(r.data) > cacheBytes {
		r.data = nil
	}
	o.cached += len(r.data)
	t = o.task(index)
	t.results = append(t.results, r)
	if t.handed {
		o.match(t)
	}
	o.check(ctx, t)
}

// amount returns a number that a worker tells, 0 for none that can be.
func amount(x float64) float64 {
	if x >= 0 && x < 1e15 {
		return x
	}
	return 0
}

// fail notes that a worker could not do a job, or that its result was refused. It says nothing about the task where
// that is done, or was another's, or if it was tried again since.
func (o *owner) fail(t *task, r *result, why string) {
	if t != nil && t.handed && r.sequence >= o.first && (r.input == "" || r.input == inputSum(&t.job)) {
		o.Log.Warn("a job failed", "run", o.Record.Name, "job", t.job.Index, "worker", r.key, "error", why)
		t.failed[r.key] = why
	}
	d := o.done[r.key]
	d.Failed++
	o.done[r.key] = d
}

// deliver hands over the results that come next in the order of the jobs.
func (o *owner) deliver(ctx context.Context) error {
	for len(o.waiting) > 0 {
		t := o.tasks[o.waiting[0]]
		if len(t.results) == 0 || t.checked != nil && len(t.checked) == 0 {
			return nil // it is not done, or is being repeated
		}
		r := t.results[0]
		if r.data == nil {
			m, err := o.stream.GetMsg(ctx, r.sequence)
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
				o.fail(t, &r, "its result differs from what this machine computes, which counts")
				r.data = own
			}
		}
		err := o.got(work.JobResult{Index: t.job.Index, Data: r.data})
		if _, refused := errors.AsType[*work.RefusedError](err); err != nil && !refused {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			o.fail(t, &r, "its result is refused: "+work.Clean(err.Error()))
			o.keep(t, func(other result) bool { return other.sequence != r.sequence })
			o.fresh = append(o.fresh, t.job.Index)
			continue
		}
		o.drop(t.job.Index)
		o.waiting = o.waiting[1:]
	}
	return nil
}

// check begins to repeat a job that has a result, if it is one in a hundred. While another is being repeated it is left
// out, so that checking never holds up a run.
func (o *owner) check(ctx context.Context, t *task) {
	seed := t.job.Seed()
	if !o.Exact || !t.handed || len(t.results) == 0 || t.checked != nil ||
		binary.BigEndian.Uint64(seed[:])%checkOne != 0 ||
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
				err = failure(fmt.Sprintf("job %d: its input has %d bytes, too many for a message of %d", index, len(text),
					MaxData))
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
	stranded := 0
	for _, index := range o.waiting {
		t := o.tasks[index]
		if len(t.failed) == 0 {
			continue
		}
		workers, err := all[WorkerStatus](ctx, o.Conn, o.Conn.workers)
		if err != nil {
			o.Conn.Warn(err)
			return nil
		}
		able := 0
		for key, w := range workers {
			if _, tried := t.failed[key]; w.record.takes(&o.Record) == nil && !tried {
				able++
			}
		}
		if able == 0 {
			stranded = o.stranded + 1
		}
		if len(t.failed) >= enough || able == 0 && stranded > patience {
			why := fmt.Sprintf("job %d failed on every worker that tried it", index)
			for _, key := range slices.Sorted(maps.Keys(t.failed)) {
				why += "; " + key + ": " + t.failed[key]
			}
			return failure(why)
		}
	}
	o.stranded = stranded
	return nil
}
