package work

import (
	"context"
	"fmt"
	"sync"
)

// Executor does jobs somewhere. Do calls next for one job after another until that returns false, and got with what
// each came to, in any order and, where a job was done twice, more than once. It may call both from several
// goroutines, with contexts that end together. It ends when next has no more jobs and all results have been handed
// over, or with the first error, which may be of ctx.
//
// Where got returns a [*RefusedError], an Executor that can have the job done again does so. Any other error of got
// says that the run is over, and Do returns it.
type Executor interface {
	Do(ctx context.Context, s *Spec, k Kind, in Inputs, next func(context.Context) (Job, bool),
		got func(JobResult) error) error
}

// RefusedError reports a result that the kind does not accept.
type RefusedError struct{ Err error }

// Error returns the reason.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// JobResult is what a job came to.
type JobResult struct {
	Index int    `json:"job"`
	Data  []byte `json:"data"`
}

// Local returns the place that does jobs in this process, so many at a time.
func Local(threads int) Executor { return local(threads) }

type local int

// Do implements [Executor].
func (threads local) Do(parent context.Context, s *Spec, k Kind, in Inputs, next func(context.Context) (Job, bool),
	got func(JobResult) error) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	var workers sync.WaitGroup
	for range threads {
		workers.Go(func() {
			if err := work(ctx, k, in, next, got); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// work does jobs with one worker, which it opens with the first of them.
func work(ctx context.Context, k Kind, in Inputs, next func(context.Context) (Job, bool),
	got func(JobResult) error) error {
	var w JobWorker
	for {
		j, ok := next(ctx)
		if !ok {
			return nil
		}
		if w == nil {
			var err error
			if w, err = k.Open(ctx, in); err != nil {
				return err
			}
			defer w.Close()
		}
		data, _, err := w.Do(ctx, j)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil {
			err = got(JobResult{j.Index, data})
		}
		if err != nil {
			return fmt.Errorf("job %d: %w", j.Index, err)
		}
	}
}
