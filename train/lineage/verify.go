package lineage

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/train/record"
)

// sum returns the sum of the games of a file, which must be in order, and the number of
// their positions.
func sum(ctx context.Context, name string) (s Sum, positions int, err error) {
	h, last := sha256.New(), -1
	err = record.Blocks(ctx, []string{name}, func(b *record.Block) error {
		for id, g := range b.Games() {
			if int(id.Number) <= last {
				return fmt.Errorf("game %d comes after game %d", id.Number, last)
			}
			last = int(id.Number)
			positions += len(g.Plies)
			h.Write(g.Append(nil))
		}
		return nil
	})
	return Sum(h.Sum(nil)), positions, err
}

// Verify plays n random chunks of the manifest again, or all if there are fewer, and calls each with
// every chunk and an error, nil if the games are the same.
// It leaves no games in c.Dir. The error says why it stopped, or how many chunks failed.
func (c *Chain) Verify(ctx context.Context, n int, each func(Chunk, error)) error {
	if c.network == nil {
		c.network = CommittedNetwork
	}
	c.Missing = true
	if err := os.MkdirAll(c.Dir, 0o777); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(c.Dir, "verify")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	chosen := rand.Perm(len(c.Manifest.Chunks))
	failed := 0
	for _, i := range chosen[:min(n, len(chosen))] {
		known := c.Manifest.Chunks[i]
		err := c.again(ctx, known, filepath.Join(dir, fmt.Sprintf("%s-%d.tbg", known.Stage, known.Number)))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		each(known, err)
		if err != nil {
			failed++
		}
	}
	switch {
	case len(chosen) == 0:
		return errors.New("the manifest has no chunks yet")
	case failed > 0:
		return fmt.Errorf("%d of %s could not be verified", failed, plural.Of(min(n, len(chosen)), "chunk"))
	}
	return nil
}

// again plays a chunk into a file, which it removes, and compares.
func (c *Chain) again(ctx context.Context, known Chunk, name string) error {
	s := c.Manifest.Stage(known.Stage)
	p, err := c.player(ctx, s)
	if err != nil {
		return err
	}
	made, file, err := p.chunk(ctx, known.Number, name, func(text string, done float64) {
		c.report(s, fmt.Sprintf("chunk %d, %s", known.Number, text), done)
	})
	defer os.Remove(file)
	if err == nil && made.Sum != known.Sum {
		err = fmt.Errorf("its games have the SHA-256 %v, the manifest has %v", made.Sum, known.Sum)
	}
	return err
}
