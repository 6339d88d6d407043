package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
)

// fetchWait is the time that the hub holds an asking worker when it has no job.
const fetchWait = time.Second

// fetch asks the open runs in turn for one job, and returns nil where there is
// none after a while.
func (w *worker) fetch(ctx context.Context, turn int) (jetstream.Msg, run.Job, *plan) {
	w.mu.Lock()
	open := w.open
	w.mu.Unlock()
	var lanes []lane
	for n := range open {
		o := &open[(n+turn)%len(open)]
		if w.rests(o.Run) {
			continue
		}
		p, err := w.plan(ctx, o.Run)
		if err != nil {
			w.refuse(o.Run, err)
			continue
		}
		// Second copies first: for them there are fewer workers.
		for _, number := range o.Lanes[1:] {
			if w.takes(o, number) {
				lanes = append(lanes, lane{p, number, link.ConsumerName(o.Run, number, o.Epoch)})
			}
		}
		lanes = append(lanes, lane{p, link.AnyLane, link.ConsumerName(o.Run, link.AnyLane, o.Epoch)})
	}
	for n, l := range lanes {
		last := n == len(lanes)-1
		if m, j := w.ask(ctx, l, last); m != nil {
			return m, j, l.plan
		}
	}
	if len(lanes) == 0 {
		select {
		case <-ctx.Done():
		case <-time.After(w.Times.Alive / 4):
		}
	}
	return nil, run.Job{}, nil
}

// lane is where to ask for jobs.
type lane struct {
	plan   *plan
	number int
	name   string // of the consumer
}

// takes reports whether the worker takes jobs of a lane of a run.
func (w *worker) takes(o *link.Open, number int) bool {
	if _, told := o.Slots[w.key]; told || o.Alone {
		return o.Takes(w.key, number)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	slot, known := w.slots[o.Run]
	return !known || slot != number
}

// ask asks for one job, and waits for it a while if told to.
func (w *worker) ask(ctx context.Context, l lane, wait bool) (jetstream.Msg, run.Job) {
	m, err := w.pull(ctx, l.name, wait)
	if err != nil && wait {
		// The hub is away, or has just come back without its queue.
		select {
		case <-ctx.Done():
		case <-time.After(w.Times.Alive / 4):
		}
	}
	if m == nil {
		return nil, run.Job{}
	}
	if ctx.Err() != nil {
		_ = m.Nak()
		return nil, run.Job{}
	}
	var j run.Job
	named, err := link.ParseJob(m.Subject())
	if err == nil {
		err = json.Unmarshal(m.Data(), &j)
	}
	if err != nil || j.Name() != named.Name() {
		w.log.Error("what the hub sent is no job", "subject", m.Subject(), "error", err)
		_ = m.Term()
		return nil, run.Job{}
	}
	w.mu.Lock()
	mine := w.mine[mineName(j)]
	w.mu.Unlock()
	if mine && l.number != link.AnyLane && !w.alone(j.Run) && tries(m) < 3 {
		// This copy is for another group of workers. Which one it keeps away
		// this worker learns here, before the hub tells it.
		w.mu.Lock()
		w.slots[j.Run] = l.number
		w.mu.Unlock()
		_ = m.Nak()
		return nil, run.Job{}
	}
	return m, j
}

// tries returns how often a message has been delivered.
func tries(m jetstream.Msg) uint64 {
	meta, err := m.Metadata()
	if err != nil {
		return 0
	}
	return meta.NumDelivered
}

// pull gets one message of a consumer, nil where it has none.
func (w *worker) pull(ctx context.Context, name string, wait bool) (jetstream.Msg, error) {
	w.mu.Lock()
	c := w.consumers[name]
	w.mu.Unlock()
	if c == nil {
		err := w.Conn.Ask(ctx, func(ctx context.Context) (err error) {
			c, err = w.Conn.JS.Consumer(ctx, link.Jobs, name)
			return err
		})
		if err != nil {
			return nil, err
		}
		w.mu.Lock()
		w.consumers[name] = c
		w.mu.Unlock()
	}
	var batch jetstream.MessageBatch
	var err error
	if wait {
		batch, err = c.Fetch(1, jetstream.FetchMaxWait(fetchWait))
	} else {
		batch, err = c.FetchNoWait(1)
	}
	if err != nil {
		return nil, err
	}
	for m := range batch.Messages() {
		return m, nil
	}
	return nil, batch.Error()
}

// rest is how long a worker keeps away from a run whose jobs it cannot do. What
// ails it, a full disk or a compiler that is missing, lets every job fail at
// once: it would have them all given up before others came to them.
type rest struct {
	fails int // in a row, those while it rested not counted
	until time.Time
}

// longestRest bounds a rest.
const longestRest = time.Hour

// tire lets the worker rest from a run of which it could not do a job, four times
// as long each time: the same job may come back to it, and a job has few tries.
func (w *worker) tire(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, now := w.rest[id], time.Now()
	if now.Before(r.until) {
		return // another core failed just now
	}
	r.until = now.Add(min(w.Times.Alive<<min(2*r.fails, 20), longestRest))
	r.fails++
	w.rest[id] = r
}

// rests reports whether the worker keeps away from a run.
func (w *worker) rests(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Before(w.rest[id].until)
}

// plan returns the plan of a run, or why the worker does not take part in it.
func (w *worker) plan(ctx context.Context, id string) (*plan, error) {
	w.mu.Lock()
	p := w.plans[id]
	why := w.refuses[id]
	w.mu.Unlock()
	if p != nil {
		return p, nil
	}
	if why != "" {
		return nil, errRefused
	}
	m, err := w.Conn.Manifest(ctx, id)
	if err != nil {
		return nil, err
	}
	p = &plan{manifest: m}
	if m.Bench != 0 {
		if p.bench, err = w.bench(); err != nil {
			return nil, fmt.Errorf("bench: %w", err)
		}
		if p.bench != m.Bench {
			return nil, refusal{fmt.Errorf("the bench of this worker visits %d nodes, the run wants %d: it has another network or another search", p.bench, m.Bench)}
		}
	}
	if p.Plan, err = w.Open(m); err != nil {
		return nil, refusal{err}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if other := w.plans[id]; other != nil {
		return other, nil // another core was first
	}
	w.plans[id] = p
	return p, nil
}

// errRefused says that the worker has refused a run before.
var errRefused = errors.New("refused")

// refusal marks an error that will stay.
type refusal struct{ error }

func (e refusal) Unwrap() error { return e.error }

// refuse notes why the worker does not take part in a run.
func (w *worker) refuse(id string, err error) {
	if errors.Is(err, errRefused) {
		return
	}
	w.log.Warn("takes no part in a run", "run", id[:8], "error", err)
	if errors.As(err, new(refusal)) {
		w.mu.Lock()
		w.refuses[id] = err.Error()
		w.mu.Unlock()
	}
}
