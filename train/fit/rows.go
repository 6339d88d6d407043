package fit

import (
	"math"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// Positions pass through the weights as the network's file will have them, and the
// gradient goes to the parameters in full (known as the straight-through estimator:
// Bengio, Léonard and Courville, "Estimating or Propagating Gradients Through
// Stochastic Neurons", 2013). Otherwise what a fit learns by steps smaller than a unit
// would be lost when the file is written: many weights that each move by a quarter of
// one move outputs by centipawns.
//
// The rows of the first layer lie in two orders, both in columns of a few neurons, so that
// what many positions need stays in the cache: the rounded rows, in bytes, have a tile of
// neurons after another, parameters and gradients a group of pairs of neurons, and in
// tile and group one feature after another.

// tile is the number of neurons of a tile. Every width is a multiple of it.
const tile = 64

// group is the number of pairs of a group. The first neurons of all of them lie before
// the second.
const group = 16

// weight returns where the parameter of a neuron in the row of a feature lies.
func (l *layout) weight(feature, neuron int) int {
	half := l.width / 2
	pair, second := neuron%half, neuron/half
	return l.features.from + ((pair/group*l.rows+feature)*2+second)*group + pair%group
}

// inTile returns where its rounded form lies.
func (l *layout) inTile(feature, neuron int) int {
	return (neuron/tile*l.rows+feature)*tile + neuron%tile
}

// renewTile rounds the rows of a tile of neurons. Sums below 1<<22 and wholes end in the
// bits of the whole number.
func (t *Trainer) renewTile(i int) {
	l := &t.layout
	for neuron := i * tile; neuron < (i+1)*tile; neuron += group {
		for f := range l.rows {
			from, to := t.params[l.weight(f, neuron):][:group], t.rows[l.inTile(f, neuron):][:group]
			for k, x := range from {
				to[k] = int8(math.Float32bits(float32(x*nnue.QA) + wholes))
			}
		}
	}
}

// renew rounds all parameters.
func (t *Trainer) renew() {
	l := &t.layout
	t.share(l.width/tile, func(_ *worker, i int) { t.renewTile(i) })
	copy(t.biases, rounded[int16](l.biases.of(t.params), nnue.QA))
	for _, p := range l.parts() {
		if p.unit == 0 {
			copy(p.of(t.used), p.of(t.params))
			continue
		}
		t.kernel.roundTo(p.of(t.used), p.of(t.params), p.unit)
	}
	copy(l.offset.of(t.used), l.offset.of(t.params)) // their units are finer than floats
}
