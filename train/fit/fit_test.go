package fit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/test/kit"
)

func small(width, batch int) Config {
	c := Default(width)
	c.Sparsity, c.Decay, c.WarmUp = 0, 0.01, 0.02
	c.Batch, c.Shards, c.JudgeEvery, c.Epochs = batch, 4, 7, 20
	c.Rate = 1.5e-3 // the default is for batches hundreds of times as large
	c.Shape.Outputs, c.Shape.Scale, c.ScoreScale = 1, 400, 400
	return c
}

func newTrainer(t testing.TB, c Config, set *TrainingSet) *Trainer {
	t.Helper()
	trainer, err := New(c, set)
	kit.Succeed(t, err)
	return trainer
}

// firstBatch opens the stream of a trainer and returns the loss of its first
// batch.
func firstBatch(t testing.TB, tr *Trainer) float64 {
	t.Helper()
	kit.Succeed(t, tr.open())
	loss, err := tr.batch()
	kit.Succeed(t, err)
	return loss
}

// exactLoss computes the mean loss of the batch in hand in float64, straight
// from the definition, and what its products add to it. moved is what rounding does to
// the products of each position, see roundings.
func exactLoss(tr *Trainer, params []float64, moved [][]float64) (loss, products float64) {
	l, c := &tr.layout, &tr.config
	lenses := allLenses(&c.Shape)
	for k := range tr.next {
		s := &tr.next[k]
		features := appendFeatures(nil, lenses, s)
		bucket := c.Shape.OutputBucket(len(features) / 2)
		pairs := exactPairs(l, params, features)
		for i, m := range moved[k] {
			products += pairs[i] * c.Sparsity
			if pairs[i] += m; math.IsNaN(m) {
				pairs[i] = 0
			}
		}
		out := params[l.offset.from+bucket] + exactLayers(l, params, bucket, pairs)
		d := math.Abs(1/(1+math.Exp(-out)) - target(s, c.Blend, c.ScoreScale))
		loss += d * d
	}
	n := float64(len(tr.next))
	return loss / n, products / n
}

// roundings returns by how much rounding moves the products of every position of the
// batch in hand. The gradient goes through it as if it were nothing, but for products
// that become zero, which have no number here.
func roundings(t *testing.T, tr *Trainer, params []float64) (moved [][]float64) {
	t.Helper()
	w := tr.workers[0]
	for k := range tr.next {
		w.output(&tr.next[k])
		pairs := exactPairs(&tr.layout, params, w.features)
		for i, p := range w.hidden.products {
			if pairs[i] = float64(p) - pairs[i]; math.Abs(pairs[i]) > 0.5001/nnue.ProductUnit {
				t.Fatalf("a product is rounded by %v", pairs[i])
			}
			if p == 0 {
				pairs[i] = math.NaN()
			}
		}
		moved = append(moved, pairs)
	}
	return moved
}

// exactPairs computes the products of the first layer's pairs, the mover's first. At 0
// and 1, where a rounded accumulator may lie, its slope is 0 to both sides.
func exactPairs(l *layout, params []float64, features []uint16) (pairs []float64) {
	half := l.width / 2
	for _, features := range [][]uint16{features[:len(features)/2], features[len(features)/2:]} {
		clipped := func(neuron int) float64 {
			acc := params[l.biases.from+neuron]
			for _, f := range features {
				acc += params[l.weight(int(f), neuron)]
			}
			const edge = 2e-5 // more than parameters are moved by
			switch {
			case acc < edge:
				return 0
			case acc > 1-edge:
				return 1
			}
			return acc
		}
		for i := range half {
			pairs = append(pairs, clipped(i)*clipped(half+i))
		}
	}
	return pairs
}

