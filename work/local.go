package work

import (
	"context"
	"fmt"
	"sync"
)

// Place does jobs somewhere. Do calls next for one job after another until that returns false, and got with what
// each came to, in any order and, where a job was done twice, more than once. It may call both from several
// goroutines, with contexts that end together. It ends when next has no more jobs and all results have been handed
// over, or with the first error, which may be of ctx.
//
// An error of got says that the result is refused: a Place that can have the job done again does so, and any other
// returns it.
type Place interface {
	Do(ctx context.Context, s *Spec, k Kind, in Inputs, next func(context.Context) (Job, bool), got func(Result) error) error
}

// Result is what a job came to.
type Result struct {
	Index int    `json:"job"`
	Data  []byte `json:"data"`
}

// Local returns the place that does jobs in this process, so many at a time.
func Local(threads int) Place { return local(threads) }

type local int

// Do implements [Place].
func (threads local) Do(parent context.Context, s *Spec, k Kind, in Inputs, next func(context.Context) (Job, bool),
	got func(Result) error) error {
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
func work(ctx context.Context, k Kind, in Inputs, next func(context.Context) (Job, bool), got func(Result) error) error {
	var w Worker
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
			err = got(Result{j.Index, data})
		}
		if err != nil {
			return fmt.Errorf("job %d: %w", j.Index, err)
		}
	}
}
