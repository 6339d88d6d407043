package fit

import (
	"context"
	"errors"
	"io"

	"github.com/tabula-chess/tabula/train/loader"
	"github.com/tabula-chess/tabula/train/record"
)

// Load returns the set of game files: the share of the games that options hold
// out is read, the others are counted and will be streamed, in the random order
// and by the buffer that options give. Errors are those of the loader, or of
// ctx when that ends the reading.
func Load(ctx context.Context, names []string, options loader.Options) (*Set, error) {
	options.Part = loader.Training
	train, err := survey(ctx, names, options, nil)
	if err != nil {
		return nil, err
	}
	options.Part = loader.HeldOut
	var samples []record.Sample
	held, err := survey(ctx, names, options, func(more []record.Sample) { samples = append(samples, more...) })
	if err != nil {
		return nil, err
	}
	return NewSet(train, samples, held.Hash()), nil
}

// files is a source of game files.
type files struct {
	names   []string
	options loader.Options
	found   *loader.Survey
}

// survey returns the files as a source and passes every sample to keep, unless
// that is nil.
func survey(ctx context.Context, names []string, options loader.Options, keep func([]record.Sample)) (*files, error) {
	l, err := loader.Open(names, options)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	found, err := l.Survey(ctx, keep)
	return &files{names, options, found}, err
}

// Positions returns the number of positions of an epoch.
func (f *files) Positions() int { return f.found.Samples }

// Hash returns what the survey found.
func (f *files) Hash() []byte { return f.found.Hash }

// Open opens the files.
func (f *files) Open(seed, k uint64) (Stream, error) {
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
func (e endless) Next(dst []record.Sample) error {
	for len(dst) > 0 {
		n, err := e.Loader.Next(dst)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		dst = dst[n:]
	}
	return nil
}
