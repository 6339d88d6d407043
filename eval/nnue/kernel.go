package nnue

// kernel is one set of the vector routines. All slices of int16 have the
// network's width, a multiple of [Lanes], but for the tables they point into.
// Sums wrap, so that their order does not matter.
type kernel struct {
	// addSub sets dst to src + add - sub.
	addSub func(dst, src, add, sub []int16)
	// addSubSub sets dst to src + add - sub1 - sub2.
	addSubSub func(dst, src, add, sub1, sub2 []int16)
	// addAddSubSub sets dst to src + add1 + add2 - sub1 - sub2.
	addAddSubSub func(dst, src, add1, add2, sub1, sub2 []int16)
	// apply adds to acc the rows of table that start at the offsets adds and
	// takes those at subs away.
	apply func(acc, table []int16, adds, subs []uint32)
	// dot returns the sum of clip(us[i])²·weights[i] and of
	// clip(them[i])²·weights[width+i], where clip is to 0…QA.
	dot func(us, them, weights []int16) int32
	// layers returns the sum of the last of the small layers (layers.go). It works
	// in x, of as many bytes as us has neurons.
	layers func(us, them []int16, x []uint8, s *stack) int32
}

// plain is the specification of the kernels.
var plain = kernel{addSub, addSubSub, addAddSubSub, apply, dot, layers}

func addSub(dst, src, add, sub []int16) {
	src, add, sub = src[:len(dst)], add[:len(dst)], sub[:len(dst)]
	for i := range dst {
		dst[i] = src[i] + add[i] - sub[i]
	}
}

func addSubSub(dst, src, add, sub1, sub2 []int16) {
	src, add, sub1, sub2 = src[:len(dst)], add[:len(dst)], sub1[:len(dst)], sub2[:len(dst)]
	for i := range dst {
		dst[i] = src[i] + add[i] - sub1[i] - sub2[i]
	}
}

func addAddSubSub(dst, src, add1, add2, sub1, sub2 []int16) {
	src, add1, add2, sub1, sub2 = src[:len(dst)], add1[:len(dst)], add2[:len(dst)], sub1[:len(dst)], sub2[:len(dst)]
	for i := range dst {
		dst[i] = src[i] + add1[i] + add2[i] - sub1[i] - sub2[i]
	}
}

func apply(acc, table []int16, adds, subs []uint32) {
	for _, at := range adds {
		row := table[at:][:len(acc)]
		for i := range acc {
			acc[i] += row[i]
		}
	}
	for _, at := range subs {
		row := table[at:][:len(acc)]
		for i := range acc {
			acc[i] -= row[i]
		}
	}
}

func dot(us, them, weights []int16) int32 {
	width := len(us)
	return half(us, weights[:width]) + half(them, weights[width:][:width])
}

func half(acc, weights []int16) int32 {
	acc = acc[:len(weights)]
	var sum int32
	for i, w := range weights {
		v := min(max(int32(acc[i]), 0), QA)
		sum += v * v * int32(w)
	}
	return sum
}
