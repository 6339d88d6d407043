package kernel

import (
	"strings"
	"unsafe"
)

// Registers of the arguments of the NEON kernels, and of what else they count with.
const (
	neonDst, neonSrc, neonRow = r(0), r(1), r(2) // and the rows behind
	neonLeft                  = r(8)
)

// NetworkNEON writes the kernels of eval/nnue for arm64: those that every processor runs,
// and the small layers once more with the dot products of FEAT_DotProd.
func NetworkNEON() ([][]byte, error) {
	f := &neon{arm64File: &arm64File{}}
	f.accumulate("addSub", []string{"add"}, []string{"sub"})
	f.accumulate("addSubSub", []string{"add"}, []string{"sub1", "sub2"})
	f.accumulate("addAddSubSub", []string{"add1", "add2"}, []string{"sub1", "sub2"})
	f.apply()
	f.layers("NEON", f.pairsNEON)
	f.layers("DotProd", f.pairsDotProd)
	return f.render("eval/nnue")
}

// neon writes the kernels.
type neon struct {
	*arm64File
	low, high v // the next registers of smallLayers: from 0 up and from the last down
}

// addTo writes the addition of n vectors of weights, which are bytes, from weights on to n
// vectors of sums, or the subtraction.
func (f *neon) addTo(subtract bool, sums, weights v, n int) {
	low, high := saddw, saddw2
	if subtract {
		low, high = ssubw, ssubw2
	}
	for k := range v(n) {
		f.vector([2]vectorOp{low, high}[k%2], sums+k, sums+k, weights+k/2)
	}
}

// accumulate writes dst = src + adds - subs.
func (f *neon) accumulate(name string, adds, subs []string) {
	all := append(append([]string(nil), adds...), subs...)
	f.function(name+"NEON", "(dst, src []int16, "+strings.Join(all, ", ")+" []int8)",
		name+"NEON is "+name+" in assembly.", 24*(2+len(all)))
	f.argument("dst_base", 0, neonDst)
	f.argument("dst_len", 8, neonLeft)
	f.argument("src_base", 24, neonSrc)
	for k, name := range all {
		f.argument(name+"_base", 48+24*k, neonRow+r(k))
	}
	const n = networkStep / vectorBytes
	const sums, weights = v(0), v(4)
	f.loop(neonLeft, networkStep/2, func() {
		f.op("VLD1.P %d(%v), %s", networkStep, neonSrc, sums.list(n))
		for k := range all {
			f.op("VLD1.P %d(%v), %s", n/2*vectorBytes, neonRow+r(k), weights.list(n/2))
			f.addTo(k >= len(adds), sums, weights, n)
		}
		f.op("VST1.P %s, %d(%v)", sums.list(n), networkStep, neonDst)
	})
	f.op("RET")
}

// apply writes the addition and subtraction of listed rows. A tile of the accumulator
// stays in registers while all rows pass.
func (f *neon) apply() {
	f.function("applyNEON", "(acc []int16, table []int8, adds, subs []uint32)",
		"applyNEON is apply in assembly.", 96)
	const acc, table, adds, nAdds, subs, nSubs = r(0), r(1), r(2), r(3), r(4), r(5)
	f.argument("acc_base", 0, acc)
	f.argument("acc_len", 8, neonLeft)
	f.argument("table_base", 24, table)
	f.argument("adds_base", 48, adds)
	f.argument("adds_len", 56, nAdds)
	f.argument("subs_base", 72, subs)
	f.argument("subs_len", 80, nSubs)
	for _, vectors := range []int{16, networkStep / vectorBytes} {
		f.tiles(vectors)
	}
	f.op("RET")
}

// tiles writes the work on tiles of the given number of vectors, as long as a tile is left.
func (f *neon) tiles(vectors int) {
	const acc, table, sums, weights, four = r(0), r(1), v(16), v(0), 4
	bytes := vectors * vectorBytes
	top, done := f.label("tile"), f.label("done")
	f.place(top)
	f.op("CMP $%d, %v", bytes/2, neonLeft)
	f.op("BLT %s", done)
	f.op("MOVD %v, R9", acc)
	for k := 0; k < vectors; k += four {
		f.op("VLD1.P %d(R9), %s", four*vectorBytes, (sums + v(k)).list(four))
	}
	for k, list := range []r{2, 4} {
		at, left, row := r(10), r(11), r(12)
		next, passed := f.label("row"), f.label("rows")
		f.op("MOVD %v, %v", list, at)
		f.op("MOVD %v, %v", list+1, left)
		f.op("CBZ %v, %s", left, passed)
		f.place(next)
		f.op("MOVWU.P 4(%v), %v", at, row)
		f.op("ADD %v, %v, %v", row, table, row)
		for k2 := 0; k2 < vectors; k2 += four {
			f.op("VLD1.P %d(%v), %s", four/2*vectorBytes, row, weights.list(four/2))
			f.addTo(k == 1, sums+v(k2), weights, four)
		}
		f.op("SUBS $1, %v, %v", left, left)
		f.op("BNE %s", next)
		f.place(passed)
	}
	for k := 0; k < vectors; k += four {
		f.op("VST1.P %s, %d(%v)", (sums + v(k)).list(four), four*vectorBytes, acc)
	}
	f.op("ADD $%d, %v, %v", bytes/2, table, table)
	f.op("SUB $%d, %v, %v", bytes/2, neonLeft, neonLeft)
	f.op("JMP %s", top)
	f.place(done)
}

