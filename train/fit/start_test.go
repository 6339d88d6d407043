package fit

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/train/games"
	"github.com/tabula-chess/tabula/train/loader"
)

// fitted returns a trainer at the end of its fit, and its network.
func fitted(t *testing.T, config Config, set *loader.Set) (*Trainer, *nnue.Network) {
	t.Helper()
	tr := newTrainer(t, config, set)
	must.Succeed(t, tr.Run(t.Context(), nil))
	net, err := tr.Network(nil)
	must.Succeed(t, err)
	return tr, net
}

// TestStart begins with a network and must be where that was left: the first loss is
// its loss.
func TestStart(t *testing.T) {
	config := small(256, 64)
	config.Epochs = 2
	set := randomGames(t, 3, 40, 5)
	first, net := fitted(t, config, set)
	second, err := NewFrom(config, set, net)
	must.Succeed(t, err)
	again, err := second.Network(nil)
	must.Succeed(t, err)
	if diff := cmp.Diff(net.Weights(), again.Weights()); diff != "" {
		t.Errorf("weights of a network read into a trainer and written again (-want +got):\n%s", diff)
	}
	if a, b := first.HeldLoss(), second.HeldLoss(); math.Abs(a-b) > 0.05*a {
		t.Errorf("held-out loss %v at the end of the first fit, %v at the start of the second", a, b)
	}

	for name, change := range map[string]func(c *Config){
		"width":   func(c *Config) { c.Shape.Width *= 2 },
		"outputs": func(c *Config) { c.Shape.Outputs *= 2 },
		"scale":   func(c *Config) { c.Shape.Scale++ },
	} {
		other := config
		change(&other)
		if _, err := NewFrom(other, set, net); err == nil {
			t.Errorf("a start of another %s: no error", name)
		}
	}
}

// output returns the output for a sample, which becomes the block.
func (w *worker) output(s *games.Sample) float64 {
	w.read([]games.Sample{*s})
	w.gather(0)
	return w.forward(0)
}

// written returns the network that a trainer would write.
func written(t *testing.T, tr *Trainer) *nnue.Network {
	t.Helper()
	net, err := tr.quantised(nnue.Provenance{})
	must.Succeed(t, err)
	return net
}

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
		net, w, mean := written(t, tr), tr.workers[0], 0.0
		for i := range set.Held {
			out := w.output(&set.Held[i])
			mean += math.Abs(out-net.Output(w.inputs[0].rows(c.Shape.Width))) / float64(len(set.Held))
		}
		// What is left are sums of floats, and halves that go either way.
		if !(mean <= 0.001) {
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

func TestDraw(t *testing.T) {
	tr := newTrainer(t, small(256, 64), randomGames(t, 1, 10, 5))
	dir := t.TempDir()
	if err := tr.Draw(filepath.Join(dir, "x.svg")); err == nil {
		t.Error("Draw drew a curve without points")
	}
	for step := range 20 {
		tr.curve = append(tr.curve, Point{int64(step), 0.1 / float64(step+1), 0.12 / float64(step+1), 1e-3})
	}
	name := filepath.Join(dir, "x.svg")
	must.Succeed(t, tr.Draw(name))
	if data, err := os.ReadFile(name); err != nil || !strings.Contains(string(data), "<svg") {
		t.Errorf("%.8q (%v), want an SVG", data, err)
	}
}
