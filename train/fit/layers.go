package fit

import (
	"math"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// Bounds of the weights of small layers, so that their quantised forms fit: those
// of the first are int8; 2·Hidden1 inputs of at most 1 with weights of the second
// and a bias stay below 128, Hidden2 with weights of the third and Hidden1 of at most
// SkipTop with those that go past it below lastSum, see [stackOf.bound]; that is what
// 32-bit sums hold.
const (
	firstLimit  = 127 / nnue.Weight1Unit
	secondLimit = 3.9
	thirdLimit  = 1.98
	skipLimit   = 1.98
	lastSum     = 63.9
	bias1Limit  = 100
	bias2Limit  = 2
)

// smallLayers says where the parameters of the small layers lie. The weights of
// the first are the heads of the layout.
type smallLayers struct {
	biases1, weights2, biases2, weights3, skips indexRange // by output bucket
}

// initialiseSmall sets the parameters of small layers to random ones, but for those
// that go past the second and third, which begin at 0.
func (l *layout) initialiseSmall(params []float32, uniform func(v []float32, bound float64)) {
	const in2 = 2 * nnue.Hidden1
	uniform(l.heads.of(params), 1/math.Sqrt(float64(l.width)))
	uniform(l.small.biases1.of(params), 1/math.Sqrt(float64(l.width)))
	uniform(l.small.weights2.of(params), 1/math.Sqrt(in2))
	uniform(l.small.biases2.of(params), 1/math.Sqrt(in2))
	uniform(l.small.weights3.of(params), 1/math.Sqrt(nnue.Hidden2))
}

// bucketOf returns the part of an output bucket in a span that holds n parameters
// for each.
func (s indexRange) bucketOf(params []float32, bucket, n int) []float32 {
	at := s.from + bucket*n
	return params[at : at+n : at+n]
}

// stackOf is the parameters, or the gradients, of the small layers of a bucket.
type stackOf struct{ weights1, biases1, weights2, biases2, weights3, skips []float32 }

// stack returns the part of params that belongs to a bucket.
func (l *layout) stack(params []float32, bucket int) stackOf {
	const n2 = 2 * nnue.Hidden1 * nnue.Hidden2
	return stackOf{
		l.heads.bucketOf(params, bucket, l.width*nnue.Hidden1),
		l.small.biases1.bucketOf(params, bucket, nnue.Hidden1),
		l.small.weights2.bucketOf(params, bucket, n2),
		l.small.biases2.bucketOf(params, bucket, nnue.Hidden2),
		l.small.weights3.bucketOf(params, bucket, nnue.Hidden2),
		l.small.skips.bucketOf(params, bucket, nnue.Hidden1),
	}
}

// hidden is what a position leaves on its way through the small layers, and the
// gradients on the way back.
type hidden struct {
	products  []float32 // of both sides
	nonzero   []uint32  // those of both that are not zero
	dProducts []float32
	sparsity  []float32 // what dProducts begins with, see back
	sums1     []float32 // Hidden1
	inputs2   []float32 // their activations: clipped, then squared
	dInputs2  []float32
	all       []uint32 // every input of the second layer
	sums2     []float32
}

// newHidden returns the working space for a width, with the derivative of the loss
// by each product that sparsity adds.
func newHidden(width int, sparsity float32) *hidden {
	h := &hidden{
		products: aligned(width), nonzero: make([]uint32, width), dProducts: aligned(width), sparsity: aligned(width),
		sums1: aligned(nnue.Hidden1), inputs2: aligned(2 * nnue.Hidden1), dInputs2: aligned(2 * nnue.Hidden1),
		sums2: aligned(nnue.Hidden2),
	}
	for i := range h.inputs2 {
		h.all = append(h.all, uint32(i))
	}
	for i := range h.sparsity {
		h.sparsity[i] = sparsity
	}
	return h
}

// forward returns the output but for its bias, for the accumulators of both sides.
func (h *hidden) forward(k *kernel, s stackOf, us, them []float32) float32 {
	half := len(us) / 2
	for side, acc := range [2][]float32{us, them} {
		k.products(h.products[side*half:][:half], acc)
	}
	k.roundTo(h.products, h.products, nnue.ProductUnit)
	// Products of zero need no work in these layers, in either direction.
	h.nonzero = h.nonzero[:k.nonzero(h.nonzero[:len(h.products)], h.products)]
	copy(h.sums1, s.biases1)
	k.affine(h.sums1, h.products, s.weights1, h.nonzero)
	for i, y := range h.sums1 {
		clipped := min(max(y, -1), 1)
		h.inputs2[i], h.inputs2[nnue.Hidden1+i] = max(clipped, 0), clipped*clipped
	}
	copy(h.sums2, s.biases2)
	k.affine(h.sums2, h.inputs2, s.weights2, h.all)
	out := k.dot(h.sums2, s.weights3)
	for i, w := range s.skips {
		out += float32(w * past(h.sums1[i]))
	}
	return out
}

// past returns a sum of the first layer as it goes past the second and third.
func past(y float32) float32 { return min(max(y, -nnue.SkipTop), nnue.SkipTop) }

// back goes back from the derivative d of the loss by the output of the position that
// forward saw last: it adds the gradients of the parameters to g and leaves those of
// the products. The derivative by each product has the sparsity besides, which keeps
// those at zero that help little (known as L1 regularisation): what is zero costs no time
// in the search.
func (h *hidden) back(k *kernel, s, g stackOf, d float32) {
	k.backward(h.sums2, s.weights3, g.weights3, d)
	for i, v := range h.sums2 {
		g.biases2[i] += v
	}
	clear(h.dInputs2)
	k.affineBack(h.dInputs2, h.inputs2, h.sums2, s.weights2, g.weights2, h.all)
	for i, y := range h.sums1 {
		var slope float32
		if y > -1 && y < 1 {
			slope = float32(h.dInputs2[nnue.Hidden1+i] * (y + y))
			if y > 0 {
				slope += h.dInputs2[i]
			}
		}
		g.skips[i] += float32(d * past(y))
		if y > -nnue.SkipTop && y < nnue.SkipTop {
			slope += float32(d * s.skips[i])
		}
		h.sums1[i] = slope
		g.biases1[i] += slope
	}
	copy(h.dProducts, h.sparsity)
	k.affineBack(h.dProducts, h.products, h.sums1, s.weights1, g.weights1, h.nonzero)
}

// bound scales the weights of the third layer, and those that go past it, down where
// their largest sum would not fit int32 once they are rounded.
func (s stackOf) bound() {
	sum := magnitude(s.weights3) + magnitude(s.skips)*nnue.SkipTop
	if sum <= lastSum {
		return
	}
	scale(s.weights3, lastSum/sum)
	scale(s.skips, lastSum/sum)
}

// quantised returns the small layers of all buckets, rounded.
func (l *layout) quantised(params []float32) []nnue.Stack {
	var stacks []nnue.Stack
	for bucket := range l.outputs {
		s := l.stack(params, bucket)
		stacks = append(stacks, nnue.Stack{
			Weights1: rounded[int8](s.weights1, nnue.Weight1Unit), Biases1: rounded[int32](s.biases1, nnue.HiddenUnit),
			Weights2: rounded[int16](s.weights2, nnue.Weight2Unit), Biases2: rounded[int32](s.biases2, nnue.Bias2Unit),
			Weights3: rounded[int16](s.weights3, nnue.Weight3Unit), Skips: rounded[int16](s.skips, nnue.SkipUnit),
		})
	}
	return stacks
}

// whole is the types of quantised weights.
type whole interface{ int8 | int16 | int32 }

// rounded returns parameters in whole units.
func rounded[T whole](v []float32, unit float64) []T {
	w := make([]T, len(v))
	for i, x := range v {
		w[i] = T(math.RoundToEven(float64(x) * unit))
	}
	return w
}
