package fit

import (
	"context"
	"errors"
	"io"

	"github.com/tabula-chess/tabula/train/loader"
	"github.com/tabula-chess/tabula/train/record"
)

// Load reads game files into a set, in their order: the share of the games
// that options hold out, and the others. Errors are those of the loader, or of
// ctx when that ends the reading.
func Load(ctx context.Context, names []string, options loader.Options) (*Set, error) {
	set := new(Set)
	options.Ordered = true
	for _, part := range []struct {
		part loader.Part
		add  func([]record.Sample)
	}{{loader.Training, set.Add}, {loader.HeldOut, set.Hold}} {
		options.Part = part.part
		if err := load(ctx, names, options, part.add); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// load passes all samples that the options choose to add.
func load(ctx context.Context, names []string, options loader.Options, add func([]record.Sample)) error {
	l, err := loader.Open(names, options)
	if err != nil {
		return err
	}
	defer l.Close()
	buf := make([]record.Sample, 1<<15)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := l.Next(buf)
		add(buf[:n])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
