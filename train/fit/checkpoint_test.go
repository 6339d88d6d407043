package fit

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestResume interrupts a run at several steps, throws the trainer away, goes
// on from the checkpoint with another number of threads, and compares with a
// run that was left alone.
func TestResume(t *testing.T) {
	c := small(256, 150)
	c.Epochs = 4
	set := randomGames(t, 7, 20, 5)
	want := newTrainer(t, c, set)
	kit.Succeed(t, want.Run(context.Background(), nil))
	name := filepath.Join(t.TempDir(), "fit.checkpoint")
	tr := newTrainer(t, c, set)
	for _, stop := range []int64{1, 5, 7, 20, want.Steps() + 1} {
		ctx, cancel := context.WithCancel(context.Background())
		err := tr.Run(ctx, func(t *Trainer) error {
			if t.Step() == stop {
				cancel()
			}
			return nil
		})
		cancel()
		if stop <= want.Steps() && !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at step %d: error %v, want that of the context", tr.Step(), err)
		}
		kit.Succeed(t, tr.Save(name))
		tr, err = Resume(name, c, set)
		kit.Succeed(t, err)
		tr.SetThreads(int(stop)%3 + 1)
	}
	if d := cmp.Diff(want.curve, tr.curve); d != "" {
		t.Errorf("curves differ: %s", d)
	}
	var files [2]bytes.Buffer
	for i, tr := range []*Trainer{want, tr} {
		net, err := tr.Network([]string{"test"})
		kit.Succeed(t, err)
		if _, err := net.WriteTo(&files[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("the network of the resumed run differs from that of the one left alone")
	}
}

func TestResumeRefusals(t *testing.T) {
	set := randomGames(t, 8, 4, 2)
	c := small(256, 50)
	dir := t.TempDir()
	name := filepath.Join(dir, "fit.checkpoint")
	kit.Succeed(t, newTrainer(t, c, set).Save(name))
	good := kit.Read(t, name)
	same := func(d []byte) []byte { return d }
	for _, tt := range []struct {
		name   string
		damage func(d []byte) []byte
		config func(c *Config)
		set    *TrainingSet
		want   string
	}{
		{"other file", func([]byte) []byte { return []byte("hello") }, nil, set, "not a checkpoint"},
		{"empty", func([]byte) []byte { return nil }, nil, set, "not a checkpoint"},
		{"cut", func(d []byte) []byte { return d[:len(d)-4] }, nil, set, "damaged"},
		{"flipped bit", func(d []byte) []byte { d[len(d)/2] ^= 1; return d }, nil, set, "damaged"},
		{"rate", same, func(c *Config) { c.Rate *= 2 }, set, "Rate differs"},
		{"shape", same, func(c *Config) { c.Shape.Outputs = 2 }, set, "Shape differs"},
		{"other data", same, func(c *Config) { c.JudgeEvery++ }, randomGames(t, 9, 4, 2), "data"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kit.Write(t, name, tt.damage(bytes.Clone(good)))
			config := c
			if tt.config != nil {
				tt.config(&config)
			}
			_, err := Resume(name, config, tt.set)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Resume: error %v, want one with %q", err, tt.want)
			}
		})
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("Save left %v behind (%v)", left, err)
	}
}

// output returns the output for a sample, which becomes the block.
func (w *worker) output(s *Sample) float64 {
	w.read([]Sample{*s})
	w.gather(0)
	return w.forward(0)
}

// written returns the network that a trainer would write.
func written(t *testing.T, tr *Trainer) *nnue.Network {
	t.Helper()
	net, err := tr.quantised(nnue.Provenance{})
	kit.Succeed(t, err)
	return net
}

func run(t *testing.T, tr *Trainer) {
	t.Helper()
	kit.Succeed(t, tr.Run(context.Background(), nil))
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
			mean += math.Abs(out-net.Output(rows(w.features, c.Shape.Width))) / float64(len(set.Held))
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
	kit.Succeed(t, tr.Save(name))
	again, err := Resume(name, c, set)
	kit.Succeed(t, err)
	check("after a checkpoint", again)
}

// TestStart starts from a network: before the first step, the weights are its own.
func TestStart(t *testing.T) {
	c := small(256, 150)
	c.Epochs = 1
	set := randomGames(t, 7, 20, 5)
	first := newTrainer(t, c, set)
	run(t, first)
	net, second := written(t, first), newTrainer(t, c, set)
	second.startFrom(net)
	if written(t, second).Hash() != net.Hash() {
		t.Error("the weights changed on their way through the trainer")
	}
	if before, after := first.HeldLoss(), second.HeldLoss(); math.Abs(before-after) > 1e-9 {
		t.Errorf("held-out loss %v, started again %v", before, after)
	}

	bucketed := c
	bucketed.Shape.KingBuckets = 8
	third := newTrainer(t, bucketed, set)
	third.startFrom(net)
	if without, with := second.HeldLoss(), third.HeldLoss(); without != with {
		t.Errorf("held-out loss %v, with king buckets that begin alike %v", without, with)
	}

	rescaled, err := Rescale(net, []int{118}, "rescale --scale 118")
	kit.Succeed(t, err)
	j := Resumable{Data: []string{filepath.Join(t.TempDir(), "none.tbg")}, Config: c, Start: rescaled, Threads: 1}
	if _, err := j.Run(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a start of another scale and no games: %v; want only the games to fail", err)
	}
	j = Resumable{Config: Default(512), Start: net}
	if _, err := j.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "network to start from") {
		t.Errorf("a start of another shape: %v", err)
	}
}
