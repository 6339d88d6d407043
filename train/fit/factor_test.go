package fit

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// factorised returns a configuration with king buckets that share a part.
func factorised() Config {
	c := small(32, 200)
	c.Epochs, c.Factorise = 3, true
	c.Shape.Kings, _ = ParseKings("9")
	return c
}

// TestFactor fits with king buckets that share a part: on every path and any
// number of threads the rows are the sum of both parts, the gradient of the
// shared part is the sum of those of the buckets, and the network written is
// the one that was fitted.
func TestFactor(t *testing.T) {
	set := randomGames(t, 5, 20, 5)
	var want *Trainer
	for _, threads := range []int{1, 3} {
		for _, path := range runnable(t) {
			tr := newTrainer(t, factorised(), set)
			tr.SetThreads(threads)
			tr.kernel = kernels[path]
			firstStep(t, tr)
			l := &tr.layout
			own, shared := l.features.of(tr.mean), l.factor.of(tr.mean)
			moved := 0
			for i := range shared {
				sum, size := 0.0, 0.0
				for at := i; at < len(own); at += len(shared) {
					sum += float64(own[at])
					size += math.Abs(float64(own[at]))
				}
				if math.Abs(sum-float64(shared[i])) > 1e-6*size {
					t.Fatalf("%v: mean gradient %d of the shared part is %v, of the buckets together %v", path, i, shared[i], sum)
				}
				if size != 0 {
					moved++
				}
			}
			if moved < 1000 {
				t.Fatalf("%v: only %d weights moved", path, moved)
			}
			tr = newTrainer(t, factorised(), set)
			tr.SetThreads(threads)
			tr.kernel = kernels[path]
			if err := tr.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			own, shared = l.features.of(tr.params), l.factor.of(tr.params)
			for i, row := range tr.rows {
				if row != shared[i%len(shared)]+own[i] {
					t.Fatalf("%v: weight %d of the rows is %v, its parts %v and %v", path, i, row, shared[i%len(shared)], own[i])
				}
			}
			if want == nil {
				want = tr
			}
			same(t, "parameters", tr.params, want.params)
		}
	}
	net, err := want.Network([]string{"test"})
	if err != nil {
		t.Fatal(err)
	}
	if mean, largest := want.Rounding(net); mean > 0.05 || largest > 0.2 {
		t.Errorf("the network written is off by %v in the mean and %v at the most", mean, largest)
	}
}

// firstStep takes one step.
func firstStep(t *testing.T, tr *Trainer) {
	t.Helper()
	firstBatch(t, tr)
	tr.update(tr.Steps())
	tr.step++
}

// TestFactorTeaches fits games in which kings hardly leave their first ranks:
// the rows of a bucket that no position has learn with the others, and are as
// they began without a shared part.
func TestFactorTeaches(t *testing.T) {
	set := randomGames(t, 5, 20, 5)
	for _, factorise := range []bool{true, false} {
		c := factorised()
		c.Factorise, c.Decay = factorise, 0
		c.Shape.Kings = [32]uint8{31: 1} // d8, where no king of these games gets
		tr := newTrainer(t, c, set)
		first := append([]float32(nil), tr.rows...)
		if err := tr.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		moved := 0
		for i := len(first) / 2; i < len(first); i++ {
			if tr.rows[i] != first[i] {
				moved++
			}
		}
		if (moved > len(first)/10) != factorise {
			t.Errorf("factorise %v: %d of %d weights of a bucket without positions moved", factorise, moved, len(first)/2)
		}
	}
}

// TestFactorStart begins with a network without king buckets, and goes on from a
// checkpoint: what the network says stays.
func TestFactorStart(t *testing.T) {
	set := randomGames(t, 3, 40, 5)
	plain := small(32, 64)
	plain.Epochs = 2
	first := newTrainer(t, plain, set)
	if err := first.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	net, err := first.Network(nil)
	if err != nil {
		t.Fatal(err)
	}
	same, err := NewFrom(plain, set, net)
	if err != nil {
		t.Fatal(err)
	}
	c := factorised()
	tr, err := NewFrom(c, set, net)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := same.HeldLoss(), tr.HeldLoss(); math.Abs(a-b) > 1e-5*a {
		t.Errorf("held-out loss %v, with king buckets that share a part %v", a, b)
	}
	firstStep(t, tr)
	name := filepath.Join(t.TempDir(), "fit.checkpoint")
	if err := tr.Save(name); err != nil {
		t.Fatal(err)
	}
	c = tr.config
	again, err := Resume(name, c, set)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tr.rows, again.rows); diff != "" {
		t.Error("rows differ after a checkpoint")
	}
	if a, b := tr.HeldLoss(), again.HeldLoss(); a != b {
		t.Errorf("held-out loss %v before a checkpoint, %v after it", a, b)
	}
}
