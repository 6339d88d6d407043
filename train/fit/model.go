package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// Bounds of weights, so that their quantised forms fit: 33 of rowLimit·QA, the
// weights of all pieces and the bias of the first layer, fit int16, and
// headLimit·QB is 127, so that its product with an activation does.
const (
	rowLimit  = 1.98
	headLimit = 127.0 / nnue.QB
)

// layout says where in a flat slice of parameters each layer lies. All parts
// have lengths that are multiples of 32.
type layout struct {
	width, outputs                  int
	features, biases, heads, offset span // heads are the second layer's weights, offset its biases
	size                            int
}

// span is a part of a slice.
type span struct{ from, to int }

func (s span) of(v []float32) []float32 { return v[s.from:s.to:s.to] }

func newLayout(shape *nnue.Shape) layout {
	l := layout{width: shape.Width, outputs: shape.Outputs}
	next := func(n int) span {
		s := span{l.size, l.size + (n+31)/32*32}
		l.size = s.to
		return s
	}
	l.features = next(shape.Features() * shape.Width)
	l.biases = next(shape.Width)
	l.heads = next(shape.Outputs * 2 * shape.Width)
	l.offset = next(shape.Outputs)
	return l
}

// head returns the second layer's weights of an output bucket in params, for
// the side to move and for the other.
func (l *layout) head(params []float32, bucket int) (us, them []float32) {
	at := l.heads.from + bucket*2*l.width
	return params[at : at+l.width], params[at+l.width : at+2*l.width]
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
	uniform(l.heads.of(params), 1/math.Sqrt(float64(2*l.width)))
}

// quantise returns the network with the parameters rounded to integers.
func (l *layout) quantise(params []float32, shape nnue.Shape, p nnue.Provenance) (*nnue.Network, error) {
	words := func(v []float32, unit float64) []int16 {
		w := make([]int16, len(v))
		for i, x := range v {
			w[i] = int16(math.RoundToEven(float64(x) * unit))
		}
		return w
	}
	w := nnue.Weights{
		Features: words(l.features.of(params), nnue.QA),
		Biases:   words(l.biases.of(params), nnue.QA),
		Outputs:  words(l.heads.of(params), nnue.QB),
	}
	for i, x := range l.offset.of(params)[:l.outputs] {
		y := math.RoundToEven(float64(x) * nnue.QA * nnue.QB)
		if !(math.Abs(y) < 1<<28) {
			return nil, fmt.Errorf("output %d: bias %v is too large to quantise", i, x)
		}
		w.OutputBiases = append(w.OutputBiases, int32(y))
	}
	return nnue.New(shape, w, p)
}

// dequantise is the reverse of quantise, but for what rounding took.
func (l *layout) dequantise(params []float32, w nnue.Weights) {
	set := func(v []float32, words []int16, unit float32) {
		for i, x := range words {
			v[i] = float32(x) / unit
		}
	}
	set(l.features.of(params), w.Features, nnue.QA)
	set(l.biases.of(params), w.Biases, nnue.QA)
	set(l.heads.of(params), w.Outputs, nnue.QB)
	for i, x := range w.OutputBiases {
		l.offset.of(params)[i] = float32(x) / (nnue.QA * nnue.QB)
	}
}

// aligned returns zeros that start at a cache line.
func aligned(n int) []float32 {
	raw := make([]float32, n+15)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw)))&63) / 4
	return raw[skip : skip+n : skip+n]
}
