package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// Bounds of the weights of the first layer, so that their quantised forms fit: rows
// int8, and 33 of biasLimit·QA, the weights of all pieces and the bias, int16.
const (
	rowLimit  = 127.0 / nnue.QA
	biasLimit = 1.98
)

// layout says where in a flat slice of parameters each layer lies. All parts
// have lengths that are multiples of 32.
type layout struct {
	width, outputs int
	rows           int // of the first layer
	// Heads are the weights of what follows the first layer, offset the biases of the outputs.
	features, biases, heads, offset indexRange
	small                           smallLayers
	size                            int
}

// indexRange is a part of a slice.
type indexRange struct{ from, to int }

func (s indexRange) of(v []float32) []float32 { return v[s.from:s.to:s.to] }

func newLayout(shape *nnue.Shape) layout {
	l := layout{width: shape.Width, outputs: shape.Outputs, rows: shape.Rows()}
	next := func(n int) indexRange {
		s := indexRange{l.size, l.size + (n+31)/32*32}
		l.size = s.to
		return s
	}
	l.features = next(l.rows * shape.Width)
	l.biases = next(shape.Width)
	l.heads = next(shape.Outputs * shape.Width * nnue.Hidden1)
	l.small.biases1 = next(shape.Outputs * nnue.Hidden1)
	l.small.weights2 = next(shape.Outputs * 2 * nnue.Hidden1 * nnue.Hidden2)
	l.small.biases2 = next(shape.Outputs * nnue.Hidden2)
	l.small.weights3 = next(shape.Outputs * nnue.Hidden2)
	l.small.skips = next(shape.Outputs * nnue.Hidden1)
	l.offset = next(shape.Outputs)
	return l
}

// modelPart is some of the parameters between the first layer and the biases of the
// outputs.
type modelPart struct {
	indexRange
	limit float32 // they stay within ±limit
	unit  float64 // the file's units that make 1; 0 where these are finer than floats
}

// parts returns all of them.
func (l *layout) parts() []modelPart {
	s := &l.small
	return []modelPart{
		{l.heads, float32(firstLimit), nnue.Weight1Unit},
		{s.biases1, bias1Limit, nnue.HiddenUnit},
		{s.weights2, secondLimit, nnue.Weight2Unit},
		{s.biases2, bias2Limit, 0},
		{s.weights3, thirdLimit, nnue.Weight3Unit},
		{s.skips, skipLimit, nnue.SkipUnit},
	}
}

// bound scales the last weights of every output bucket down where they would not fit,
// see [stackOf.bound].
func (l *layout) bound(params []float32) {
	for bucket := range l.outputs {
		l.stack(params, bucket).bound()
	}
}

// magnitude returns the sum of the magnitudes of weights.
func magnitude(v []float32) (sum float64) {
	for _, w := range v {
		sum += math.Abs(float64(w))
	}
	return sum
}

// scale multiplies weights by a factor.
func scale(v []float32, by float64) {
	for i, w := range v {
		v[i] = float32(float64(w) * by)
	}
}

// initialise sets params to random weights.
func (l *layout) initialise(params []float32, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0x6669742e)) // apart from the order of positions
	uniform := func(v []float32, bound float64) {
		for i := range v {
			v[i] = float32((2*r.Float64() - 1) * bound)
		}
	}
	uniform(l.features.of(params), 1/math.Sqrt(nnue.Inputs))
	l.initialiseSmall(params, uniform)
}

// quantised returns the network as it is now, rounded.
func (t *Trainer) quantised(p nnue.Provenance) (*nnue.Network, error) {
	l := &t.layout
	w := nnue.Weights{Biases: t.biases, Stacks: l.quantised(t.params)}
	for feature := range l.rows {
		for neuron := range l.width {
			w.Features = append(w.Features, t.rows[l.inTile(feature, neuron)])
		}
	}
	for i, x := range l.offset.of(t.params)[:l.outputs] {
		y := math.RoundToEven(float64(x) * nnue.OutputUnit)
		if !(math.Abs(y) < 1<<28) {
			return nil, fmt.Errorf("output %d: bias %v is too large to quantise", i, x)
		}
		w.OutputBiases = append(w.OutputBiases, int32(y))
	}
	return nnue.New(t.config.Shape, w, p)
}

// aligned returns zeros that start at a cache line.
func aligned(n int) []float32 {
	raw := make([]float32, n+15)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw)))&63) / 4
	return raw[skip : skip+n : skip+n]
}
