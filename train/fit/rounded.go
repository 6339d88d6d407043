package fit

import "github.com/tabula-chess/tabula/eval/nnue"

// Where Config.Rounded is set, positions pass through the weights as the network's
// file will have them, and the gradient goes to the weights in full (known as the
// straight-through estimator: Bengio, Léonard and Courville, "Estimating or
// Propagating Gradients Through Stochastic Neurons", 2013). Otherwise what a fit
// learns by steps smaller than a unit is lost when the file is written: many
// weights that each move by a quarter of one move outputs by centipawns.

// renewRows makes a part of the rows of every king bucket anew.
func (t *Trainer) renewRows(s span) {
	l := &t.layout
	if l.factorised() {
		l.merge(t.rows, t.params, s, t.kernel)
	}
	if !t.config.Rounded {
		return
	}
	from := t.rows
	if !l.factorised() {
		from = l.features.of(t.params)
	}
	for at := 0; at < len(t.rows); at += nnue.Inputs * l.width {
		part := span{at + s.from, at + s.to}
		t.kernel.roundTo(part.of(t.rows), part.of(from), nnue.QA)
	}
}

// renewRest makes anew what is not of rows.
func (t *Trainer) renewRest() {
	if !t.config.Rounded {
		return
	}
	l := &t.layout
	copy(t.used[l.biases.from:], t.params[l.biases.from:]) // biases of outputs and of the second small layer have finer units than floats
	type part struct {
		span
		unit float64
	}
	parts := []part{{l.biases, nnue.QA}, {l.heads, nnue.QB}}
	if s := &l.small; l.layered {
		parts = []part{
			{l.biases, nnue.QA}, {l.heads, nnue.Weight1Unit}, {s.biases1, nnue.HiddenUnit},
			{s.weights2, nnue.Weight2Unit}, {s.weights3, nnue.Weight3Unit}, {s.skips, nnue.SkipUnit},
		}
	}
	for _, p := range parts {
		t.kernel.roundTo(p.of(t.used), p.of(t.used), p.unit)
	}
}
