package fit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/record"
)

// DefaultHeld is the share of the games that fits hold out for validation.
const DefaultHeld = 0.005

// LoadOptions are the settings of [Load].
type LoadOptions struct {
	All     bool    // also the positions that are not [Quiet]
	Held    float64 // share of the games that are held out, 0 to 1
	Threads int     // that decode, at least 1

	// The target of a position is a weighted mean of its score, the later scores and the result of the game. Each
	// has Lambda times the weight of the one before; with 1, only the result counts. ScoreScale is the centipawns
	// of odds of e to 1.
	Lambda, ScoreScale float64

	Calibrate bool // multiply all scores first by Factors, which come from the results

	// Tables, nil for none, give the exact result of positions with few men, which replaces their target and score.
	Tables *syzygy.Tables
}

// check returns an error that names the first field out of range.
func (o *LoadOptions) check() error {
	switch {
	case !(o.Lambda >= 0 && o.Lambda <= 1):
		return exit.WrongUsef("lambda %v: want 0 to 1", o.Lambda)
	case o.Threads < 1:
		return exit.WrongUsef("threads %d: want at least 1", o.Threads)
	}
	return nil
}

// TrainingSet holds the training positions, in a file, and the held-out positions of other games, in memory.
type TrainingSet struct {
	Held      []Sample
	Factors   Factors // of the scores; 1 without Calibrate
	positions int
	hash      string
	samples   io.ReaderAt // of the positions to fit to, sampleSize bytes each
	window    int         // samples shuffled together
	close     func()
}

// Load reads the files and stores the positions in a scratch file beside the named file until [TrainingSet.Close]. An
// error names file and block, or comes from ctx.
func Load(ctx context.Context, names []string, beside string, o LoadOptions) (*TrainingSet, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	factors := Factors{1, 1, 1, 1, 1, 1, 1, 1}
	if o.Calibrate {
		var err error
		if factors, err = calibrate(ctx, names, o.ScoreScale); err != nil {
			return nil, err
		}
	}
	scratch, err := files.Scratch(beside)
	if err != nil {
		return nil, err
	}
	s := &TrainingSet{Factors: factors, samples: scratch, window: window, close: scratch.Abort}
	c := newCollector(s, scratch)
	err = record.Map(ctx, names, o.Threads, nil, func(b *record.Block) (parts, error) {
		return (&selection{options: &o, factors: &factors}).block(b)
	}, c.add)
	if err != nil {
		s.Close()
		return nil, err
	}
	if s.positions == 0 {
		s.Close()
		return nil, fmt.Errorf("no training positions in %v", names)
	}
	if err := c.flush(len(c.mixing)); err != nil {
		s.Close()
		return nil, err
	}
	s.hash = c.hash()
	return s, nil
}

// Positions returns the number of training positions.
func (s *TrainingSet) Positions() int { return s.positions }

// Hash returns the SHA-256 of all positions with scores and targets, in hexadecimal. It depends on their order, so
// that a resumed fit sees the same order.
func (s *TrainingSet) Hash() string { return s.hash }

// Close removes the scratch file.
func (s *TrainingSet) Close() { s.close() }

// collector gathers the samples of a set. It shuffles those to train on before it writes
// them, a window's worth at a time: a page then holds positions of thousands of games,
// and the positions of a game come up all over an epoch. Within one window they would
// teach the network that game, which it forgets in the next.
type collector struct {
	set    *TrainingSet
	out    io.Writer // to the scratch file and to sum
	sum    hash.Hash // of the positions to train on, in the order kept
	mixing []Sample  // that are not written yet
	random *rand.PCG
	buf    []byte
}

func newCollector(s *TrainingSet, out io.Writer) *collector {
	sum := sha256.New()
	return &collector{set: s, out: io.MultiWriter(out, sum), sum: sum, random: rand.NewPCG(0, 0)}
}

// add adds the samples of a block.
func (c *collector) add(p parts) error {
	c.set.Held = append(c.set.Held, p.held...)
	c.set.positions += len(p.training)
	c.mixing = append(c.mixing, p.training...)
	for len(c.mixing) >= c.set.window { // whole windows, so that the order does not depend on the size of blocks
		if err := c.flush(c.set.window); err != nil {
			return err
		}
	}
	return nil
}

// flush writes the first n samples that are in memory, in random order.
func (c *collector) flush(n int) error {
	shuffle(c.mixing[:n], c.random)
	for part := range slices.Chunk(c.mixing[:n], page) {
		c.buf = appendSamples(c.buf[:0], part)
		if _, err := c.out.Write(c.buf); err != nil {
			return fmt.Errorf("writing positions: %w", err)
		}
	}
	c.mixing = c.mixing[:copy(c.mixing, c.mixing[n:])]
	return nil
}

// hash returns the hash of all samples.
func (c *collector) hash() string {
	c.sum.Write(appendSamples(nil, c.set.Held))
	return hex.EncodeToString(c.sum.Sum(nil))
}
