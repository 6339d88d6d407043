// Package parallel runs work on several goroutines and uses the results in order.
package parallel

import (
	"context"
	"iter"
)

// InOrder calls work with each of all, each call in a goroutine of its own, and use with
// the results, in order. About ahead calls at most are running or wait for their turn. InOrder
// returns the first error of use, or the cause of the end of ctx, once no call is running.
// Work that takes long should end with ctx.
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
