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
)

// small returns a configuration for tests.
func small(width, batch int) Config {
	c := Default(width)
	c.Sparsity, c.Decay, c.WarmUp = 0, 0.01, 0.02
	c.Batch, c.Shards, c.JudgeEvery, c.Epochs = batch, 4, 7, 20
	c.Rate = 1.5e-3 // the default is for batches hundreds of times as large
	c.Shape.Outputs, c.Shape.Scale, c.ScoreScale = 1, 400, 400
	c.Rounded = false // gradients, sums and bounds are tested as they are; rounded_test.go has the rest
	return c
}

func newTrainer(t testing.TB, c Config, set *Set) *Trainer {
	t.Helper()
	trainer, err := New(c, set)
	if err != nil {
		t.Fatal(err)
	}
	return trainer
}

// firstBatch opens the stream of a trainer and returns the loss of its first
// batch.
func firstBatch(t testing.TB, tr *Trainer) float64 {
	t.Helper()
	if err := tr.open(); err != nil {
		t.Fatal(err)
	}
	loss, err := tr.batch()
	if err != nil {
		t.Fatal(err)
	}
	return loss
}

// exactLoss computes the mean loss of the batch in hand in float64, straight
// from the definition, and what its products add to it.
func exactLoss(tr *Trainer, params []float64) (loss, products float64) {
	l, c := &tr.layout, &tr.config
	for k := range tr.next {
		s := &tr.next[k]
		var in input
		in.read(&c.Shape, allLenses(&c.Shape), s)
		out := params[l.offset.from+in.bucket]
		var accs [2][]float64
		for side := range accs {
			for i := range l.width {
				acc := params[l.biases.from+i]
				for _, feature := range in.features[side][:in.pieces] {
					acc += params[l.features.from+l.inTile(int(feature), i)]
				}
				accs[side] = append(accs[side], min(max(acc, 0), 1))
			}
		}
		small, sum := exactLayers(l, params, in.bucket, accs)
		out += small
		products += sum * c.Sparsity
		d := 1/(1+math.Exp(-out)) - target(s, c.Blend, c.ScoreScale)
		loss += d * d
	}
	n := float64(len(tr.next))
	return loss / n, products / n
}

