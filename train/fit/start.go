package fit

import "github.com/tabula-chess/tabula/eval/nnue"

// startFrom sets the parameters to the weights of a network of the same shape, or of one without king buckets, whose
// rows all buckets begin with. It is the reverse of quantised, but for what rounding took.
func (t *Trainer) startFrom(net *nnue.Network) {
	l, w := &t.layout, net.Weights()
	for i := range l.rows * l.width {
		t.params[l.weight(i/l.width, i%l.width)] = float32(w.Features[i%len(w.Features)]) / nnue.QA
	}
	unrounded(l.biases.of(t.params), w.Biases, nnue.QA)
	for bucket, from := range w.Stacks {
		to := l.stack(t.params, bucket)
		unrounded(to.weights1, from.Weights1, nnue.Weight1Unit)
		unrounded(to.biases1, from.Biases1, nnue.HiddenUnit)
		unrounded(to.weights2, from.Weights2, nnue.Weight2Unit)
		unrounded(to.biases2, from.Biases2, nnue.Bias2Unit)
		unrounded(to.weights3, from.Weights3, nnue.Weight3Unit)
		unrounded(to.skips, from.Skips, nnue.SkipUnit)
	}
	unrounded(l.offset.of(t.params), w.OutputBiases, nnue.OutputUnit)
	t.renew()
}

// unrounded sets parameters to whole units: rounded undoes it.
func unrounded[T whole](v []float32, w []T, unit float64) {
	for i, x := range w {
		v[i] = float32(float64(x) / unit)
	}
}
