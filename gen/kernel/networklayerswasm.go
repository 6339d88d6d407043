package kernel

import "unsafe"

// layersWasm writes the small layers as vector.layers does. Parameters: us, them,
// x, first, rest, length of us in bytes. relaxed ones need a host with relaxed vectors
// and give the same results: see block.
func layersWasm(name string, relaxed bool) *wasmFunc {
	f := &wasmFunc{name: name, params: 6, result: true}
	const us, them, x, first, rest, length = 0, 1, 2, 3, 4, 5
	l := &wasmLayers{wasmFunc: f, relaxed: relaxed, i: f.word(), j: f.word(), at: f.word(), mask: f.word()}
	l.zero, l.top, l.x, l.rest = f.vector(), f.vector(), f.vector(), rest
	for k := range l.sums {
		l.sums[k] = f.vector()
	}
	l.products(us, x, length)
	l.products(them, x, length)
	l.first(x, first, length)
	for k, sum := range l.sums[:4] {
		l.op(opLocalGet, sum)
		l.load(int(unsafe.Offsetof(tail{}.biases1))+k*vectorBytes, rest)
		l.simd(addI32)
		l.op(opLocalSet, sum)
	}
	total := smallLayers(l, l.sums[:4])
	for lane := range 4 {
		l.op(opLocalGet, total)
		l.simd(extractLaneI32, lane)
		if lane > 0 {
			l.op(opI32Add)
		}
	}
	return f
}

// wasmLayers is the function in the making.
type wasmLayers struct {
	*wasmFunc
	relaxed        bool
	i, j, at, mask int // words
	rest           int // parameter
	zero, top, x   int // vectors
	sums           [8]int
}

// splat sets a vector to a word below 32768 in every lane.
func (l *wasmLayers) splat(vector, value int) {
	l.constant(value)
	l.simd(splatI16)
	l.op(opLocalSet, vector)
}

// add adds a constant to a word.
func (l *wasmLayers) add(word, value int) {
	l.get(word)
	l.constant(value)
	l.op(opI32Add)
	l.op(opLocalSet, word)
}

// products stores the products of a side at x, in words i, which goes on from what
// it is, and moves the side's pointer along its first half.
func (l *wasmLayers) products(side, x, length int) {
	l.splat(l.top, clip)
	// at: the end of the first half
	l.get(length)
	l.constant(1)
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
			if l.relaxed {
				l.simd(relaxedQ15Mul)
			} else {
				l.simd(q15MulI16)
			}
		}
		l.simd(narrowU8)
		l.simd(vectorStore, naturalAlign, 0)
		l.add(l.i, vectorBytes)
	})
}

// first adds the products times their weights up. Few blocks of four are not all
// zero: of each group, mask gets a bit for each of them, and bit by bit they follow.
func (l *wasmLayers) first(x, first, length int) {
	// at: the end of x
	l.get(length)
	l.constant(1)
	l.op(opI32ShrU)
	l.get(x)
	l.op(opI32Add)
	l.op(opLocalSet, l.at)
	if l.relaxed {
		l.splat(l.top, 1)
	}
	l.loop(x, groupBlocks*blockProducts, l.at, func() {
		l.filled(x)
		l.op(opBlock)
		l.op(opEmptyBlock)
		l.get(l.mask)
		l.op(opI32Eqz)
		l.op(opBranchIf, 0)
		l.op(opLoop)
		l.op(opEmptyBlock)
		l.block(x, first)
		l.get(l.mask)
		l.get(l.mask)
		l.constant(1)
		l.op(opI32Sub)
		l.op(opI32And)
		l.op(opLocalTee, l.mask)
		l.op(opBranchIf, 0)
		l.op(opEnd)
		l.op(opEnd)
		l.add(first, groupBlocks*blockBytes)
	})
	if l.relaxed {
		return
	}
	for k := range 4 { // both lanes of a neuron together
		for odd := range 2 {
			l.op(opLocalGet, l.sums[2*k])
			l.op(opLocalGet, l.sums[2*k+1])
			l.shuffle(odd, 2+odd, 4+odd, 6+odd)
		}
		l.simd(addI32)
		l.op(opLocalSet, l.sums[k])
	}
}

// groupBlocks is the number of blocks that a mask has bits for.
const groupBlocks = 32

// filled sets mask to the blocks at x that are not all zero.
func (l *wasmLayers) filled(x int) {
	const part = 16 // a vector of bytes
	for from := 0; from < groupBlocks; from += part {
		for k := range part / 4 {
			l.load((from+4*k)*blockProducts, x)
			l.op(opLocalGet, l.zero)
			l.simd(equalI32)
			if k%2 == 1 {
				l.simd(narrowI16)
			}
		}
		l.simd(narrowI8)
		l.simd(bitmaskI8)
		if from > 0 {
			l.constant(from)
			l.op(opI32Shl)
			l.op(opI32Or)
		}
	}
	l.constant(-1)
	l.op(opI32Xor)
	l.op(opLocalSet, l.mask)
}

