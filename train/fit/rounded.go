package fit

import "github.com/tabula-chess/tabula/eval/nnue"

// Where Config.Rounded is set, positions pass through the weights as the network's
// file will have them, and the gradient goes to the weights in full (known as the
// straight-through estimator: Bengio, Léonard and Courville, "Estimating or
// Propagating Gradients Through Stochastic Neurons", 2013). Otherwise what a fit
// learns by steps smaller than a unit is lost when the file is written: many
// weights that each move by a quarter of one move outputs by centipawns.

// renewRows makes a part of the rows anew.
func (t *Trainer) renewRows(s span) {
	if t.config.Rounded {
		t.kernel.roundTo(s.of(t.rows), s.of(t.layout.features.of(t.params)), nnue.QA)
	}
}

// renewRest makes anew what is not of rows.
func (t *Trainer) renewRest() {
	if !t.config.Rounded {
		return
	}
	l := &t.layout
	t.kernel.roundTo(l.biases.of(t.used), l.biases.of(t.params), nnue.QA)
	for _, p := range l.parts() {
		if p.unit == 0 {
			copy(p.of(t.used), p.of(t.params))
			continue
		}
		t.kernel.roundTo(p.of(t.used), p.of(t.params), p.unit)
	}
	copy(l.offset.of(t.used), l.offset.of(t.params)) // their units are finer than floats
}
