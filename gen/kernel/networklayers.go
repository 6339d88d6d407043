package kernel

import (
	"unsafe"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The small layers of eval/nnue (eval/nnue/layers.go).
const (
	hidden1, hidden2 = 16, 32 // neurons
	productShift     = 6      // a<<6 times b, of which VPMULHRSW keeps what is above bit 15, rounded: a·b>>9
	hiddenTop        = 1<<14 - 1
	secondShift      = 10
	skipShift        = 1
	blockProducts    = 4
	blockBytes       = blockProducts * hidden1 // the weights of a block
	maxWidth         = 4096                    // nnue.MaxWidth
)

// tail is the layout of nnue.tail.
type tail struct {
	biases1 [hidden1]int32
	second  [hidden1][hidden2][2]int16
	biases2 [hidden2]int32
	third   [hidden2]int16
	skips   [hidden1]int16
}

// layers emits the small layers: products of pairs, then what follows them.
func (v *vector) layers() {
	v.function("layers"+v.suffix, "func(us, them []int16, x []uint8, blocks []int8, rest *tail) int32",
		"layers"+v.suffix+" is layers in assembly.")
	rest := v.pointer("rest")
	sums, past := v.first(v.length("us"), rest)
	inputs := v.asm.AllocLocal(2 * 2 * hidden1)
	clipped := v.asm.YMM()
	v.asm.VPMAXSW(v.yzero(), sums, clipped)
	v.asm.VMOVDQU(clipped, inputs)
	v.asm.VMOVDQU(v.squared(sums), inputs.Offset(2*hidden1))
	seconds := v.second(inputs, rest)
	total := v.third(seconds, past, rest)
	v.asm.Store(v.folded(v.asm.VPADDD, total), v.asm.ReturnIndex(0))
	v.finish()
}

// products stores the products of both sides in x, in their order, and a bit for
// each block of four that is not all zero in filled. What is negative in the
// second half becomes a negative product, which packing takes for 0 (cj5716, pull
// request 5282 of Stockfish).
func (v *vector) products(n reg.Register, filled operand.Mem) {
	zero, top := v.zero(), v.register()
	v.asm.VPBROADCASTW(v.word(clip), top)
	inOrder := v.unpacking()
	x, bits := v.base("x"), v.asm.GP64()
	v.asm.LEAQ(filled, bits)
	for _, side := range []string{"us", "them"} {
		a, b, i := v.base(side), v.asm.GP64(), v.asm.GP64()
		v.asm.ADDQ(n, a)
		v.asm.LEAQ(operand.Mem{Base: a, Index: n, Scale: 1}, b)
		v.asm.MOVQ(n, i)
		v.asm.SHRQ(operand.U8(1), i)
		v.asm.ADDQ(i, x) // the end of the side's
		v.asm.NEGQ(i)
		v.countUp(i, v.bytes, func() {
			var words [2]reg.VecVirtual
			for k := range words {
				l, r := v.register(), v.register()
				v.asm.VPMAXSW(operand.Mem{Base: a, Index: i, Scale: 2, Disp: k * v.bytes}, zero, l)
				v.asm.VPMINSW(operand.Mem{Base: b, Index: i, Scale: 2, Disp: k * v.bytes}, top, r)
				v.asm.VPMINSW(top, l, l)
				v.asm.VPSLLW(operand.U8(productShift), l, l)
				v.asm.VPMULHRSW(r, l, l)
				words[k] = l
			}
			packed := words[0]
			v.asm.VPACKUSWB(words[1], words[0], packed)
			inOrder(packed)
			v.move(packed, at(x, i, 0))
			v.storeFilled(packed, zero, operand.Mem{Base: bits})
			v.asm.ADDQ(operand.U32(v.bytes/blockProducts/8), bits)
		})
	}
}

// unpacking returns what undoes the change that packing makes in the order of
// quadwords.
func (v *vector) unpacking() func(packed reg.VecVirtual) {
	if v.bytes == 32 {
		return func(packed reg.VecVirtual) { v.asm.VPERMQ(operand.U8(0xd8), packed, packed) }
	}
	order := v.register()
	v.asm.VMOVDQU64(v.table("packedOrder", 0, 2, 4, 6, 1, 3, 5, 7), order)
	return func(packed reg.VecVirtual) { v.asm.VPERMQ(packed, order, packed) }
}

// storeFilled stores a bit for each block of four products that is not all zero.
func (v *vector) storeFilled(packed, zero reg.VecVirtual, to operand.Mem) {
	if v.bytes == 64 {
		filled := v.asm.K()
		v.asm.VPTESTMD(packed, packed, filled)
		v.asm.KMOVW(filled, to)
		return
	}
	empty, bits := v.register(), v.asm.GP32()
	v.asm.VPCMPEQD(packed, zero, empty)
	v.asm.VMOVMSKPS(empty, bits)
	v.asm.NOTL(bits)
	v.asm.MOVB(bits.As8(), to)
}

// first returns the sums of the first small layer as words, clipped, and as they go
// past the others. Blocks of four products that are all zero are passed over; there
// are 64 to a word of bits.
func (v *vector) first(n reg.Register, rest operand.Mem) (clipped, past reg.VecVirtual) {
	filled := v.asm.AllocLocal(maxWidth / blockProducts / 8)
	v.products(n, filled)
	x, weights, words := v.base("x"), v.base("blocks"), v.asm.GP64()
	v.asm.LEAQ(filled, words)
	add, sum := v.firstSums(rest)
	word, next, done := v.label("word"), v.label("block"), v.label("blocks")
	v.asm.Label(word)
	blocks := v.asm.GP64()
	v.asm.MOVQ(operand.Mem{Base: words}, blocks)
	v.asm.TESTQ(blocks, blocks)
	v.asm.JZ(operand.LabelRef(done))
	v.asm.Label(next)
	for k := range 2 { // by turns, to hide the delay of sums
		block, four := v.asm.GP64(), v.register()
		v.asm.TZCNTQ(blocks, block)
		v.asm.VPBROADCASTD(operand.Mem{Base: x, Index: block, Scale: 4}, four)
		v.asm.SHLQ(operand.U8(6), block)
		add(k, at(weights, block, 0), four)
		v.asm.BLSRQ(blocks, blocks)
		if k == 0 {
			v.asm.JZ(operand.LabelRef(done))
		}
	}
	v.asm.JNZ(operand.LabelRef(next))
	v.asm.Label(done)
	v.asm.ADDQ(operand.U32(64*blockProducts), x)
	v.asm.ADDQ(operand.U32(64*blockBytes), weights)
	v.asm.ADDQ(operand.U32(8), words)
	v.asm.SUBQ(operand.U32(64*blockProducts), n)
	v.asm.JNZ(operand.LabelRef(word))
	whole, past := sum()
	return v.within(whole, -hiddenTop), past
}

// firstSums returns what adds the products of a block times its weights to the sums
// of a turn, 0 or 1, and what returns all of them as words, and as words without their
// lowest bits. The largest products and weights do not saturate: 2·127·128 is below
// 32768.
func (v *vector) firstSums(rest operand.Mem) (
	add func(turn int, weights operand.Mem, four reg.VecVirtual), sum func() (whole, coarse reg.VecVirtual),
) {
	biases := rest.Offset(int(unsafe.Offsetof(tail{}.biases1)))
	if v.bytes == 64 {
		sums := [2]reg.VecVirtual{v.register(), v.zero()}
		v.move(biases, sums[0])
		return func(turn int, weights operand.Mem, four reg.VecVirtual) {
				v.asm.VPDPBUSD(weights, four, sums[turn])
			}, func() (whole, coarse reg.VecVirtual) {
				whole, coarse = v.asm.YMM(), v.asm.YMM()
				v.asm.VPADDD(sums[1], sums[0], sums[0])
				v.asm.VPMOVSDW(sums[0], whole)
				v.asm.VPSRAD(operand.U8(skipShift), sums[0], sums[0])
				v.asm.VPMOVSDW(sums[0], coarse)
				return whole, coarse
			}
	}
	ones := v.register()
	v.asm.VPBROADCASTW(v.word(1), ones)
	var sums [2]reg.VecVirtual // of eight neurons each
	for k := range sums {
		sums[k] = v.register()
		v.move(biases.Offset(k*v.bytes), sums[k])
	}
	return func(_ int, weights operand.Mem, four reg.VecVirtual) {
			for k, sum := range sums {
				product := v.register()
				v.asm.VPMADDUBSW(weights.Offset(k*v.bytes), four, product)
				v.asm.VPMADDWD(ones, product, product)
				v.asm.VPADDD(product, sum, sum)
			}
		}, func() (whole, coarse reg.VecVirtual) {
			whole = v.packedWords(sums[0], sums[1])
			for _, s := range sums {
				v.asm.VPSRAD(operand.U8(skipShift), s, s)
			}
			return whole, v.packedWords(sums[0], sums[1])
		}
}

// packedWords returns sixteen longs as words, saturated.
func (v *vector) packedWords(a, b reg.VecVirtual) reg.VecVirtual {
	words := v.asm.YMM()
	v.asm.VPACKSSDW(b, a, words)
	v.asm.VPERMQ(operand.U8(0xd8), words, words)
	return words
}

// yzero returns sixteen words of zero.
func (v *vector) yzero() reg.VecVirtual {
	r := v.asm.YMM()
	v.asm.VPXOR(r, r, r)
	return r
}

// within returns words clipped to low…hiddenTop.
func (v *vector) within(words reg.VecVirtual, low int) reg.VecVirtual {
	bound := v.asm.YMM()
	v.asm.VPBROADCASTW(v.word(hiddenTop), bound)
	v.asm.VPMINSW(bound, words, words)
	if low == 0 {
		v.asm.VPMAXSW(v.yzero(), words, words)
		return words
	}
	bottom := v.asm.YMM()
	v.asm.VPSUBW(bound, v.yzero(), bottom)
	v.asm.VPMAXSW(bottom, words, words)
	return words
}

// squared returns the squares of clipped words.
func (v *vector) squared(words reg.VecVirtual) reg.VecVirtual {
	r := v.asm.YMM()
	v.asm.VPADDW(words, words, r)
	v.asm.VPMULHRSW(words, r, r)
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
		v.asm.VPBROADCASTD(inputs.Offset(4*pair), input)
		for k := range parts {
			weights := rest.Offset(int(unsafe.Offsetof(tail{}.second)) + pair*size + k*v.bytes)
			sum := sums[pair%chains*parts+k]
			if v.bytes == 64 {
				v.asm.VPDPWSSD(weights, input, sum)
				continue
			}
			product := v.register()
			v.asm.VPMADDWD(weights, input, product)
			v.asm.VPADDD(product, sum, sum)
		}
	}
	for half := len(sums) / 2; half >= parts; half /= 2 {
		for k := range half {
			v.asm.VPADDD(sums[half+k], sums[k], sums[k])
		}
	}
	for _, sum := range sums[:parts] {
		v.asm.VPSRAD(operand.U8(secondShift), sum, sum)
	}
	if v.bytes == 64 {
		a, b := v.asm.YMM(), v.asm.YMM()
		v.asm.VPMOVSDW(sums[0], a)
		v.asm.VPMOVSDW(sums[1], b)
		return [2]reg.VecVirtual{a, b}
	}
	return [2]reg.VecVirtual{v.packedWords(sums[0], sums[1]), v.packedWords(sums[2], sums[3])}
}

// third returns eight sums that make up that of the third layer and of what goes past
// it.
func (v *vector) third(seconds [2]reg.VecVirtual, past reg.VecVirtual, rest operand.Mem) reg.VecVirtual {
	v.asm.VPMADDWD(rest.Offset(int(unsafe.Offsetof(tail{}.skips))), past, past)
	var sums [2]reg.VecVirtual
	for k, words := range seconds {
		sums[k] = v.squared(v.within(words, 0))
		v.asm.VPMADDWD(rest.Offset(int(unsafe.Offsetof(tail{}.third))+32*k), sums[k], sums[k])
	}
	v.asm.VPADDD(sums[1], sums[0], sums[0])
	v.asm.VPADDD(past, sums[0], sums[0])
	return sums[0]
}