// exactLayers computes small layers by the definition, without the last bias, and
// the sum of the products.
func exactLayers(l *layout, params []float64, bucket int, accs [2][]float64) (out, products float64) {
	for _, acc := range accs {
		for i, a := range acc[:l.width/2] {
			products += a * acc[l.width/2+i]
		}
	}
	var inputs [32]float64
	for j := range 16 {
		y := params[l.small.biases1.from+16*bucket+j]
		for side, acc := range accs {
			half := l.width / 2
			for i, a := range acc[:half] {
				y += a * acc[half+i] * params[l.heads.from+((bucket*2+side)*half+i)*16+j]
			}
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
	return out, products
}

// TestGradients compares the gradients of a batch with finite differences of
// the loss in float64, on every path.
func TestGradients(t *testing.T) {
	c := small(256, 48)
	c.Shape.Outputs, c.Sparsity = 4, 1e-3
	for _, path := range runnable(t) {
		checkGradients(t, c, path)
	}
}

// checkGradients does the work of TestGradients.
func checkGradients(t *testing.T, c Config, path nnue.Path) {
	t.Helper()
	set := randomGames(t, 1, 3, 0)
	tr := newTrainer(t, c, set)
	tr.kernel = kernels[path]
	r := rand.New(rand.NewPCG(5, 5))
	for i := range tr.params { // larger than at the start, to reach both ends of the clipping
		tr.params[i] = float32(r.NormFloat64() * 0.25)
	}
	exact := make([]float64, len(tr.params))
	for i, p := range tr.params {
		exact[i] = float64(p)
	}
	loss := firstBatch(t, tr)
	if want, _ := exactLoss(tr, exact); math.Abs(loss-want) > 1e-5 {
		t.Errorf("%v: loss %v, want %v", path, loss, want)
	}
	for _, other := range tr.grads[1:] {
		tr.kernel.drain(tr.grads[0], other)
	}
	checked, moved := 0, 0
	small := &tr.layout.small
	parts := []span{
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
			up, more := exactLoss(tr, exact)
			exact[i] = at - h
			down, less := exactLoss(tr, exact)
			exact[i] = at
			want, got := (up+more-down-less)/(2*h), float64(tr.grads[0][i])
			if math.Abs(got-want) > 1e-6+2e-3*math.Abs(want) {
				t.Errorf("%v: gradient of parameter %d is %v, want %v", path, i, got, want)
			}
			checked++
			if want != 0 {
				moved++
			}
		}
	}
	if moved < 100 {
		t.Errorf("%v: only %d of %d gradients were not zero", path, moved, checked)
	}
}

// TestLearns has the loss on games never seen go down.
func TestLearns(t *testing.T) {
	set := randomGames(t, 3, 150, 5)
	c := small(256, 256)
	c.Epochs, c.Rate, c.Blend = 6, 5e-3, 0
	tr := newTrainer(t, c, set)
	before := tr.HeldLoss()
	if err := tr.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if after := tr.HeldLoss(); after > before/3 {
		t.Errorf("loss on %d held-out positions went from %v to %v, want a third", set.Held(), before, after)
	}
}

// TestRowRate has the rows of the first layer stay bit for bit, or move less, while
// all else learns.
func TestRowRate(t *testing.T) {
	set := randomGames(t, 3, 60, 5)
	c := small(256, 200)
	moved := func(rowRate float64) (rows float64, learnt bool) {
		c.RowRate, c.Epochs, c.Blend = rowRate, 2, 0
		tr := newTrainer(t, c, set)
		first, before := slices.Clone(tr.rows), tr.HeldLoss()
		if err := tr.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		for i, v := range tr.rows {
			rows = max(rows, math.Abs(float64(v-first[i])))
		}
		return rows, tr.HeldLoss() < before
	}
	still, learnt := moved(0)
	if still != 0 || !learnt {
		t.Errorf("%v: rows move by up to %v at a rate of 0; the rest learns: %v", c.Shape, still, learnt)
	}
	slow, _ := moved(0.1)
	fast, _ := moved(1)
	if !(slow > 0 && slow < fast/3) {
		t.Errorf("%v: rows move by up to %v at a tenth of the rate, by %v at all of it", c.Shape, slow, fast)
	}
}

// TestSameForAnyThreads compares runs on different threads and kernels.
func TestSameForAnyThreads(t *testing.T) {
	c := small(256, 200)
	c.Epochs, c.Shape.Outputs, c.Rounded = 2, 3, true
	set := randomGames(t, 4, 20, 5)
	var want *Trainer
	for _, threads := range []int{1, 2, 5} {
		for _, path := range runnable(t) {
			tr := newTrainer(t, c, set)
			tr.SetThreads(threads)
			tr.kernel = kernels[path]
			if err := tr.Run(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = tr
				continue
			}
			if d := cmp.Diff(want.curve, tr.curve); d != "" {
				t.Errorf("%d threads, %v: %s", threads, path, d)
			}
			same(t, "parameters", tr.params, want.params)
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
	if err := tr.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	before, err := tr.quantised(nnue.Provenance{})
	if err != nil {
		t.Fatal(err)
	}
	after, err := tr.arranged(before)
	if err != nil {
		t.Fatal(err)
	}
	if cmp.Equal(before.Weights().Biases, after.Weights().Biases) {
		t.Error("the order is the same")
	}
	counts := make([]int, 128)
	for i := range set.held {
		var in input
		in.read(&c.Shape, allLenses(&c.Shape), &set.held[i])
		us, them := in.rows(c.Shape.Width)
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
		p, err := chess.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		s := sampleOf(p, 0, 1)
		var in input
		in.read(&shape, allLenses(&shape), &s)
		if got, want := in.bucket, shape.OutputBucket(p.Occupied().Count()); got != want {
			t.Errorf("%s: bucket %d, want %d", fen, got, want)
		}
		us, them := in.rows(shape.Width)
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
		{"shape", func(c *Config) { c.Shape.Layered = false }},
		{"epochs", func(c *Config) { c.Epochs = math.NaN() }},
		{"batch", func(c *Config) { c.Batch = 0 }},
		{"shards", func(c *Config) { c.Shards = 0 }},
		{"rate", func(c *Config) { c.Rate = -1 }},
		{"blend", func(c *Config) { c.Blend = 1.5 }},
		{"score scale", func(c *Config) { c.ScoreScale = 0 }},
		{"judge every", func(c *Config) { c.JudgeEvery = 0 }},
	} {
		c := Default(256)
		tt.change(&c)
		if _, err := New(c, set); err == nil {
			t.Errorf("New took a wrong %s", tt.field)
		}
	}
	if _, err := New(Default(256), setOf(nil, nil)); err == nil {
		t.Error("New took an empty set")
	}
	c := small(256, 64)
	tr := newTrainer(t, c, set)
	stop := errors.New("stop")
	if err := tr.Run(context.Background(), func(*Trainer) error { return stop }); !errors.Is(err, stop) || tr.Step() != 1 {
		t.Errorf("Run returned %v after %d steps, want %v after 1", err, tr.Step(), stop)
	}
}
