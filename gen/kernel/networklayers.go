package kernel

import (
	"unsafe"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The small layers of eval/nnue (layers.go there).
const (
	hidden1, hidden2 = 16, 32 // neurons
	productShift     = 6      // a<<6 times b, of which VPMULHRSW keeps what is above bit 15, rounded: a·b>>9
	hiddenTop        = 1<<14 - 1
	secondShift      = 10
	blockBytes       = 4 * hidden1 // the weights of four products
)

// tail is the layout of nnue.tail.
type tail struct {
	biases1 [hidden1]int32
	second  [hidden1][hidden2][2]int16
	biases2 [hidden2]int32
	third   [hidden2]int16
}

// layers emits the small layers: products of pairs, then what follows them.
func (v *vector) layers() {
	signature, first := "func(us, them []int16, x []uint8, blocks []int8, rest *tail) int32", v.firstSparse
	if v.bytes == 64 {
		signature, first = "func(us, them []int16, lanes []int8, rest *tail) int32", v.firstDense
	}
	v.function("layers"+v.suffix, signature, "layers"+v.suffix+" is layers in assembly.")
	rest := v.pointer("rest")
	sums := first(v.length("us"), rest)
	inputs := v.AllocLocal(2 * 2 * hidden1)
	clipped := v.YMM()
	v.VPMAXSW(v.yzero(), sums, clipped)
	v.VMOVDQU(clipped, inputs)
	v.VMOVDQU(v.squared(sums), inputs.Offset(2*hidden1))
	seconds := v.second(inputs, rest)
	total := v.third(seconds, rest)
	v.Store(v.totalY(total), v.ReturnIndex(0))
	v.finish()
}

// eachProducts emits body for each register of products of both sides, by eight
// of either half of their neurons in each lane; i runs up to zero along the
// products of a side. What is negative in the second half becomes a negative
// product, which packing takes for 0 (cj5716, pull request 5282 of Stockfish).
func (v *vector) eachProducts(n reg.Register, body func(side string, i reg.Register, packed reg.VecVirtual)) {
	zero, top := v.zero(), v.register()
	v.VPBROADCASTW(v.word(clip), top)
	for _, side := range []string{"us", "them"} {
		a, b, i := v.base(side), v.GP64(), v.GP64()
		v.ADDQ(n, a)
		v.LEAQ(operand.Mem{Base: a, Index: n, Scale: 1}, b)
		v.MOVQ(n, i)
		v.SHRQ(operand.U8(1), i)
		v.NEGQ(i)
		v.countUp(i, v.bytes, func() {
			var words [2]reg.VecVirtual
			for k := range words {
				l, r := v.register(), v.register()
				v.VPMAXSW(operand.Mem{Base: a, Index: i, Scale: 2, Disp: k * v.bytes}, zero, l)
				v.VPMINSW(operand.Mem{Base: b, Index: i, Scale: 2, Disp: k * v.bytes}, top, r)
				v.VPMINSW(top, l, l)
				v.VPSLLW(operand.U8(productShift), l, l)
				v.VPMULHRSW(r, l, l)
				words[k] = l
			}
			v.VPACKUSWB(words[1], words[0], words[0])
			body(side, i, words[0])
		})
	}
}

// storeProducts stores the products of both sides in x, in their order.
func (v *vector) storeProducts(n reg.Register) {
	ours, theirs := v.base("x"), v.GP64()
	v.LEAQ(operand.Mem{Base: ours, Index: n, Scale: 1}, theirs) // the end of theirs
	half := v.GP64()
	v.MOVQ(n, half)
	v.SHRQ(operand.U8(1), half)
	v.ADDQ(half, ours)
	v.eachProducts(n, func(side string, i reg.Register, packed reg.VecVirtual) {
		to := ours
		if side == "them" {
			to = theirs
		}
		v.VPERMQ(operand.U8(0xd8), packed, packed)
		v.move(packed, at(to, i, 0))
	})
}

// firstDense returns the sums of the first small layer as words. Products stay in
// registers, in the order in which packing leaves them; the four of a block meet
// the weights of four neurons in each lane, which stand as nnue's byLanes has them.
// Where all 64 are zero, as the last of a side often are (fit.arranged), their
// weights are passed over.
func (v *vector) firstDense(n reg.Register, rest operand.Mem) reg.VecVirtual {
	const groups = hidden1 / 4 // of neurons
	weights := v.base("lanes")
	var sums [2 * groups]reg.VecVirtual // twice, to hide the delay of VPDPBUSD
	for k := range sums {
		sums[k] = v.zero()
	}
	v.eachProducts(n, func(_ string, _ reg.Register, packed reg.VecVirtual) {
		some, zero := v.K(), v.label("zero")
		v.VPTESTMD(packed, packed, some)
		v.KORTESTW(some, some)
		v.JZ(operand.LabelRef(zero))
		for k := range 4 {
			block := v.register()
			v.VPSHUFD(operand.U8(0x55*k), packed, block)
			for group := range groups {
				v.VPDPBUSD(operand.Mem{Base: weights, Disp: (groups*k + group) * v.bytes}, block, sums[k%2*groups+group])
			}
		}
		v.Label(zero)
		v.ADDQ(operand.U32(4*groups*v.bytes), weights)
	})
	for group := range groups {
		v.VPADDD(sums[groups+group], sums[group], sums[group])
	}
	a := v.lanePairs(v.lanePairs(sums[0], sums[1]), v.lanePairs(sums[2], sums[3]))
	v.VPADDD(rest.Offset(int(unsafe.Offsetof(tail{}.biases1))), a, a)
	words := v.YMM()
	v.VPMOVSDW(a, words)
	return v.within(words, -hiddenTop)
}

// lanePairs returns the sums of lanes 0 and 1, 2 and 3 of a, then those of b.
func (v *vector) lanePairs(a, b reg.VecVirtual) reg.VecVirtual {
	even, odd := v.register(), v.register()
	v.VSHUFI32X4(operand.U8(0x88), b, a, even)
	v.VSHUFI32X4(operand.U8(0xdd), b, a, odd)
	v.VPADDD(odd, even, even)
	return even
}

// firstSparse does the same by way of memory, for the blocks of four products that
// are not all zero: a word has a bit for each of 64 blocks. The largest products and weights
// do not saturate: 2·127·128 is below 32768.
func (v *vector) firstSparse(n reg.Register, rest operand.Mem) reg.VecVirtual {
	v.storeProducts(n)
	x, weights := v.base("x"), v.base("blocks")
	ones, zero := v.register(), v.zero()
	v.VPBROADCASTW(v.word(1), ones)
	var sums [2]reg.VecVirtual
	for k := range sums {
		sums[k] = v.register()
		v.move(rest.Offset(int(unsafe.Offsetof(tail{}.biases1))+k*v.bytes), sums[k])
	}
	const step = 64 * 4 // bytes of x
	word, next, done := v.label("word"), v.label("block"), v.label("blocks")
	v.Label(word)
	blocks := v.GP64()
	for k := step/v.bytes - 1; k >= 0; k-- {
		empty, bits := v.register(), v.GP64()
		v.VPCMPEQD(operand.Mem{Base: x, Disp: k * v.bytes}, zero, empty)
		if k == step/v.bytes-1 {
			v.VMOVMSKPS(empty, blocks.As32())
			continue
		}
		v.VMOVMSKPS(empty, bits.As32())
		v.SHLQ(operand.U8(v.bytes/4), blocks)
		v.ORQ(bits, blocks)
	}
	v.NOTQ(blocks)
	v.TESTQ(blocks, blocks)
	v.JZ(operand.LabelRef(done))
	v.Label(next)
	block, four := v.GP64(), v.register()
	v.TZCNTQ(blocks, block)
	v.BLSRQ(blocks, blocks)
	v.VPBROADCASTD(operand.Mem{Base: x, Index: block, Scale: 4}, four)
	v.SHLQ(operand.U8(6), block)
	for k, sum := range sums {
		product := v.register()
		v.VPMADDUBSW(at(weights, block, k*v.bytes), four, product)
		v.VPMADDWD(ones, product, product)
		v.VPADDD(product, sum, sum)
	}
	v.TESTQ(blocks, blocks)
	v.JNZ(operand.LabelRef(next))
	v.Label(done)
	v.ADDQ(operand.U32(step), x)
	v.ADDQ(operand.U32(64*blockBytes), weights)
	v.SUBQ(operand.U32(step), n)
	v.JNZ(operand.LabelRef(word))
	return v.within(v.packedWords(sums[0], sums[1]), -hiddenTop)
}

// packedWords returns sixteen longs as words, saturated.
func (v *vector) packedWords(a, b reg.VecVirtual) reg.VecVirtual {
	words := v.YMM()
	v.VPACKSSDW(b, a, words)
	v.VPERMQ(operand.U8(0xd8), words, words)
	return words
}

// yzero returns sixteen words of zero.
func (v *vector) yzero() reg.VecVirtual {
	r := v.YMM()
	v.VPXOR(r, r, r)
	return r
}

// within returns words clipped to low…hiddenTop.
func (v *vector) within(words reg.VecVirtual, low int) reg.VecVirtual {
	bound := v.YMM()
	v.VPBROADCASTW(v.word(hiddenTop), bound)
	v.VPMINSW(bound, words, words)
	if low == 0 {
		v.VPMAXSW(v.yzero(), words, words)
		return words
	}
	bottom := v.YMM()
	v.VPSUBW(bound, v.yzero(), bottom)
	v.VPMAXSW(bottom, words, words)
	return words
}

// squared returns the squares of clipped words.
func (v *vector) squared(words reg.VecVirtual) reg.VecVirtual {
	r := v.YMM()
	v.VPADDW(words, words, r)
	v.VPMULHRSW(words, r, r)
	return r
}

// second returns the activations of the second small layer as words, before they
// are squared. Sums go to several registers, since a product adds with delay.
func (v *vector) second(inputs, rest operand.Mem) [2]reg.VecVirtual {
	const size = hidden2 * 4 // of all sums, and of the weights of a pair of inputs
	chains := 1
	if v.bytes == 64 {
		chains = 4
	}
	parts := size / v.bytes
	sums := make([]reg.VecVirtual, parts*chains)
	for k := range sums {
		if k < parts {
			sums[k] = v.register()
			v.move(rest.Offset(int(unsafe.Offsetof(tail{}.biases2))+k*v.bytes), sums[k])
		} else {
			sums[k] = v.zero()
		}
	}
	for pair := range hidden1 {
		input := v.register()
		v.VPBROADCASTD(inputs.Offset(4*pair), input)
		for k := range parts {
			weights := rest.Offset(int(unsafe.Offsetof(tail{}.second)) + pair*size + k*v.bytes)
			sum := sums[pair%chains*parts+k]
			if v.bytes == 64 {
				v.VPDPWSSD(weights, input, sum)
				continue
			}
			product := v.register()
			v.VPMADDWD(weights, input, product)
			v.VPADDD(product, sum, sum)
		}
	}
	for half := len(sums) / 2; half >= parts; half /= 2 {
		for k := range half {
			v.VPADDD(sums[half+k], sums[k], sums[k])
		}
	}
	for _, sum := range sums[:parts] {
		v.VPSRAD(operand.U8(secondShift), sum, sum)
	}
	if v.bytes == 64 {
		a, b := v.YMM(), v.YMM()
		v.VPMOVSDW(sums[0], a)
		v.VPMOVSDW(sums[1], b)
		return [2]reg.VecVirtual{a, b}
	}
	return [2]reg.VecVirtual{v.packedWords(sums[0], sums[1]), v.packedWords(sums[2], sums[3])}
}

// third returns eight sums that make up that of the third layer.
func (v *vector) third(seconds [2]reg.VecVirtual, rest operand.Mem) reg.VecVirtual {
	var sums [2]reg.VecVirtual
	for k, words := range seconds {
		sums[k] = v.squared(v.within(words, 0))
		v.VPMADDWD(rest.Offset(int(unsafe.Offsetof(tail{}.third))+32*k), sums[k], sums[k])
	}
	v.VPADDD(sums[1], sums[0], sums[0])
	return sums[0]
}