// splat writes a word into all lanes of a vector.
func (f *neon) splat(to v, value int) {
	f.op("MOVD $%d, R9", value)
	f.op("VDUP R9, %s", to.words())
}

// clear sets a vector to zero.
func (f *neon) clear(x v) { f.op("VEOR %s, %s, %s", x.octets(), x.octets(), x.octets()) }

// total returns the sum of the four longs of a vector.
func (f *neon) total(sums v, result int) {
	f.op("VADDV %s, V%d", sums.longs(), int(sums))
	f.op("VMOV V%d.S[0], R9", int(sums))
	f.op("MOVW R9, ret+%d(FP)", result)
	f.op("RET")
}

// Registers of layers.
const (
	layersX, layersFirst, layersRest = r(0), r(1), r(2)
	layersZero, layersTop            = v(30), v(31)
)

// layers writes the small layers: products of pairs, then what follows them. pairs writes
// the first layer, the sums of its sixteen neurons in V16 to V19.
func (f *neon) layers(suffix string, pairs func()) {
	f.function("layers"+suffix, "(us, them []int16, x []uint8, blocks []int8, rest *tail) int32",
		"layers"+suffix+" is layers in assembly.", 108)
	f.clear(layersZero)
	f.splat(layersTop, clip)
	f.argument("us_len", 8, neonLeft)
	f.argument("x_base", 48, layersX)
	for k, side := range []string{"us", "them"} {
		f.argument(side+"_base", 24*k, 3)
		f.products(3, layersX, neonLeft)
	}
	f.argument("x_base", 48, layersX)
	f.argument("blocks_base", 72, layersFirst)
	pairs()
	f.argument("rest", 96, layersRest)
	f.offset(unsafe.Offsetof(tail{}.biases1), 4, 4)
	sums := []v{16, 17, 18, 19}
	for k, sum := range sums {
		f.op("VADD %s, %s, %s", v(4+k).longs(), sum.longs(), sum.longs())
	}
	f.low, f.high = 0, layersTop
	f.total(smallLayers(f, sums), 104)
}

// products stores the products of a side at x, which it moves along. What is negative in
// the second half becomes a negative product, which narrowing takes for 0.
func (f *neon) products(side, x, n r) {
	const second, left, a, b = r(4), r(5), v(0), v(2)
	f.op("ADD %v, %v, %v", n, side, second)
	f.op("LSR $1, %v, %v", n, left)
	f.loop(left, vectorBytes, func() {
		f.op("VLD1.P %d(%v), %s", 2*vectorBytes, side, a.list(2))
		f.op("VLD1.P %d(%v), %s", 2*vectorBytes, second, b.list(2))
		for k := range v(2) {
			f.vector(smax8h, a+k, a+k, layersZero)
			f.vector(smin8h, a+k, a+k, layersTop)
			f.vector(smin8h, b+k, b+k, layersTop)
			f.op("VSHL $%d, %s, %s", productShift, (a + k).words(), (a + k).words())
			f.vector(sqrdmulh8h, a+k, a+k, b+k)
		}
		f.narrow(sqxtun, a, a)
		f.narrow(sqxtun2, a, a+1)
		f.op("VST1.P [%s], %d(%v)", a.octets(), vectorBytes, x)
	})
}

