package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/work"
)

// Remote does the jobs of one run on the workers of a farm. It makes work.Run the owner of the run: it queues jobs and
// hands results over in the order of the jobs. Workers go on with what is queued while there is no owner, and the next
// owner reads all results again, so that the farm itself is the journal.
type Remote struct {
	Conn   *Conn
	Record Record // Name (by default KIND-ID), Title, Owner and Jobs of the run
	Exact  bool   // one job in a hundred is repeated here, one at a time: see work.Type
	Log    *slog.Logger

	mu       sync.Mutex
	progress Progress // as it is reported
}

// Report tells the farm how far the run is. It is called while results are folded.
func (p *Remote) Report(k work.Kind, steps int) {
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
	At      time.Time       `json:"at"`             // when the owner told it; set by View
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

var errStopped = errors.New("the run was ended") // by an operator

// Do implements [work.Executor].
func (p *Remote) Do(parent context.Context, s *work.Spec, k work.Kind, in work.Inputs,
	next func(context.Context) (work.Job, bool), got func(work.JobResult) error) error {
	ctx, cancel := context.WithCancelCause(noDeadline{parent})
	o := &owner{Remote: p, spec: s, id: s.ID(), kind: k, in: in, got: got, last: -1, tasks: map[int]*task{},
		done: map[string]Done{}}
	defer func() { cancel(nil); o.all.Wait() }()
	p.Record.Run, p.Record.Kind, p.Record.Version, p.Record.Search = o.id, s.Kind, s.Version, s.Search
	if p.Record.Name == "" {
		p.Record.Name = fmt.Sprintf("%s-%.6s", s.Kind, o.id)
	}
	var messages <-chan jetstream.Msg
	var stop func()
	err := p.Conn.Retry(ctx, startWait, func(ctx context.Context) (err error) {
		if err = o.begin(ctx); err == nil {
			messages, stop, err = o.follow(ctx)
		}
		return err
	})
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

// begin makes the run known to the farm. Its record comes first, as one that has ended, so that all that the farm has is
// of a run that can be forgotten.
func (o *owner) begin(ctx context.Context) error {
	err := change(ctx, o.Conn.farm, stateKey, func(all *RunState) error {
		if all.find(o.id) == nil {
			r := o.Record
			r.Share, r.Ended = 1, &Ended{Failed: "not all of its inputs are here: give the command again if it has ended"}
			all.Runs = append(all.Runs, r)
		}
		return nil
	})
	if err != nil {
		return err
	}
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
	_, err = o.Conn.JS.CreateOrUpdateConsumer(ctx, JobsStream, jetstream.ConsumerConfig{
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
	return o.Conn.changeRun(ctx, o.id, func(r *Record) { // which goes on, perhaps further
		r.Name, r.Title, r.Owner, r.Jobs, r.Ended = o.Record.Name, o.Record.Title, o.Record.Owner, o.Record.Jobs, nil
	})
}

// look does what operators want of the run, and tells the farm where it stands. The former never waits for the latter.
func (o *owner) look(ctx context.Context) error {
	keys, err := o.Conn.Keys(ctx)
	if err == nil {
		o.keys = keys
		for index, t := range o.tasks {
			o.keep(t, func(r result) bool { return keys.counts(r.key, o.id, index) })
		}
	}
	state, bad := o.Conn.State(ctx)
	if bad == nil {
		if err := o.obey(ctx, state.find(o.id)); err != nil {
			return err
		}
	}
	err = errors.Join(err, bad, put(ctx, o.Conn.status, o.id, o.tells()))
	if err != nil && ctx.Err() == nil {
		o.Conn.Warn(err)
	}
	return nil
}

// obey returns an error if an operator has ended the run with this record.
func (o *owner) obey(ctx context.Context, r *Record) error {
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
	return nil
}

// tells returns where the run stands.
func (o *owner) tells() *Progress {
	o.mu.Lock()
	p := o.progress
	o.mu.Unlock()
	p.Before, p.Held, p.Workers = o.last+1, o.held, o.done
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