// exactLayers computes small layers by the definition, without the last bias.
func exactLayers(l *layout, params []float64, bucket int, pairs []float64) (out float64) {
	var inputs [32]float64
	for j := range 16 {
		y := params[l.small.biases1.from+16*bucket+j]
		for i, p := range pairs {
			y += p * params[l.heads.from+(bucket*l.width+i)*16+j]
		}
		out += min(max(y, -4), 4) * params[l.small.skips.from+16*bucket+j]
		inputs[j] = min(max(y, 0), 1)
		inputs[16+j] = min(y*y, 1)
	}
	for j := range 32 {
		z := params[l.small.biases2.from+32*bucket+j]
		for i, v := range inputs {
			z += v * params[l.small.weights2.from+(bucket*32+i)*32+j]
		}
		z = min(max(z, 0), 1)
		out += z * z * params[l.small.weights3.from+32*bucket+j]
	}
	return out
}

// TestGradients compares the gradients of a batch with finite differences of
// the loss in float64. TestKernelsAgree holds the other paths to the same.
func TestGradients(t *testing.T) {
	for _, buckets := range []int{0, 8} {
		testGradients(t, buckets)
	}
}

func testGradients(t *testing.T, kingBuckets int) {
	c := small(256, 48)
	c.Shape.Outputs, c.Shape.KingBuckets, c.Sparsity = 4, kingBuckets, 1e-3
	set := randomGames(t, 1, 3, 0)
	tr := newTrainer(t, c, set)
	r := rand.New(rand.NewPCG(5, 5))
	for i := range tr.params { // larger than at the start, to reach both ends of the clipping
		tr.params[i] = float32(r.NormFloat64() * 0.25)
	}
	tr.renew()
	exact := make([]float64, len(tr.params))
	for i, v := range tr.used {
		exact[i] = float64(v)
	}
	for neuron, v := range tr.biases {
		exact[tr.layout.biases.from+neuron] = float64(v) / nnue.QA
		for f := range tr.layout.rows {
			exact[tr.layout.weight(f, neuron)] = float64(tr.rows[tr.layout.inTile(f, neuron)]) / nnue.QA
		}
	}
	loss := firstBatch(t, tr)
	moved := roundings(t, tr, exact)
	if want, _ := exactLoss(tr, exact, moved); math.Abs(loss-want) > 1e-5 {
		t.Errorf("loss %v, want %v", loss, want)
	}
	for _, other := range tr.grads[1:] {
		tr.kernel.drain(tr.grads[0], other)
	}
	checked, sloping := 0, 0
	small := &tr.layout.small
	parts := []indexRange{
		tr.layout.features, tr.layout.biases, tr.layout.heads, {tr.layout.offset.from, tr.layout.offset.from + 4},
		small.biases1, small.weights2, small.biases2, small.weights3, small.skips,
	}
	for _, part := range parts {
		for range 400 / len(parts) {
			i := part.from + r.IntN(part.to-part.from)
			if tr.grads[0][i] == 0 && r.IntN(20) != 0 {
				continue // a feature that does not occur; a few will do
			}
			const h = 1e-5
			at := exact[i]
			exact[i] = at + h
			up, more := exactLoss(tr, exact, moved)
			exact[i] = at - h
			down, less := exactLoss(tr, exact, moved)
			exact[i] = at
			want, got := (up+more-down-less)/(2*h), float64(tr.grads[0][i])
			if math.Abs(got-want) > 1e-6+2e-3*math.Abs(want) {
				t.Errorf("gradient of parameter %d is %v, want %v", i, got, want)
			}
			checked++
			if want != 0 {
				sloping++
			}
		}
	}
	if sloping < 100 {
		t.Errorf("only %d of %d gradients were not zero", sloping, checked)
	}
}

// TestLearns has the loss on games never seen go down.
func TestLearns(t *testing.T) {
	set := randomGames(t, 3, 150, 5)
	c := small(256, 256)
	c.Epochs, c.Rate, c.Blend = 6, 5e-3, 0
	tr := newTrainer(t, c, set)
	before := tr.HeldLoss()
	kit.Succeed(t, tr.Run(context.Background(), nil))
	if after := tr.HeldLoss(); after > before/3 {
		t.Errorf("loss on %d held-out positions went from %v to %v, want a third", len(set.Held), before, after)
	}
}

