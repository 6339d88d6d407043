package fit

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tabula-chess/tabula/train/games"
	"github.com/tabula-chess/tabula/train/loader"
)

// Load returns the set of game files. It reads the games that options hold out and
// counts the others, which will be streamed in random order, from the spool where
// options have an empty one. Errors are those of the loader and of ctx.
func Load(ctx context.Context, names []string, options loader.Options) (*Set, error) {
	spool := options.Spool
	options.Spool = nil // which is empty yet
	l, err := loader.Open(names, options)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	training := loader.Wanted{Part: loader.Training}
	if spool != nil {
		training.Keep = spool.Add
	}
	var held []games.Sample
	found, err := l.Survey(ctx, training,
		loader.Wanted{Part: loader.HeldOut, Keep: func(more []games.Sample) { held = append(held, more...) }})
	if err != nil {
		return nil, err
	}
	options.Part, options.Spool = loader.Training, spool
	if spool != nil && spool.Err() != nil {
		return nil, fmt.Errorf("positions cannot be kept: %w", spool.Err())
	}
	return NewSet(&gameFiles{names, options, found[0]}, held, found[1].Hash), nil
}

// gameFiles is a source of game files.
type gameFiles struct {
	names   []string
	options loader.Options
	found   *loader.Survey
}

// Positions returns the number of positions of an epoch.
func (f *gameFiles) Positions() int { return f.found.Samples }

// Hash returns what the survey found.
func (f *gameFiles) Hash() []byte { return f.found.Hash }

// Open opens the files.
func (f *gameFiles) Open(seed, k uint64) (Stream, error) {
	options := f.options
	options.Seed = seed
	l, err := loader.Open(f.names, options)
	if err != nil {
		return nil, err
	}
	if err := l.SeekSample(f.found, k); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return endless{l}, nil
}

// endless is a loader whose epochs follow each other.
type endless struct{ *loader.Loader }

// Next fills dst.
func (e endless) Next(dst []games.Sample) error {
	for len(dst) > 0 {
		n, err := e.Loader.Next(dst)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		dst = dst[n:]
	}
	return nil
}