// block adds the products of the first block in mask times their weights up. Relaxed
// instructions meet four neurons at a time: of two products of bytes they add the
// results to a word, which holds them since products have seven bits. Others meet two
// neurons, both as words: each sum holds two lanes for each of two neurons.
func (l *wasmLayers) block(x, first int) {
	l.get(l.mask)
	l.op(opI32Ctz)
	l.op(opLocalTee, l.i)
	l.constant(2) // blockProducts
	l.op(opI32Shl)
	l.get(x)
	l.op(opI32Add)
	l.simd(vectorLoadSplatI32, naturalAlignI32, 0)
	if !l.relaxed {
		l.simd(widenLowI8)
	}
	l.op(opLocalSet, l.x)
	l.get(l.i)
	l.constant(6) // blockBytes
	l.op(opI32Shl)
	l.get(first)
	l.op(opI32Add)
	l.op(opLocalSet, l.i)
	if l.relaxed {
		for k, sum := range l.sums[:4] {
			l.op(opLocalGet, sum)
			l.load(k*vectorBytes, l.i)
			l.op(opLocalGet, l.x)
			l.simd(relaxedDotI8)
			l.op(opLocalGet, l.top)
			l.simd(dotI16)
			l.simd(addI32)
			l.op(opLocalSet, sum)
		}
		return
	}
	for k, sum := range l.sums {
		l.op(opLocalGet, sum)
		l.op(opLocalGet, l.x)
		l.get(l.i)
		l.simd(vectorLoadI8, naturalAlignI8, k*vectorBytes/2)
		l.simd(dotI16)
		l.simd(addI32)
		l.op(opLocalSet, sum)
	}
}

// shuffle makes a vector of four of the eight longs of two vectors.
func (l *wasmLayers) shuffle(longs ...int) {
	l.op(opVector, shuffleI8)
	for _, long := range longs {
		for b := range 4 {
			l.code.WriteByte(byte(4*long + b))
		}
	}
}

// set sets a vector to the result of an instruction.
func (l *wasmLayers) set(to, instruction int, operands ...int) {
	for _, o := range operands {
		l.op(opLocalGet, o)
	}
	l.simd(instruction)
	l.op(opLocalSet, to)
}

// Vectors have eight words or four longs. A new one is zero.

func (l *wasmLayers) zeros() int { return l.vector() }

func (l *wasmLayers) wordsOf(n int) int {
	to := l.vector()
	l.splat(to, n)
	return to
}

func (l *wasmLayers) atMost(words, limit int)  { l.set(words, minI16, words, limit) }
func (l *wasmLayers) atLeast(words, limit int) { l.set(words, maxI16, words, limit) }

func (l *wasmLayers) squared(words int) int {
	to := l.vector()
	l.set(to, addI16, words, words)
	l.set(to, q15MulI16, to, words)
	return to
}

func (l *wasmLayers) shiftRight(longs int, by int) {
	l.op(opLocalGet, longs)
	l.constant(by)
	l.simd(shrI32)
	l.op(opLocalSet, longs)
}

func (l *wasmLayers) packed(longs []int) (words []int) {
	for k := 0; k < len(longs); k += 2 {
		to := l.vector()
		l.set(to, narrowI16, longs[k], longs[k+1])
		words = append(words, to)
	}
	return words
}

func (l *wasmLayers) addPairs(longs, words int, weights uintptr, k int) {
	l.op(opLocalGet, longs)
	l.op(opLocalGet, words)
	l.load(int(weights)+k*vectorBytes, l.rest)
	l.simd(dotI16)
	l.simd(addI32)
	l.op(opLocalSet, longs)
}

// second spreads each pair of inputs over a vector, which meets four neurons at a time.
func (l *wasmLayers) second(inputs []int) (longs []int) {
	for k := range hidden2 / 4 {
		longs = append(longs, l.vector())
		l.load(int(unsafe.Offsetof(tail{}.biases2))+k*vectorBytes, l.rest)
		l.op(opLocalSet, longs[k])
	}
	for pair := range hidden1 {
		l.op(opLocalGet, inputs[pair/4])
		l.op(opLocalGet, inputs[pair/4])
		l.shuffle(pair%4, pair%4, pair%4, pair%4)
		l.op(opLocalSet, l.x)
		for k, sum := range longs {
			l.addPairs(sum, l.x, unsafe.Offsetof(tail{}.second), pair*hidden2/4+k)
		}
	}
	return longs
}
