package kernel

import "unsafe"

// layersWasm writes the small layers as vector.layers does. Parameters: us, them,
// x, first, rest, length of us in bytes.
func layersWasm() *wasmFunc {
	f := &wasmFunc{name: "layers", params: 6, result: true}
	l := &wasmLayers{wasmFunc: f, i: f.word(), j: f.word(), at: f.word(), block: f.word()}
	l.zero, l.top, l.bottom, l.x, l.past = f.vector(), f.vector(), f.vector(), f.vector(), f.vector()
	for k := range l.sums {
		l.sums[k] = f.vector()
	}
	const us, them, x, first, rest, length = 0, 1, 2, 3, 4, 5
	l.products(us, x, length)
	l.products(them, x, length)
	l.first(x, first, length)
	l.activate(rest)
	l.second(rest)
	l.third(rest)
	return f
}

// wasmLayers is the function in the making.
type wasmLayers struct {
	*wasmFunc
	i, j, at, block            int // words
	zero, top, bottom, x, past int // vectors
	sums                       [8]int
}

// splat sets a vector to a word below 32768 in every lane.
func (l *wasmLayers) splat(vector, value int) {
	l.long(value)
	l.simd(splatI16)
	l.op(opLocalSet, vector)
}

// long puts any word on the stack.
func (l *wasmLayers) long(value int) {
	l.code.WriteByte(opI32Const)
	signed(&l.code, value)
}

// add adds a constant to a word.
func (l *wasmLayers) add(word, value int) {
	l.get(word)
	l.long(value)
	l.op(opI32Add)
	l.op(opLocalSet, word)
}

// products stores the products of a side at x, in words i, which goes on from what
// it is, and moves the side's pointer along its first half.
func (l *wasmLayers) products(side, x, length int) {
	l.splat(l.top, clip)
	// at: the end of the first half
	l.get(length)
	l.long(1)
	l.op(opI32ShrU)
	l.op(opLocalTee, l.j)
	l.get(side)
	l.op(opI32Add)
	l.op(opLocalSet, l.at)
	l.loop(side, 2*vectorBytes, l.at, func() {
		l.get(x, l.i)
		for k := range 2 {
			l.load(k*vectorBytes, side)
			l.op(opLocalGet, l.zero)
			l.simd(maxI16)
			l.op(opLocalGet, l.top)
			l.simd(minI16)
			l.constant(productShift)
			l.simd(shlI16)
			l.load(k*vectorBytes, side, l.j)
			l.op(opLocalGet, l.top)
			l.simd(minI16)
			l.simd(q15MulI16)
		}
		l.simd(narrowU8)
		l.simd(vectorStore, naturalAlign, 0)
		l.add(l.i, vectorBytes)
	})
}

// first adds the products times their weights up, leaving blocks of four out that
// are all zero. A block meets two neurons at a time, both as words: each sum holds
// two lanes for each of two neurons.
func (l *wasmLayers) first(x, first, length int) {
	// at: the end of x
	l.get(length)
	l.long(1)
	l.op(opI32ShrU)
	l.get(x)
	l.op(opI32Add)
	l.op(opLocalSet, l.at)
	l.loop(x, 4, l.at, func() {
		l.op(opBlock)
		l.op(opEmptyBlock)
		l.get(x)
		l.op(opI32Load, naturalAlignI32, 0)
		l.op(opLocalTee, l.block)
		l.op(opI32Eqz)
		l.op(opBranchIf, 0)
		l.get(l.block)
		l.simd(splatI32)
		l.simd(widenLowI8)
		l.op(opLocalSet, l.x)
		for k, sum := range l.sums {
			l.op(opLocalGet, sum)
			l.op(opLocalGet, l.x)
			l.get(first)
			l.simd(vectorLoadI8, naturalAlignI8, k*vectorBytes/2)
			l.simd(dotI16)
			l.simd(addI32)
			l.op(opLocalSet, sum)
		}
		l.op(opEnd)
		l.add(first, blockBytes)
	})
	for k := range 4 { // both lanes of a neuron together
		for _, odd := range []int{0, 4} {
			l.op(opLocalGet, l.sums[2*k])
			l.op(opLocalGet, l.sums[2*k+1])
			l.shuffle(odd)
		}
		l.simd(addI32)
		l.op(opLocalSet, l.sums[k])
	}
}

