package nnue

// kernel is one set of the vector routines. All slices of neurons have the
// network's width, a multiple of [WidthStep]. Sums wrap, so that their order does
// not matter.
type kernel struct {
	// addSub sets dst to src + add - sub.
	addSub func(dst, src []int16, add, sub []int8)
	// addSubSub sets dst to src + add - sub1 - sub2.
	addSubSub func(dst, src []int16, add, sub1, sub2 []int8)
	// addAddSubSub sets dst to src + add1 + add2 - sub1 - sub2.
	addAddSubSub func(dst, src []int16, add1, add2, sub1, sub2 []int8)
	// apply adds to acc the rows of table that start at the offsets adds and
	// takes those at subs away.
	apply func(acc []int16, table []int8, adds, subs []uint32)

	// layers returns the sum of the last of the small layers (layers.go), of which it
	// takes both parts of a stack. It works in x, of as many bytes as us has neurons.
	layers func(us, them []int16, x []uint8, blocks []int8, rest *tail) int32
}

// plain is the specification of the kernels.
var plain = kernel{addSub, addSubSub, addAddSubSub, apply, layers}

func addSub(dst, src []int16, add, sub []int8) {
	src, add, sub = src[:len(dst)], add[:len(dst)], sub[:len(dst)]
	for i := range dst {
		dst[i] = src[i] + int16(add[i]) - int16(sub[i])
	}
}

func addSubSub(dst, src []int16, add, sub1, sub2 []int8) {
	src, add, sub1, sub2 = src[:len(dst)], add[:len(dst)], sub1[:len(dst)], sub2[:len(dst)]
	for i := range dst {
		dst[i] = src[i] + int16(add[i]) - int16(sub1[i]) - int16(sub2[i])
	}
}

func addAddSubSub(dst, src []int16, add1, add2, sub1, sub2 []int8) {
	src, add1, add2, sub1, sub2 = src[:len(dst)], add1[:len(dst)], add2[:len(dst)], sub1[:len(dst)], sub2[:len(dst)]
	for i := range dst {
		dst[i] = src[i] + int16(add1[i]) + int16(add2[i]) - int16(sub1[i]) - int16(sub2[i])
	}
}

func apply(acc []int16, table []int8, adds, subs []uint32) {
	for _, at := range adds {
		row := table[at:][:len(acc)]
		for i := range acc {
			acc[i] += int16(row[i])
		}
	}
	for _, at := range subs {
		row := table[at:][:len(acc)]
		for i := range acc {
			acc[i] -= int16(row[i])
		}
	}
}
