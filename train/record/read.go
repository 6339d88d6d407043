package record

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/tabula-chess/tabula/internal/parallel"
)

// Map reads the named files. It calls work with each block, on some goroutines at a time, and use with the results, in
// order, until ctx ends. It calls damaged for every damaged block and continues if that returns nil; a damaged header
// ends its file. With a nil damaged, damage is an error. Errors name file and block.
func Map[T any](ctx context.Context, names []string, threads int, damaged func(name string, d *Damage) error,
	work func(*Block) (T, error), use func(T) error) error {
	if damaged == nil {
		damaged = func(_ string, d *Damage) error { return fmt.Errorf("%w; train merge leaves damaged blocks out", d) }
	}
	for _, name := range names {
		if err := mapFile(ctx, name, threads, damaged, work, use); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// mapFile does the work of Map on one file.
func mapFile[T any](ctx context.Context, name string, threads int, damaged func(name string, d *Damage) error,
	work func(*Block) (T, error), use func(T) error) error {
	f, err := Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	type result struct {
		value T
		err   error
	}
	err = parallel.InOrder(ctx, threads, func(yield func(int) bool) {
		for i := range f.Entries {
			if !yield(i) {
				return
			}
		}
	}, func(i int) (r result) {
		b := new(Block)
		if r.err = f.Read(i, b); r.err == nil {
			if r.value, r.err = work(b); r.err != nil {
				r.err = fmt.Errorf("block %d: %w", i, r.err)
			}
		}
		return r
	}, func(r result) error {
		if damage := (*Damage)(nil); errors.As(r.err, &damage) {
			return damaged(name, damage)
		}
		if r.err != nil {
			return r.err
		}
		return use(r.value)
	})
	if err == nil && f.Damage != nil {
		err = damaged(name, f.Damage)
	}
	return err
}

// Blocks calls visit with every block of the named files in order. Damage is an error; otherwise as [Map].
func Blocks(ctx context.Context, names []string, visit func(*Block) error) error {
	return Map(ctx, names, runtime.GOMAXPROCS(0), nil, same, visit)
}

func same(b *Block) (*Block, error) { return b, nil }
