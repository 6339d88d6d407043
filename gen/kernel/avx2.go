package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// AVX2 writes the kernel with four children in lanes.
func AVX2() ([][]byte, error) {
	p := newProgram()
	var steps wordList
	p.leaves("leavesAVX2", "steps *Steps, rows *[64]magicRow, kings *[64]kingRow", magicLayout, func() sink {
		steps = wordList{newKindList(p), p.asm.Load(p.asm.Param("steps"), p.asm.GP64()).(reg.GPVirtual)}
		return steps
	}, func(s *scalar, n operand.Mem) {
		v := &ymm{children: children{program: p}}
		v.loop(steps.kindList, n, v.prepare(s.frame))
	})
	return p.render(perft)
}

// prepare lays out what the children have in common: the parent as our side
// sees it, and what lookUp finds. It returns our knights.
func (v *ymm) prepare(frame operand.Mem) (knights operand.Mem) {
	v.asm.Comment("the parent as the other side sees it, in every lane")
	v.memory = v.aligned(slots * quadSize)
	spread := func(r reg.GPVirtual, slot int) {
		x, y := v.asm.XMM(), v.asm.YMM()
		v.asm.VMOVQ(r, x)
		v.asm.VPBROADCASTQ(x, y)
		v.put(y, slot)
	}
	for side, slot := range []int{slotThemAll, slotUsAll} {
		all := v.asm.GP64()
		for i := range 5 {
			r := v.load(frame.Offset(8 * (5*side + i)))
			v.asm.BSWAPQ(r)
			if i == 0 {
				v.asm.MOVQ(r, all)
			} else {
				v.asm.ORQ(r, all)
			}
			if 5*side+i < 9 {
				spread(r, slotParent+5*side+i)
			}
		}
		spread(all, slot)
	}
	v.put(v.zero(), slotPinRank)
	v.put(v.zero(), slotSum)

	king, rights := v.load(frame.Offset(frameTK)), v.load(frame.Offset(frameCastle))
	v.asm.BSWAPQ(king)
	v.asm.BSWAPQ(rights)
	v.lookUp(king, rights, v.load(v.slotMem(slotUsAll)))
	set := v.load(frame.Offset(frameTN))
	v.asm.BSWAPQ(set)
	return v.listKnights(set, magicLayout)
}

// loop counts the children, four at a time, and stores the sum.
func (v *ymm) loop(steps kindList, n, knights operand.Mem) {
	geometry, list := v.pointer("geometry"), v.pointer("steps")
	castle := v.castleWords(geometry)
	v.lut, v.nibble = v.asm.YMM(), v.asm.YMM()
	v.asm.VMOVDQU(v.table("bitCounts", 0x0302020102010100, 0x0403030203020201, 0x0302020102010100, 0x0403030203020201),
		v.lut)
	v.asm.VMOVDQU(v.quad(0x0f0f0f0f0f0f0f0f).(operand.Mem), v.nibble)
	q := &lanes{machine: composed{v}, count: v.asm.YMM(), attacked: v.asm.YMM()}
	i, left := v.asm.GP64(), v.load(n)
	v.asm.XORL(i.As32(), i.As32())

	v.asm.Label("four")
	move := v.get(list.Idx(i, 8))
	from, to := q.split(move)
	q.make(move, from, to)
	v.asm.Comment("are there steps with a kind among the four?")
	next, normal := v.asm.GP64(), v.label("normal")
	v.asm.LEAQ(operand.Mem{Base: i, Disp: 4}, next)
	v.asm.CMPQ(next, steps.first)
	v.asm.JBE(operand.LabelRef(normal))
	kinds := v.asm.YMM()
	v.asm.VPMOVZXBQ(steps.kinds.Idx(i, 1), kinds)
	q.makeSpecial(kinds, func(wing, word int) value { return v.broadcast(castle[wing].Offset(8 * word)) })
	v.place(normal)
	q.countMoves(func(body func(square, attacks value)) {
		v.eachKnight(knights, func(square, attacks operand.Mem) { body(v.broadcast(square), v.broadcast(attacks)) })
	})

	v.asm.Comment("the counts of the lanes that hold a child")
	counts := v.asm.YMM()
	v.asm.VPSADBW(v.zero().(reg.VecVirtual), q.count.(reg.VecVirtual), counts)
	v.castling(geometry, func(wing operand.Mem) {
		q.countCastling(func(offset int) value { return v.broadcast(wing.Offset(offset)) }, counts)
	})
	v.addValid(counts, left)
	v.asm.ADDQ(operand.I8(4), i)
	v.asm.SUBQ(operand.I8(4), left)
	v.asm.JA(operand.LabelRef("four"))
	v.total()
	v.asm.VZEROUPPER()
}

// addValid adds the counts of the lanes that hold a child, of which left
// remain with this vector, to the sum.
func (v *ymm) addValid(counts reg.VecVirtual, left reg.GPVirtual) {
	const all = ^uint64(0)
	missing, none, at := v.asm.GP64(), v.asm.GP64(), v.asm.GP64()
	v.asm.MOVQ(operand.I32(4), missing)
	v.asm.XORL(none.As32(), none.As32())
	v.asm.SUBQ(left, missing)
	v.asm.CMOVQLT(none, missing)
	v.asm.LEAQ(v.table("validLanes", all, all, all, all, 0, 0, 0), at)
	valid := operand.Mem{Base: at, Index: missing, Scale: 8}
	sum := v.asm.YMM()
	v.asm.VPADDQ(v.slotMem(slotSum), v.and(valid, counts).(reg.VecVirtual), sum)
	v.put(sum, slotSum)
}

// total stores the sum of all lanes.
func (v *ymm) total() {
	sum := v.load(v.slotMem(slotSum))
	for i := 8; i < quadSize; i += 8 {
		v.asm.ADDQ(v.slotMem(slotSum).Offset(i), sum)
	}
	v.asm.Store(sum, v.asm.Return("sum"))
}
