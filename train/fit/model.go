package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// Bounds of weights, so that their quantised forms fit: 33 of rowLimit·QA, the
// weights of all pieces and the bias of the first layer, fit int16; narrowLimit·QA
// fits int8, the rows that a layered network is evaluated faster with; and
// headLimit·QB is 127, so that its product with an activation fits int16.
const (
	rowLimit    = 1.98
	narrowLimit = 127.0 / nnue.QA
	headLimit   = 127.0 / nnue.QB
)

// layout says where in a flat slice of parameters each layer lies. All parts
// have lengths that are multiples of 32.
type layout struct {
	width, outputs                  int
	tile                            int // neurons of a tile, see tiles.go
	layered                         bool
	features, biases, heads, offset span // heads are the weights of what follows the first layer, offset the biases of the outputs
	small                           smallLayers
	factor                          span // see [layout.merge]; empty without
	size                            int
}

// span is a part of a slice.
type span struct{ from, to int }

func (s span) of(v []float32) []float32 { return v[s.from:s.to:s.to] }

func newLayout(shape *nnue.Shape, factorise bool) layout {
	l := layout{width: shape.Width, tile: tiling(shape.Width), outputs: shape.Outputs, layered: shape.Layered}
	next := func(n int) span {
		s := span{l.size, l.size + (n+31)/32*32}
		l.size = s.to
		return s
	}
	l.features = next(shape.Features() * shape.Width)
	l.biases = next(shape.Width)
	if shape.Layered {
		l.heads = next(shape.Outputs * shape.Width * nnue.Hidden1)
		l.small.biases1 = next(shape.Outputs * nnue.Hidden1)
		l.small.weights2 = next(shape.Outputs * 2 * nnue.Hidden1 * nnue.Hidden2)
		l.small.biases2 = next(shape.Outputs * nnue.Hidden2)
		l.small.weights3 = next(shape.Outputs * nnue.Hidden2)
		l.small.skips = next(shape.Outputs * nnue.Hidden1)
	} else {
		l.heads = next(shape.Outputs * 2 * shape.Width)
	}
	l.offset = next(shape.Outputs)
	l.factor = span{l.size, l.size}
	if factorise {
		l.factor = next(nnue.Inputs * shape.Width)
	}
	return l
}

// part is some of the parameters between the first layer and the biases of the
// outputs.
type part struct {
	span
	limit float32 // they stay within ±limit
	unit  float64 // so many of the file's units make 1; 0 where these are finer than floats
}

// parts returns all of them.
func (l *layout) parts() []part {
	if !l.layered {
		return []part{{l.heads, headLimit, nnue.QB}}
	}
	s := &l.small
	return []part{
		{l.heads, float32(firstLimit), nnue.Weight1Unit},
		{s.biases1, bias1Limit, nnue.HiddenUnit},
		{s.weights2, secondLimit, nnue.Weight2Unit},
		{s.biases2, bias2Limit, 0},
		{s.weights3, thirdLimit, nnue.Weight3Unit},
		{s.skips, skipLimit, nnue.SkipUnit},
	}
}

// head returns the second layer's weights of an output bucket in params, for
// the side to move and for the other.
func (l *layout) head(params []float32, bucket int) (us, them []float32) {
	at := l.heads.from + bucket*2*l.width
	return params[at : at+l.width], params[at+l.width : at+2*l.width]
}

// factorised reports whether king buckets share a part of their rows.
func (l *layout) factorised() bool { return l.factor.to > l.factor.from }

