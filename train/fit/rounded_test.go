package fit

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// written returns the network that a trainer would write.
func written(t *testing.T, tr *Trainer) *nnue.Network {
	t.Helper()
	net, err := tr.quantised(nnue.Provenance{})
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// run trains to the end.
func run(t *testing.T, tr *Trainer) {
	t.Helper()
	if err := tr.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
}

// TestRoundedSaysWhatTheFileSays has outputs of a fit be those of the network that
// it writes, at the start, at the end and after a checkpoint, where rounding moves
// them otherwise.
func TestRoundedSaysWhatTheFileSays(t *testing.T) {
	set := randomGames(t, 4, 60, 10)
	c := small(256, 128)
	c.Rounded = true
	c.Epochs, c.Rate = 2, 5e-3
	tr := newTrainer(t, c, set)
	check := func(what string, tr *Trainer) {
		t.Helper()
		// What is left are sums of floats, and halves that go either way.
		if mean, _ := tr.Rounding(written(t, tr)); mean > 0.001 {
			t.Errorf("%v, %s: rounding moves outputs by %v in the mean; want at most 0.001", c.Shape, what, mean)
		}
	}
	check("at the start", tr)
	run(t, tr)
	check("at the end", tr)
	name := filepath.Join(t.TempDir(), "checkpoint")
	if err := tr.Save(name); err != nil {
		t.Fatal(err)
	}
	again, err := Resume(name, c, set)
	if err != nil {
		t.Fatal(err)
	}
	check("after a checkpoint", again)
	c.Rounded = false
	other := newTrainer(t, c, set)
	run(t, other)
	if mean, _ := other.Rounding(written(t, other)); mean < 0.004 {
		t.Errorf("%v: without, rounding moves outputs by %v; want 0.004 or more, or the test shows nothing", c.Shape, mean)
	}
}

// TestSmallStepsCount goes on with a network at a rate that is too low for most
// weights to come to another unit: the network written has learnt more where
// positions pass through rounded weights than where rounding comes last.
func TestSmallStepsCount(t *testing.T) {
	set := randomGames(t, 5, 300, 10)
	c := small(256, 256)
	c.Rounded, c.Epochs, c.Rate, c.Blend = true, 1, 5e-3, 0
	first := newTrainer(t, c, set)
	run(t, first)
	start := written(t, first)
	before := first.HeldLoss()
	var gained [2]float64
	for i, rounded := range []bool{false, true} {
		c := c
		c.Rounded, c.Rate, c.Epochs = rounded, 3e-5, 2
		tr, err := NewFrom(c, set, start)
		if err != nil {
			t.Fatal(err)
		}
		run(t, tr)
		c.Rounded = true
		judge, err := NewFrom(c, set, written(t, tr))
		if err != nil {
			t.Fatal(err)
		}
		gained[i] = before - judge.HeldLoss()
	}
	if gained[1] <= 0 || gained[1] < 1.1*gained[0] {
		t.Errorf("the held-out loss %v falls by %v where rounding comes last, by %v on rounded weights; want the latter to be more", before, gained[0], gained[1])
	}
}