// blocks writes body for each two blocks of products that are not all zero. The products
// of the first are in the four lanes of V0, of the second in those of V1, and their
// weights in V2 to V9.
func (f *neon) blocks(body func()) {
	const word, left, weights = r(3), r(4), v(2)
	next, passed := f.label("blocks"), f.label("passed")
	f.op("LSR $3, %v, %v", neonLeft, left)
	f.place(next)
	f.op("MOVD.P 8(%v), %v", layersX, word)
	f.op("CBZ %v, %s", word, passed)
	f.op("VDUP %v, V0.S4", word)
	f.op("LSR $32, %v, %v", word, word)
	f.op("VDUP %v, V1.S4", word)
	f.op("MOVD %v, R5", layersFirst)
	for k := range v(2) {
		f.op("VLD1.P %d(R5), %s", blockBytes, (weights + 4*k).list(4))
	}
	body()
	f.place(passed)
	f.op("ADD $%d, %v, %v", 2*blockBytes, layersFirst, layersFirst)
	f.op("SUBS $1, %v, %v", left, left)
	f.op("BNE %s", next)
}

// pairsDotProd writes the first small layer with dot products of four bytes. Products
// are at most 127, so that they are signed bytes too.
func (f *neon) pairsDotProd() {
	for k := range v(4) {
		f.clear(16 + k)
	}
	f.blocks(func() {
		for k := range v(8) {
			f.vector(sdot, 16+k%4, 2+k, k/4)
		}
	})
}

// pairsNEON writes the first small layer with products of bytes. Two of 127 times a weight
// of -128 fit a word. A sum holds two lanes for each of two neurons.
func (f *neon) pairsNEON() {
	for k := range v(8) {
		f.clear(16 + k)
	}
	f.blocks(func() {
		for k := range v(4) {
			for upper := range v(2) {
				const product = v(10)
				to := product + 2*(k%2) + upper
				f.vector([2]vectorOp{smull8h, smull28h}[upper], to, 2+k, 0)
				f.vector([2]vectorOp{smlal8h, smlal28h}[upper], to, 6+k, 1)
				f.narrow(sadalp, 16+2*k+upper, to)
			}
		}
	})
	for k := range v(4) {
		f.op("VADDP %s, %s, %s", (17 + 2*k).longs(), (16 + 2*k).longs(), (16 + k).longs())
	}
}

// offset loads vectors from the rest of the weights.
func (f *neon) offset(at uintptr, n int, to v) {
	f.op("ADD $%d, %v, R3", at, layersRest)
	f.op("VLD1 (R3), %s", to.list(n))
}

// Vectors have eight words or four longs. V14 to V28 are second's and hold weights.

func (f *neon) zeros() v {
	f.high--
	f.clear(f.high + 1)
	return f.high + 1
}

func (f *neon) wordsOf(n int) v {
	f.high--
	f.splat(f.high+1, n)
	return f.high + 1
}

func (f *neon) atMost(words, limit v)  { f.vector(smin8h, words, words, limit) }
func (f *neon) atLeast(words, limit v) { f.vector(smax8h, words, words, limit) }

func (f *neon) squared(words v) v {
	f.low++
	f.op("VADD %s, %s, %s", words.words(), words.words(), (f.low - 1).words())
	f.vector(sqrdmulh8h, f.low-1, f.low-1, words)
	return f.low - 1
}

func (f *neon) packed(longs []v) (words []v) {
	for k := 0; k < len(longs); k += 2 {
		f.narrow(sqxtn, f.low, longs[k])
		f.narrow(sqxtn2, f.low, longs[k+1])
		words = append(words, f.low)
		f.low++
	}
	return words
}

func (f *neon) addPairs(longs, words v, weights uintptr, k int) {
	f.offset(weights+uintptr(k*vectorBytes), 1, 14)
	f.vector(smlal4s, longs, words, 14)
	f.vector(smlal24s, longs, words, 14)
}

// second gets weights by pairs of inputs, which the loads take apart.
func (f *neon) second(inputs []v) (longs []v) {
	const sums, weights = v(20), v(14)
	f.offset(unsafe.Offsetof(tail{}.biases2), 4, sums)
	f.op("ADD $%d, R3, R3", 4*vectorBytes)
	f.op("VLD1 (R3), %s", (sums + 4).list(4))
	f.op("ADD $%d, %v, R3", unsafe.Offsetof(tail{}.second), layersRest)
	for pair := range hidden1 {
		for k := range v(hidden2 / 8) { // of eight neurons
			f.op("VLD2.P %d(R3), [%s, %s]", 2*vectorBytes, weights.words(), (weights + 1).words())
			for input := range v(2) {
				by, lane := inputs[2*pair/8], 2*pair%8+int(input)
				f.addProducts(false, sums+2*k, weights+input, by, lane)
				f.addProducts(true, sums+2*k+1, weights+input, by, lane)
			}
		}
	}
	for k := range v(hidden2 / 4) {
		longs = append(longs, sums+k)
	}
	return longs
}
