package kernel

import (
	"unsafe"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// layers is a layerMachine.
type layers struct {
	*vector
	rest operand.Mem // nnue.tail
}

// layers emits the small layers: products of pairs, then what follows them.
func (v *vector) layers() {
	v.kernel("layers", "(us, them []int16, x []uint8, blocks []int8, rest *tail) int32")
	l := &layers{v, v.pointer("rest")}
	total := smallLayers(l, l.first(v.length("us")))
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

// first returns the sums of the first small layer. Blocks of four products that are all zero
// are passed over; there are 64 to a word of bits.
func (v *layers) first(n reg.Register) []reg.VecVirtual {
	filled := v.asm.AllocLocal(maxWidth / blockProducts / 8)
	v.products(n, filled)
	x, weights, words := v.base("x"), v.base("blocks"), v.asm.GP64()
	v.asm.LEAQ(filled, words)
	add, sums := v.firstSums()
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
	if v.bytes == 64 {
		v.asm.VPADDD(sums[1], sums[0], sums[0])
		return sums[:1]
	}
	return sums
}

// firstSums returns what adds the products of a block times its weights to the sums of
// a turn, 0 or 1, and two registers of sums: of each turn, or of eight neurons each. The largest
// products and weights do not saturate: 2·127·128 is below 32768.
func (v *layers) firstSums() (add func(turn int, weights operand.Mem, four reg.VecVirtual), sums []reg.VecVirtual) {
	sums = []reg.VecVirtual{v.register(), v.zero()}
	biases := v.rest.Offset(int(unsafe.Offsetof(tail{}.biases1)))
	v.move(biases, sums[0])
	if v.bytes == 64 {
		return func(turn int, weights operand.Mem, four reg.VecVirtual) {
			v.asm.VPDPBUSD(weights, four, sums[turn])
		}, sums
	}
	v.move(biases.Offset(v.bytes), sums[1])
	ones := v.register()
	v.asm.VPBROADCASTW(v.word(1), ones)
	return func(_ int, weights operand.Mem, four reg.VecVirtual) {
		for k, sum := range sums {
			product := v.register()
			v.asm.VPMADDUBSW(weights.Offset(k*v.bytes), four, product)
			v.asm.VPMADDWD(ones, product, product)
			v.asm.VPADDD(product, sum, sum)
		}
	}, sums
}

// Words come in vectors of sixteen, longs in registers of any size.

func (v *layers) zeros() reg.VecVirtual {
	r := v.asm.YMM()
	v.asm.VPXOR(r, r, r)
	return r
}

func (v *layers) wordsOf(n int) reg.VecVirtual {
	r := v.asm.YMM()
	v.asm.VPBROADCASTW(v.word(uint64(uint16(n))), r)
	return r
}

func (v *layers) atMost(words, limit reg.VecVirtual)      { v.asm.VPMINSW(limit, words, words) }
func (v *layers) atLeast(words, limit reg.VecVirtual)     { v.asm.VPMAXSW(limit, words, words) }
func (v *layers) shiftRight(longs reg.VecVirtual, by int) { v.asm.VPSRAD(operand.U8(by), longs, longs) }

func (v *layers) squared(words reg.VecVirtual) reg.VecVirtual {
	r := v.asm.YMM()
	v.asm.VPADDW(words, words, r)
	v.asm.VPMULHRSW(words, r, r)
	return r
}

func (v *layers) packed(longs []reg.VecVirtual) (words []reg.VecVirtual) {
	for k := 0; k < len(longs); k += 64 / v.bytes {
		r := v.asm.YMM()
		if v.bytes == 64 {
			v.asm.VPMOVSDW(longs[k], r)
		} else {
			v.asm.VPACKSSDW(longs[k+1], longs[k], r)
			v.asm.VPERMQ(operand.U8(0xd8), r, r)
		}
		words = append(words, r)
	}
	return words
}

func (v *layers) addPairs(longs, words reg.VecVirtual, weights uintptr, k int) {
	r := v.asm.YMM()
	v.asm.VPMADDWD(v.rest.Offset(int(weights)+32*k), words, r)
	v.asm.VPADDD(r, longs, longs)
}

// second adds to several registers, since a product adds with delay.
func (v *layers) second(words []reg.VecVirtual) (longs []reg.VecVirtual) {
	inputs := v.asm.AllocLocal(2 * 2 * hidden1)
	for k, w := range words {
		v.asm.VMOVDQU(w, inputs.Offset(32*k))
	}
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
			v.move(v.rest.Offset(int(unsafe.Offsetof(tail{}.biases2))+k*v.bytes), sums[k])
		} else {
			sums[k] = v.zero()
		}
	}
	for pair := range hidden1 {
		input := v.register()
		v.asm.VPBROADCASTD(inputs.Offset(4*pair), input)
		for k := range parts {
			weights := v.rest.Offset(int(unsafe.Offsetof(tail{}.second)) + pair*size + k*v.bytes)
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
	return sums[:parts]
}
