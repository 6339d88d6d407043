// Package parallel does work on several threads in the order of what there is to do.
package parallel

import (
	"context"
	"iter"
)

// InOrder calls work with each of all on threads of their own, about so many as are to be
// under way or to wait for an earlier one, and use with what it returns, in order. It
// returns the first error of use, or the cause of the end of ctx, when nothing is at work
// any more. Work that takes long should end with ctx.
func InOrder[S, T any](ctx context.Context, ahead int, all iter.Seq[S], work func(S) T, use func(T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	order := make(chan chan T, ahead)
	go func() {
		defer close(order)
		for s := range all {
			done := make(chan T, 1)
			select {
			case order <- done:
			case <-ctx.Done():
				return
			}
			go func() { done <- work(s) }()
		}
	}()
	defer func() {
		cancel(nil)
		for done := range order {
			<-done
		}
	}()
	for done := range order {
		value := <-done
		err := context.Cause(ctx)
		if err == nil {
			err = use(value)
		}
		if err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}
