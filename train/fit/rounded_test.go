package fit

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/must"
)

// written returns the network that a trainer would write.
func written(t *testing.T, tr *Trainer) *nnue.Network {
	t.Helper()
	net, err := tr.quantised(nnue.Provenance{})
	must.Succeed(t, err)
	return net
}

// run trains to the end.
func run(t *testing.T, tr *Trainer) {
	t.Helper()
	must.Succeed(t, tr.Run(context.Background(), nil))
}

// TestRoundedSaysWhatTheFileSays has outputs of a fit be those of the network that
// it writes, at the start, at the end and after a checkpoint.
func TestRoundedSaysWhatTheFileSays(t *testing.T) {
	set := randomGames(t, 4, 60, 10)
	c := small(256, 128)
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
	must.Succeed(t, tr.Save(name))
	again, err := Resume(name, c, set)
	must.Succeed(t, err)
	check("after a checkpoint", again)
}
