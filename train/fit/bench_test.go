package fit

import (
	"testing"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/train/record"
)

// BenchmarkShard measures the gradients of a part of a batch, of 2,048 positions, at the
// embedded network.
func BenchmarkShard(b *testing.B) {
	n := nnue.Embedded()
	config := Default(n.Shape().Width)
	config.Shape = n.Shape()
	set := randomGames(b, 1, 30, 0)
	defer set.Close()
	t, err := New(config, set)
	if err != nil {
		b.Fatal(err)
	}
	t.layout.dequantise(t.params, n.Weights())
	t.renew()
	if err := t.open(); err != nil {
		b.Fatal(err)
	}
	defer t.stream.close()
	samples := make([]record.Sample, config.Batch/config.Shards)
	if err := t.stream.fill(samples); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		t.workers[0].shard(t.grads[0], samples)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(samples)), "ns/position")
}

// dequantise is the reverse of quantised, but for what rounding took.
func (l *layout) dequantise(params []float32, w nnue.Weights) {
	for neuron := range l.width {
		for f := range nnue.Inputs {
			params[l.weight(f, neuron)] = float32(float64(w.Features[f*l.width+neuron]) / nnue.QA)
		}
	}
	spread(l.biases.of(params), w.Biases, nnue.QA)
	l.setSmall(params, w.Stacks)
	spread(l.offset.of(params), w.OutputBiases, nnue.OutputUnit)
}

// setSmall is the reverse of quantised.
func (l *layout) setSmall(params []float32, stacks []nnue.Stack) {
	for bucket := range stacks {
		from, to := &stacks[bucket], l.stack(params, bucket)
		spread(to.weights1, from.Weights1, nnue.Weight1Unit)
		spread(to.biases1, from.Biases1, nnue.HiddenUnit)
		spread(to.weights2, from.Weights2, nnue.Weight2Unit)
		spread(to.biases2, from.Biases2, nnue.Bias2Unit)
		spread(to.weights3, from.Weights3, nnue.Weight3Unit)
		spread(to.skips, from.Skips, nnue.SkipUnit)
	}
}

// spread sets the parameters in dst from whole units.
func spread[T whole](dst []float32, words []T, unit float64) {
	for i, x := range words {
		dst[i] = float32(float64(x) / unit)
	}
}
