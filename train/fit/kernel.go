package fit

import (
	"math"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// kernel is one set of the vector routines. Slices have lengths that are
// multiples of 32. All sets give the same bits.
type kernel struct {
	// gather sets the tile of every dst, which lie step apart, to the bias and the rows
	// of base by the features of a list, in units of 1/QA. The lists lie one after another
	// in features; ends has where the first begins and where each ends.
	gather func(dst []float32, step int, bias []int16, base []int8, features []uint16, ends []uint32)
	// slopes sets dst to the derivatives of the loss by the neurons of an accumulator,
	// given those by the products of its pairs, and adds them to those by the biases. The
	// derivatives of a group of pairs lie together, the first neurons of all of them
	// before the second; groups lie step apart.
	slopes func(dst []float32, step int, acc, d, biases []float32)
	// scatter adds the slopes of a group, one set for each accumulator, to the gradients
	// of the group in the rows that the accumulator uses: users lists the accumulators that
	// use a row, one row after another, and ends has where the first list begins and where
	// each ends.
	scatter func(grad, slopes []float32, users []uint16, ends []uint32)
	// dot returns the sum of clip(acc[i])²·weights[i], clip being to 0…1.
	dot func(acc, weights []float32) float32
	// backward adds the gradient of d·dot by the weights to grad and replaces
	// acc by the gradient of d·dot by acc.
	backward func(acc, weights, grad []float32, d float32)
	// products sets dst to the products of the clipped halves of acc, twice as long.
	products func(dst, acc []float32)
	// nonzero lists the places of x with any bit set, in order, and returns their
	// number. The list is as long as x; behind them it holds anything.
	nonzero func(list []uint32, x []float32) int
	// round sets dst, which may be src, to src in multiples of a unit, unit being how
	// many of them make 1 and inverse one of them.
	round func(dst, src []float32, unit, inverse float32)
	// affine adds to the sums, 16 or 32 of them, the listed inputs x times their
	// rows of weights, of as many as there are sums, in their order.
	affine func(sums, x, weights []float32, list []uint32)
	// affineBack adds for the gradient d by the sums of affine: to grad that by the
	// weights, to dx that by the listed inputs.
	affineBack func(dx, x, d, weights, grad []float32, list []uint32)
	// drain adds src to dst and sets src to zero.
	drain func(dst, src []float32)
	// adam takes one step of AdamW and sets grad to zero.
	adam func(weights, mean, square, grad []float32, k *rates)
}

// rates holds the numbers of a step of AdamW. The kernels read the fields in
// this order.
type rates struct {
	keepMean, addMean     float32 // β1, 1-β1
	keepSquare, addSquare float32 // β2, 1-β2
	rate                  float32 // the learning rate, corrected for the bias of the mean
	correction            float32 // of the bias of the root of the square
	epsilon               float32
	keep                  float32 // 1 less the weight decay
	limit                 float32 // weights stay within ±limit
}

// plain is the specification of the kernels. The conversions keep the compiler
// from fusing a multiplication with an addition, which would round once less.
var plain = kernel{gather, slopes, scatter, dot, backward, products, nonzero, round, affine, affineBack, drain, adam}

// roundTo is round for a unit.
func (k *kernel) roundTo(dst, src []float32, unit float64) {
	k.round(dst, src, float32(unit), float32(1/unit))
}

func gather(dst []float32, step int, bias []int16, base []int8, features []uint16, ends []uint32) {
	for k, end := range ends[1:] {
		sums := [tile]int16(bias)
		for _, f := range features[ends[k]:end] {
			for i, v := range base[int(f)*tile:][:tile] {
				sums[i] += int16(v)
			}
		}
		for i, v := range sums {
			dst[k*step+i] = float32(v) * (1.0 / nnue.QA)
		}
	}
}

func slopes(dst []float32, step int, acc, d, biases []float32) {
	half := len(d)
	for pair, d := range d {
		a, b := acc[pair], acc[half+pair]
		var slopeA, slopeB float32
		if a > 0 && a < 1 {
			slopeA = d * min(max(b, 0), 1)
		}
		if b > 0 && b < 1 {
			slopeB = d * min(max(a, 0), 1)
		}
		to := dst[pair/group*step:]
		to[pair%group], to[group+pair%group] = slopeA, slopeB
		biases[pair] += slopeA
		biases[half+pair] += slopeB
	}
}

func scatter(grad, slopes []float32, users []uint16, ends []uint32) {
	for row, end := range ends[1:] {
		to := grad[row*2*group:][:2*group]
		for _, user := range users[ends[row]:end] {
			for i, v := range slopes[int(user)*2*group:][:2*group] {
				to[i] += v
			}
		}
	}
}

// dot keeps 32 partial sums, as the vector kernels do.
func dot(acc, weights []float32) float32 {
	var sums [32]float32
	for i, a := range acc {
		c := min(max(a, 0), 1)
		sums[i&31] += float32(float32(c*c) * weights[i])
	}
	for n := 16; n > 0; n /= 2 {
		for i := range n {
			sums[i] += sums[n+i]
		}
	}
	return sums[0]
}

func backward(acc, weights, grad []float32, d float32) {
	for i, a := range acc {
		c := min(max(a, 0), 1)
		grad[i] += float32(float32(c*c) * d)
		acc[i] = 0
		if a > 0 && a < 1 {
			acc[i] = float32(weights[i]*d) * (c + c)
		}
	}
}

func products(dst, acc []float32) {
	b := acc[len(dst):]
	for i, a := range acc[:len(dst)] {
		dst[i] = min(max(a, 0), 1) * min(max(b[i], 0), 1)
	}
}

func nonzero(list []uint32, x []float32) int {
	n := 0
	for i, v := range x {
		list[n] = uint32(i)
		b := math.Float32bits(v)
		n += int((b | -b) >> 31) // no branch
	}
	return n
}

// wholes is what floats of a magnitude below 1<<22 lose their fraction by when it is
// added and taken away again: the half of an even number goes to that.
const wholes = 3 << 22

func round(dst, src []float32, unit, inverse float32) {
	for i, x := range src {
		dst[i] = float32(float32(float32(x*unit)+wholes)-wholes) * inverse
	}
}

func affine(sums, x, weights []float32, list []uint32) {
	for _, i := range list {
		row := weights[int(i)*len(sums):][:len(sums)]
		for j, w := range row {
			sums[j] += float32(x[i] * w)
		}
	}
}

// affineBack adds up 16 lanes at a time, as the vector kernels do.
func affineBack(dx, x, d, weights, grad []float32, list []uint32) {
	for tile := 0; tile < len(d); tile += 16 {
		for _, i := range list {
			at := int(i)*len(d) + tile
			row, g := weights[at:][:16], grad[at:][:16]
			var sums [16]float32
			for j, v := range d[tile:][:16] {
				g[j] += float32(x[i] * v)
				sums[j] = row[j] * v
			}
			for n := 8; n > 0; n /= 2 {
				for j := range n {
					sums[j] += sums[n+j]
				}
			}
			dx[i] += sums[0]
		}
	}
}

func drain(dst, src []float32) {
	for i := range dst {
		dst[i] += src[i]
		src[i] = 0
	}
}

func adam(weights, mean, square, grad []float32, k *rates) {
	for i, g := range grad {
		mean[i] = float32(mean[i]*k.keepMean) + float32(g*k.addMean)
		square[i] = float32(square[i]*k.keepSquare) + float32(float32(g*k.addSquare)*g)
		root := float32(math.Sqrt(float64(square[i])))
		step := float32(mean[i]*k.rate) / (float32(root*k.correction) + k.epsilon)
		weights[i] = min(max(float32(weights[i]*k.keep)-step, -k.limit), k.limit)
		grad[i] = 0
	}
}

// kernelOf returns the routines of a path, and those in plain Go where it has none.
func kernelOf(path nnue.Path) *kernel {
	if int(path) < len(kernels) && kernels[path] != nil {
		return kernels[path]
	}
	return &plain
}
