package fit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/syzygy"
)

// Resumable is a fit to files of games that can be interrupted.
type Resumable struct {
	Data       []string
	Config     Config         // Run sets Start, and JudgeEvery for ten points of the learning curve
	Start      *nnue.Network  // to start from, nil: random weights; of the same shape, but for scale and king buckets
	Lambda     float64        // as in LoadOptions
	Tables     *syzygy.Tables // as in LoadOptions
	Threads    int            // do not affect the result
	Checkpoint string         // file; the positions lie beside it meanwhile

	// Began is called before the first step, Stepped after each, with a line on the progress. Both may be nil.
	Began   func(*TrainingSet, *Trainer)
	Stepped func(t *Trainer, text string)
}

// saveEvery is the time between two checkpoints.
const saveEvery = time.Minute

// Run trains to the end, from the checkpoint if there is one, and returns the trainer. It saves a checkpoint every
// minute and at the end, be it that of ctx, whose error then comes with the trainer.
func (j *Resumable) Run(ctx context.Context) (*Trainer, error) {
	if j.Start != nil {
		have, want := j.Start.Shape(), j.Config.Shape
		have.Scale = want.Scale // it is that of scores in centipawns; the weights have none
		if have.KingBuckets == 0 {
			have.KingBuckets = want.KingBuckets
		}
		if have != want {
			return nil, exit.WrongUsef("network to start from: shape %+v, want %+v", have, want)
		}
		j.Config.Start = j.Start.Hash()
	}
	set, err := Load(ctx, j.Data, j.Checkpoint, LoadOptions{
		Held: DefaultHeld, Threads: j.Threads, Lambda: j.Lambda, ScoreScale: j.Config.ScoreScale,
		Tables: j.Tables, Calibrate: true,
	})
	if err != nil {
		return nil, err
	}
	defer set.Close()
	j.Config.spread(set.Positions())
	t, err := Resume(j.Checkpoint, j.Config, set)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w; remove the file to start again", err)
	}
	if t == nil {
		if t, err = New(j.Config, set); err != nil {
			return nil, err
		}
		if j.Start != nil {
			t.startFrom(j.Start)
		}
	}
	t.SetThreads(j.Threads)
	if j.Began != nil {
		j.Began(set, t)
	}
	saved, began, first := time.Now(), time.Now(), t.Step()
	err = t.Run(ctx, func(t *Trainer) error {
		if j.Stepped != nil {
			j.Stepped(t, t.progress(time.Since(began)/time.Duration(t.Step()-first)))
		}
		if time.Since(saved) < saveEvery {
			return nil
		}
		saved = time.Now()
		return t.Save(j.Checkpoint)
	})
	if !errors.Is(err, errDiverged) { // the weights before are of use
		err = errors.Join(err, t.Save(j.Checkpoint))
	}
	return t, err
}