// shuffle takes every second long of two vectors, from byte first of the first.
func (l *wasmLayers) shuffle(first int) {
	l.op(opVector, shuffleI8)
	for lane := range 4 {
		for b := range 4 {
			l.code.WriteByte(byte(8*lane + first + b))
		}
	}
}

// within leaves words on the stack clipped to low…hiddenTop, low being a vector.
func (l *wasmLayers) within(low int) {
	l.op(opLocalGet, l.top)
	l.simd(minI16)
	l.op(opLocalGet, low)
	l.simd(maxI16)
}

// squared replaces the words on the stack by their squares.
func (l *wasmLayers) squared() {
	l.op(opLocalTee, l.x)
	l.op(opLocalGet, l.x)
	l.simd(addI16)
	l.op(opLocalGet, l.x)
	l.simd(q15MulI16)
}

// activate makes of sums[0…3] the inputs of the second layer, words in
// sums[0…3]: clipped, then squared. What goes past the other layers is in past,
// four sums of products with its weights.
func (l *wasmLayers) activate(rest int) {
	l.splat(l.top, hiddenTop)
	l.op(opLocalGet, l.zero)
	l.op(opLocalGet, l.top)
	l.simd(subI16)
	l.op(opLocalSet, l.bottom)
	for k := range 2 {
		for part := range 2 {
			l.op(opLocalGet, l.sums[2*k+part])
			l.load(int(unsafe.Offsetof(tail{}.biases1))+(2*k+part)*vectorBytes, rest)
			l.simd(addI32)
			l.op(opLocalSet, l.sums[2*k+part])
		}
		l.op(opLocalGet, l.past)
		for part := range 2 {
			l.op(opLocalGet, l.sums[2*k+part])
			l.constant(skipShift)
			l.simd(shrI32)
		}
		l.simd(narrowI16)
		l.load(int(unsafe.Offsetof(tail{}.skips))+k*vectorBytes, rest)
		l.simd(dotI16)
		l.simd(addI32)
		l.op(opLocalSet, l.past)
		for part := range 2 {
			l.op(opLocalGet, l.sums[2*k+part])
		}
		l.simd(narrowI16)
		l.within(l.bottom)
		l.op(opLocalSet, l.sums[k])
	}
	for k := range 2 {
		l.op(opLocalGet, l.sums[k])
		l.squared()
		l.op(opLocalSet, l.sums[2+k])
		l.op(opLocalGet, l.sums[k])
		l.op(opLocalGet, l.zero)
		l.simd(maxI16)
		l.op(opLocalSet, l.sums[k])
	}
}

// second leaves the sums of the second layer on the stack, for third: pairs of
// inputs are spread over a vector, which meets four neurons at a time.
func (l *wasmLayers) second(rest int) {
	var pairs [hidden1]int
	for pair := range pairs {
		pairs[pair] = l.vector()
		l.op(opLocalGet, l.sums[pair/4])
		l.simd(extractLaneI32, pair%4)
		l.simd(splatI32)
		l.op(opLocalSet, pairs[pair])
	}
	for k, sum := range l.sums {
		l.load(int(unsafe.Offsetof(tail{}.biases2))+k*vectorBytes, rest)
		for pair, input := range pairs {
			l.op(opLocalGet, input)
			l.load(int(unsafe.Offsetof(tail{}.second))+pair*4*hidden2+k*vectorBytes, rest)
			l.simd(dotI16)
			l.simd(addI32)
		}
		l.constant(secondShift)
		l.simd(shrI32)
		l.op(opLocalSet, sum)
	}
}

// third leaves the sum of the third layer, and of what goes past it, on the stack.
func (l *wasmLayers) third(rest int) {
	l.op(opLocalGet, l.past)
	for k := range hidden2 / 8 {
		l.op(opLocalGet, l.sums[2*k])
		l.op(opLocalGet, l.sums[2*k+1])
		l.simd(narrowI16)
		l.within(l.zero)
		l.squared()
		l.load(int(unsafe.Offsetof(tail{}.third))+k*vectorBytes, rest)
		l.simd(dotI16)
		l.simd(addI32)
	}
	l.op(opLocalSet, l.x)
	for lane := range 4 {
		l.op(opLocalGet, l.x)
		l.simd(extractLaneI32, lane)
		if lane > 0 {
			l.op(opI32Add)
		}
	}
}
