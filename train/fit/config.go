package fit

import (
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
)

// Config holds the settings of the network and of its training; [Job] has those of the data, which affect the network
// too. Configs are comparable.
type Config struct {
	Shape nnue.Shape

	Epochs float64 // passes over the data
	Batch  int     // positions per step
	Shards int     // parts of a batch whose gradients are added in order
	Seed   uint64  // of the first weights and of the order of positions

	Start [32]byte // [nnue.Network.Hash] of the network whose weights the fit starts from; zero: random weights

	Rate    float64 // highest learning rate
	RateEnd float64 // learning rate of the last step
	WarmUp  float64 // share of the steps in which the rate rises from zero
	Decay   float64 // weight decay per step and rate

	Blend      float64 // weight of the result against the score, 0 to 1
	ScoreScale float64 // centipawns of a score with odds of e to 1

	Sparsity float64 // weight in the loss of the sum of a position's products of pairs (L1)

	JudgeEvery int // steps between two measurements of the held-out loss
}

// Scale is the centipawns of an output of 1, and of a score with odds of e to 1.
const Scale = 156

// Default returns the settings for a new fit: those that did best in games for networks of the given width.
func Default(width int) Config {
	return Config{
		Shape:  nnue.Shape{Width: width, Outputs: 8, Scale: Scale},
		Epochs: 8, Batch: 16384, Shards: 8, Seed: 1,
		Rate: 2e-3, RateEnd: 5e-6, WarmUp: 0.02, Decay: 0.01,
		Blend: 0.95, ScoreScale: Scale,
		Sparsity:   3e-6, // with 1.5e-5 and a decay of 0.1 a third of k20's pairs of neurons fell silent
		JudgeEvery: 4000,
	}
}

// points is the number of points of a learning curve.
const points = 10

// spread sets JudgeEvery so that the learning curve of a fit to so many positions has ten
// points.
func (c *Config) spread(positions int) {
	c.JudgeEvery = max(1, int(c.Epochs*float64(positions)/float64(c.Batch)/points))
}

// Check returns an error that names the setting that a user has out of bounds: shape, epochs or rate.
func (c *Config) Check() error {
	if err := c.Shape.Check(); err != nil {
		return err
	}
	for _, f := range []struct {
		name             string
		value, low, high float64
	}{
		{"epochs", c.Epochs, 1e-6, 1e6},
		{"rate", c.Rate, 1e-9, 1},
	} {
		if !(f.value >= f.low && f.value <= f.high) { // also refuses NaN
			return exit.WrongUsef("%s %v: want %v to %v", f.name, f.value, f.low, f.high)
		}
	}
	return nil
}
