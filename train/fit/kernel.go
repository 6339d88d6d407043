package fit

import "math"

// kernel is one set of the vector routines. Slices have lengths that are
// multiples of 32. All sets give the same bits.
type kernel struct {
	// sumRows sets dst to init plus the rows of base that start at the given
	// offsets, added in their order. dst may be init.
	sumRows func(dst, init, base []float32, rows []uint32)
	// dot returns the sum of clip(acc[i])²·weights[i], clip being to 0…1.
	dot func(acc, weights []float32) float32
	// backward adds the gradient of d·dot by the weights to grad and replaces
	// acc by the gradient of d·dot by acc.
	backward func(acc, weights, grad []float32, d float32)
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
var plain = kernel{sumRows, dot, backward, drain, adam}

func sumRows(dst, init, base []float32, rows []uint32) {
	copy(dst, init)
	for _, at := range rows {
		row := base[at:][:len(dst)]
		for i := range dst {
			dst[i] += row[i]
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
