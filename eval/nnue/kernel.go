package nnue

// kernel is one set of the vector routines. All slices of neurons have the
// network's width, a multiple of [Lanes]. Sums wrap, so that their order does
// not matter.
type kernel struct {
	wide   rows[int16]
	narrow rows[int8]
	// dot returns the sum of clip(us[i])²·weights[i] and of
	// clip(them[i])²·weights[width+i], where clip is to 0…QA.
	dot func(us, them, weights []int16) int32
	// layers returns the sum of the last of the small layers (layers.go), of which it
	// takes both parts of a stack. It works in x, of as many bytes as us has neurons.
	layers func(us, them []int16, x []uint8, blocks []int8, rest *tail) int32
}

// weight is what a row of the first layer is made of: bytes where they fit, which
// halve what is read from memory.
type weight interface{ int8 | int16 }

// rows is the routines that keep an accumulator up to date.
type rows[T weight] struct {
	// addSub sets dst to src + add - sub.
	addSub func(dst, src []int16, add, sub []T)
	// addSubSub sets dst to src + add - sub1 - sub2.
	addSubSub func(dst, src []int16, add, sub1, sub2 []T)
	// addAddSubSub sets dst to src + add1 + add2 - sub1 - sub2.
	addAddSubSub func(dst, src []int16, add1, add2, sub1, sub2 []T)
	// apply adds to acc the rows of table that start at the offsets adds and
	// takes those at subs away.
	apply func(acc []int16, table []T, adds, subs []uint32)
}

// plain is the specification of the kernels.
var plain = kernel{plainRows[int16](), plainRows[int8](), dot, layers}

func plainRows[T weight]() rows[T] {
	return rows[T]{addSub[T], addSubSub[T], addAddSubSub[T], apply[T]}
}

func addSub[T weight](dst, src []int16, add, sub []T) {
	src, add, sub = src[:len(dst)], add[:len(dst)], sub[:len(dst)]
	for i := range dst {
		dst[i] = src[i] + int16(add[i]) - int16(sub[i])
	}
}

func addSubSub[T weight](dst, src []int16, add, sub1, sub2 []T) {
	src, add, sub1, sub2 = src[:len(dst)], add[:len(dst)], sub1[:len(dst)], sub2[:len(dst)]
	for i := range dst {
		dst[i] = src[i] + int16(add[i]) - int16(sub1[i]) - int16(sub2[i])
	}
}

func addAddSubSub[T weight](dst, src []int16, add1, add2, sub1, sub2 []T) {
	src, add1, add2, sub1, sub2 = src[:len(dst)], add1[:len(dst)], add2[:len(dst)], sub1[:len(dst)], sub2[:len(dst)]
	for i := range dst {
		dst[i] = src[i] + int16(add1[i]) + int16(add2[i]) - int16(sub1[i]) - int16(sub2[i])
	}
}

func apply[T weight](acc []int16, table []T, adds, subs []uint32) {
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