// bound scales the weights of every output down where their products with the
// highest activations, added up, would not fit int32 once they are rounded.
func (l *layout) bound(params []float32) {
	if l.layered {
		for bucket := range l.outputs {
			l.stack(params, bucket).bound()
		}
		return
	}
	n := 2 * l.width
	most := float64(math.MaxInt32/(nnue.QA*nnue.QA))/nnue.QB - float64(n)*0.5/nnue.QB
	for heads := l.heads.of(params); len(heads) >= n; heads = heads[n:] {
		if sum := magnitude(heads[:n]); sum > most {
			scale(heads[:n], most/sum)
		}
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

// rowLimits returns the bounds of the weights of features and of factor, whose
// sum must stay within that of a row. The shared part is the larger one.
func (l *layout) rowLimits() (features, factor float32) {
	limit := float32(rowLimit)
	if l.layered {
		limit = narrowLimit
	}
	if !l.factorised() {
		return limit, 0
	}
	return limit / 4, limit - limit/4
}

// merge sets the rows of all king buckets from those of features: with factor
// each of them is a row that belongs to its bucket, plus one that all buckets
// share, so that a bucket learns from the positions of the others as well.
// Source: Stockfish's trainer, "feature factorization" in its docs/nnue.md.
func (l *layout) merge(rows, params []float32, s span, k *kernel) {
	shared := l.factor.of(params)[s.from:s.to]
	for at := 0; at < len(rows); at += l.factor.to - l.factor.from {
		k.sumRows(rows[at+s.from:at+s.to], shared, l.features.of(params), []uint32{uint32(at + s.from)})
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
	first := l.features
	if l.factorised() {
		first = l.factor // all buckets begin alike
	}
	uniform(first.of(params), 1/math.Sqrt(nnue.Inputs))
	if l.layered {
		l.initialiseSmall(params, uniform)
		return
	}
	uniform(l.heads.of(params), 1/math.Sqrt(float64(2*l.width)))
}

// quantise returns the network with the parameters rounded to integers, rows
// being those of the first layer.
func (l *layout) quantise(rows, params []float32, shape nnue.Shape, p nnue.Provenance) (*nnue.Network, error) {
	w := nnue.Weights{
		Features: rounded[int16](rows, nnue.QA),
		Biases:   rounded[int16](l.biases.of(params), nnue.QA),
	}
	unit := float64(nnue.QA * nnue.QB)
	if l.layered {
		w.Stacks, unit = l.quantised(params), nnue.LayeredUnit
	} else {
		w.Outputs = rounded[int16](l.heads.of(params), nnue.QB)
	}
	for i, x := range l.offset.of(params)[:l.outputs] {
		y := math.RoundToEven(float64(x) * unit)
		if !(math.Abs(y) < 1<<28) {
			return nil, fmt.Errorf("output %d: bias %v is too large to quantise", i, x)
		}
		w.OutputBiases = append(w.OutputBiases, int32(y))
	}
	return nnue.New(shape, w, p)
}

// dequantise is the reverse of quantise, but for what rounding took. Weights of
// fewer neurons than the layout's become its first ones. The others keep what
// they have and do not count in the output yet, so that the network says what
// it said before. Source: Chen, Goodfellow and Shlens, "Net2Net", 2016.
func (l *layout) dequantise(params []float32, w nnue.Weights) {
	width, parts := len(w.Biases), 1
	if l.layered {
		parts = 2 // neurons keep their half
	}
	set := func(v []float32, words []int16, unit float64) {
		for n := width / parts; len(words) > 0; v, words = v[l.width/parts:], words[n:] {
			spread(v, words[:n], unit)
		}
	}
	set(l.features.of(params), w.Features, nnue.QA)
	l.split(params)
	set(l.biases.of(params), w.Biases, nnue.QA)
	unit := float64(nnue.QA * nnue.QB)
	if l.layered {
		unit = nnue.LayeredUnit
		l.setSmall(params, w.Stacks, width)
	} else {
		clear(l.heads.of(params))
		set(l.heads.of(params), w.Outputs, nnue.QB)
	}
	spread(l.offset.of(params), w.OutputBiases, unit)
}

// split takes the part that the rows of all king buckets share out of them: the
// mean of each weight, as far as the bounds allow.
func (l *layout) split(params []float32) {
	if !l.factorised() {
		return
	}
	features, factor := l.features.of(params), l.factor.of(params)
	own, shared := l.rowLimits()
	for i := range factor {
		sum, n := float32(0), 0
		for at := i; at < len(features); at += len(factor) {
			sum += features[at]
			n++
		}
		factor[i] = min(max(sum/float32(n), -shared), shared)
		for at := i; at < len(features); at += len(factor) {
			features[at] = min(max(features[at]-factor[i], -own), own)
		}
	}
}

// aligned returns zeros that start at a cache line.
func aligned(n int) []float32 {
	raw := make([]float32, n+15)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw)))&63) / 4
	return raw[skip : skip+n : skip+n]
}
