package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// AVX512 writes the kernel with eight children in lanes.
func AVX512() ([][]byte, error) {
	p := newProgram()
	var steps *byteLists
	p.leaves("leavesAVX512", "rows *[64]row, kings *[64]kingRow", pextLayout, func() sink {
		steps = newByteLists(p)
		return steps
	}, func(s *scalar, n operand.Mem) {
		v := &zmm{children: children{program: p}}
		v.loop(steps, n, v.prepare(s.frame))
	})
	return p.render(perft)
}

// prepare lays out what the children have in common: the parent as our side
// sees it, and what lookUp finds. It returns our knights.
func (v *zmm) prepare(frame operand.Mem) (knights operand.Mem) {
	v.asm.Comment("the parent as the other side sees it")
	v.parent = v.aligned(128) // two vectors
	swap := v.asm.ZMM()
	v.asm.VBROADCASTI32X4(v.table("swap", 0x0001020304050607, 0x08090a0b0c0d0e0f), swap)
	for at := 0; at < frameSize; at += 64 {
		z := v.asm.ZMM()
		if at+64 <= frameSize {
			v.asm.VMOVDQU64(frame.Offset(at), z)
		} else {
			v.asm.VMOVDQU64(frame.Offset(at), z.AsY())
		}
		v.asm.VPSHUFB(swap, z, z)
		v.asm.VMOVDQU64(z, v.parent.Offset(at))
	}
	v.slots = map[int]value{}
	for i := range 9 {
		v.slots[slotParent+i] = v.parent.Offset(8 * i)
	}
	for side, slot := range []int{slotThemAll, slotUsAll} {
		all, set := v.asm.AllocLocal(8), v.load(v.parent.Offset(40*side))
		for i := 8; i < 40; i += 8 {
			v.asm.ORQ(v.parent.Offset(40*side+i), set)
		}
		v.asm.MOVQ(set, all)
		v.slots[slot] = all
	}
	king, rights := v.load(v.parent.Offset(frameTK)), v.load(v.parent.Offset(frameCastle))
	v.lookUp(king, rights, v.load(v.slots[slotUsAll].(operand.Mem)))
	return v.listKnights(v.load(v.parent.Offset(frameTN)), pextLayout)
}

// loop counts the children, eight at a time, and stores the sum.
func (v *zmm) loop(steps *byteLists, n, knights operand.Mem) {
	geometry := v.pointer("geometry")
	castle := v.castleWords(geometry)
	sum := v.zero().(reg.VecVirtual)
	q := &lanes{machine: v, count: v.asm.ZMM(), attacked: v.asm.ZMM()}
	i, left := v.asm.GP64(), v.load(n)
	v.asm.XORL(i.As32(), i.As32())

	v.asm.Label("eight")
	from, to, one := v.asm.ZMM(), v.asm.ZMM(), v.get(v.word(1))
	v.asm.VPMOVZXBQ(steps.froms.Idx(i, 1), from)
	v.asm.VPMOVZXBQ(steps.tos.Idx(i, 1), to)
	v.asm.VPSLLVQ(from, one, from)
	v.asm.VPSLLVQ(to, one, to)
	q.make(v.or(from, to), from, to)
	v.asm.Comment("are there steps with a kind among the eight?")
	next, normal := v.asm.GP64(), v.label("normal")
	v.asm.LEAQ(operand.Mem{Base: i, Disp: 8}, next)
	v.asm.CMPQ(next, steps.first)
	v.asm.JBE(operand.LabelRef(normal))
	kinds := v.asm.ZMM()
	v.asm.VPMOVZXBQ(steps.kinds.Idx(i, 1), kinds)
	q.makeSpecial(kinds, func(wing, word int) value { return castle[wing].Offset(8 * word) })
	v.place(normal)
	q.countMoves(func(body func(square, attacks value)) {
		v.eachKnight(knights, func(square, attacks operand.Mem) { body(square, attacks) })
	})

	v.castling(geometry, func(wing operand.Mem) {
		q.countCastling(func(offset int) value { return wing.Offset(offset) }, q.count)
	})
	v.addValid(q.count, sum, left)
	v.asm.ADDQ(operand.I8(8), i)
	v.asm.SUBQ(operand.I8(8), left)
	v.asm.JA(operand.LabelRef("eight"))
	v.total(sum)
	v.asm.VZEROUPPER()
}

// addValid adds the counts of the lanes that hold a child, of which left
// remain with this vector, to the sum.
func (v *zmm) addValid(counts value, sum reg.VecVirtual, left reg.GPVirtual) {
	valid, k := v.asm.GP64(), v.asm.K()
	v.asm.MOVL(operand.U32(0xff), valid.As32())
	v.asm.BZHIQ(left, valid, valid)
	v.asm.KMOVB(valid.As32(), k)
	v.asm.VPADDQ(counts.(reg.VecVirtual), sum, k, sum)
}

// total stores the sum of all lanes.
func (v *zmm) total(sum reg.VecVirtual) {
	high := v.asm.ZMM()
	v.asm.VEXTRACTI64X4(operand.U8(1), sum, high.AsY())
	v.asm.VPADDQ(high.AsY(), sum.AsY(), sum.AsY())
	v.asm.VEXTRACTI128(operand.U8(1), sum.AsY(), high.AsX())
	v.asm.VPADDQ(high.AsX(), sum.AsX(), sum.AsX())
	v.asm.VPSRLDQ(operand.U8(8), sum.AsX(), high.AsX())
	v.asm.VPADDQ(high.AsX(), sum.AsX(), sum.AsX())
	r := v.asm.GP64()
	v.asm.VMOVQ(sum.AsX(), r)
	v.asm.Store(r, v.asm.Return("sum"))
}
