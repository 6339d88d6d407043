package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/train/loader"
)

// TestStraighten begins with a network that has nothing going past its small layers:
// half of it goes along a line then, which changes little where the line was found
// and goes on where the layers are clipped.
func TestStraighten(t *testing.T) {
	c := small(256, 64)
	c.Epochs = 5
	set, none := randomGames(t, 3, 120, 2), randomGames(t, 3, 4, 0)
	_, net := fitted(t, c, set)
	w := net.Weights()
	clear(w.Stacks[0].Skips)
	bent, err := nnue.New(net.Shape(), w, nnue.Provenance{})
	must.Succeed(t, err)
	from := func(set *loader.Set) *Trainer {
		tr, err := NewFrom(c, set, bent)
		must.Succeed(t, err)
		return tr
	}
	before, after := from(none), from(set)
	old, now := before.layout.stack(before.params, 0), after.layout.stack(after.params, 0)
	moved := false
	for i, v := range old.weights3 {
		if now.weights3[i] != v/2 {
			t.Errorf("weight %d of the third layer is %v, was %v, want half of it", i, now.weights3[i], v)
		}
	}
	for i, v := range old.skips {
		if v != 0 {
			t.Errorf("no positions held out: weight %d past the layers is %v", i, v)
		}
		moved = moved || now.skips[i] != 0
	}
	if !moved {
		t.Error("nothing goes past the layers")
	}
	a, b := before.workers[0], after.workers[0]
	off, size, largest := 0.0, 0.0, 0.0
	for i := range set.Held {
		x, y := a.output(&set.Held[i]), b.output(&set.Held[i])
		off, size, largest = off+math.Abs(x-y), size+math.Abs(x), max(largest, math.Abs(x))
	}
	if off > size/3 {
		t.Errorf("outputs moved by %v of %v in all", off, size)
	}
	// The line alone, whatever the layers say: the sums as large as they count.
	furthest := 0.0
	for _, v := range now.skips {
		furthest += math.Abs(float64(v)) * nnue.SkipTop
	}
	if furthest < 1.5*largest {
		t.Errorf("the line reaches %v, outputs %v already", furthest, largest)
	}
	for i := range set.Held {
		a.output(&set.Held[i])
		line := 0.0
		for j, y := range a.hidden.sums1 {
			line += float64(now.skips[j]) * min(max(float64(y), -nnue.SkipTop), nnue.SkipTop)
		}
		offset := func(tr *Trainer) float64 { return float64(tr.layout.offset.of(tr.params)[0]) }
		x := (a.output(&set.Held[i]) - offset(before)) / 2
		if want, got := x+line+offset(after), b.output(&set.Held[i]); math.Abs(got-want) > 2e-3 {
			t.Fatalf("output %v, want %v: half of what it was, and the line", got, want)
		}
	}
	straight := written(t, after)
	again, err := NewFrom(c, set, straight)
	must.Succeed(t, err)
	kept := again.layout.stack(again.params, 0)
	for i, v := range straight.Weights().Stacks[0].Skips {
		if kept.skips[i] != float32(float64(v)/nnue.SkipUnit) {
			t.Fatalf("straight already: weight %d past the layers is %v, was %d units", i, kept.skips[i], v)
		}
	}
}

// TestFreshFitsAreStraightened begins with a network whose weights past the small
// layers are not zero, but as small as a fit from random weights leaves them.
func TestFreshFitsAreStraightened(t *testing.T) {
	c := small(256, 64)
	c.Epochs = 5
	set := randomGames(t, 3, 120, 2)
	_, net := fitted(t, c, set)
	w := net.Weights()
	for i := range w.Stacks[0].Skips {
		w.Stacks[0].Skips[i] = 1
	}
	fresh, err := nnue.New(net.Shape(), w, nnue.Provenance{})
	must.Succeed(t, err)
	tr, err := NewFrom(c, set, fresh)
	must.Succeed(t, err)
	var l line
	tr.workers[0].pass(set.Held, func(i int, out float64) {
		l.add(tr.workers[0].hidden.sums1, tr.layout.stack(tr.used, 0).skips, out)
	}, nil)
	if share := l.share(); share < 0.4 || share > 0.6 {
		t.Errorf("%.2f of the outputs go past the small layers, want about %v", share, straightShare)
	}
}

// TestLine finds a line through points on it, and none through few.
func TestLine(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var want [nnue.Hidden1]float64
	for i := range want {
		want[i] = r.NormFloat64()
	}
	var l line
	for range 100*(nnue.Hidden1+1) - 1 {
		value := 0.25
		var at [nnue.Hidden1]float32
		for i := range at {
			at[i] = float32(r.NormFloat64())
			value += want[i] * math.Max(-nnue.SkipTop, math.Min(nnue.SkipTop, float64(at[i])))
		}
		l.add(at[:], make([]float32, nnue.Hidden1), value)
	}
	if _, _, ok := l.solve(); ok {
		t.Errorf("%d points are enough", l.points)
	}
	l.add(make([]float32, nnue.Hidden1), make([]float32, nnue.Hidden1), 0.25)
	got, constant, ok := l.solve()
	if !ok || math.Abs(constant-0.25) > 0.01 {
		t.Errorf("constant %v, %v", constant, ok)
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 0.01 {
			t.Errorf("weight %d: %v, want %v", i, got[i], want[i])
		}
	}
}

// TestSmallLayersAreBound has the last weights come to more than 32 bits hold.
func TestSmallLayersAreBound(t *testing.T) {
	c := small(256, 64)
	tr := newTrainer(t, c, randomGames(t, 3, 4, 0))
	s := tr.layout.stack(tr.params, 0)
	for _, part := range [][]float32{s.weights3, s.skips} {
		for i := range part {
			part[i] = 0.8 // 76.8 in all
		}
	}
	if _, err := tr.Network(nil); err == nil {
		t.Fatal("such a network is taken")
	}
	tr.layout.bound(tr.params)
	if _, err := tr.Network(nil); err != nil || s.weights3[0] != s.skips[0] {
		t.Errorf("bound: %v and %v, %v", s.weights3[0], s.skips[0], err)
	}
}