// TestSameForAnyThreads compares runs on different threads and kernels.
func TestSameForAnyThreads(t *testing.T) {
	c := small(256, 200)
	c.Epochs, c.Shape.Outputs = 2, 3
	set := randomGames(t, 4, 20, 5)
	var want *Trainer
	for _, c.Shape.KingBuckets = range []int{0, 8} {
		want = nil
		for _, threads := range []int{1, 2, 5} {
			for _, path := range runnable(t) {
				tr := newTrainer(t, c, set)
				tr.SetThreads(threads)
				tr.kernel = kernels[path]
				kit.Succeed(t, tr.Run(context.Background(), nil))
				if want == nil {
					want = tr
					continue
				}
				if d := cmp.Diff(want.curve, tr.curve); d != "" {
					t.Errorf("%d king buckets, %d threads, %v: %s", c.Shape.KingBuckets, threads, path, d)
				}
				same(t, "parameters", tr.params, want.params)
			}
		}
	}
}

// TestArranged holds that the pairs of a layered network stand in the order of how
// often they count, and that it says what it said before.
func TestArranged(t *testing.T) {
	set := randomGames(t, 6, 20, 5)
	c := small(256, 256)
	c.Shape.Outputs, c.Sparsity = 2, 1e-4
	tr := newTrainer(t, c, set)
	kit.Succeed(t, tr.Run(context.Background(), nil))
	before, err := tr.quantised(nnue.Provenance{})
	kit.Succeed(t, err)
	after, err := tr.arranged(before)
	kit.Succeed(t, err)
	if cmp.Equal(before.Weights().Biases, after.Weights().Biases) {
		t.Error("the order is the same")
	}
	counts := make([]int, 128)
	for i := range set.Held {
		us, them := rows(appendFeatures(nil, allLenses(&c.Shape), &set.Held[i]), c.Shape.Width)
		if a, b := before.Output(us, them), after.Output(us, them); a != b {
			t.Fatalf("position %d: %v, arranged %v", i, a, b)
		}
		for k, p := range after.Products(us, them) {
			if p != 0 {
				counts[k%128]++
			}
		}
	}
	if !slices.IsSortedFunc(counts, func(a, b int) int { return b - a }) {
		t.Errorf("products that are not zero, by pair: %d", counts)
	}
}

// TestInputs compares the inputs of samples with those of the network's own
// view of the position.
func TestInputs(t *testing.T) {
	shape := nnue.Shape{Width: 32, Outputs: 8, Scale: 400}
	for _, fen := range []string{
		chess.StartFEN,
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
		"8/8/8/8/8/1k6/8/K6R w - - 0 1",
	} {
		p := kit.Position(t, fen)
		s := sampleOf(p, 0, 1)
		us, them := rows(appendFeatures(nil, allLenses(&shape), &s), shape.Width)
		for side, c := range []chess.Color{p.SideToMove(), p.SideToMove().Other()} {
			var want []uint32
			view := shape.View(c, p.King(c))
			for sq := range p.Occupied().Squares() {
				want = append(want, uint32(32*view.Feature(p.Piece(sq), sq)))
			}
			if d := cmp.Diff(want, [2][]uint32{us, them}[side]); d != "" {
				t.Errorf("%s: seen from %v: %s", fen, c, d)
			}
		}
	}
}

func TestConfigCheck(t *testing.T) {
	set := randomGames(t, 1, 1, 0)
	for _, tt := range []struct {
		field  string
		change func(c *Config)
	}{
		{"width", func(c *Config) { c.Shape.Width = 320 }},
		{"epochs", func(c *Config) { c.Epochs = math.NaN() }},
		{"rate", func(c *Config) { c.Rate = -1 }},
	} {
		c := Default(256)
		tt.change(&c)
		if _, err := New(c, set); err == nil {
			t.Errorf("New took a wrong %s", tt.field)
		}
	}
	if _, err := New(Default(256), inMemory(nil, nil)); err == nil {
		t.Error("New took an empty set")
	}
	c := small(256, 64)
	tr := newTrainer(t, c, set)
	stop := errors.New("stop")
	if err := tr.Run(context.Background(), func(*Trainer) error { return stop }); !errors.Is(err, stop) || tr.Step() != 1 {
		t.Errorf("Run returned %v after %d steps, want %v after 1", err, tr.Step(), stop)
	}
}
