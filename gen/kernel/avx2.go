package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// AVX2 writes the kernel with four children in lanes.
func AVX2() ([][]byte, error) {
	p := newProgram()
	leavesAVX2(p)
	return p.render()
}

func leavesAVX2(p *program) {
	p.function("leavesAVX2", "func(f *Frame, geometry *Geometry, captors uint64, steps *Steps, rows *[64]magicRow, kings *[64]kingRow, sets "+attackSets+") (sum, doubles uint64)",
		"leavesAVX2 sums the legal moves of the children of f. Captors are the pawns that",
		"may capture en passant; steps is working space. What may be captured en passant",
		"after a double push is not counted; returned are the squares, as the other side",
		"sees them, reached by double pushes next to one of its pawns.")
	s := newScalar(p, magicLayout)
	s.frame = p.pointer("f")
	steps := wordList{kindList: newKindList(p), list: p.asm.GP64()}
	p.asm.Load(p.asm.Param("steps"), steps.list)
	l := newLister(s, steps)
	captors, doubles := p.asm.AllocLocal(8), p.asm.AllocLocal(8)
	p.asm.MOVQ(p.asm.Load(p.asm.Param("captors"), p.asm.GP64()), captors)
	l.list(func() operand.Mem { return p.pointer("geometry") }, captors, doubles)
	n := p.asm.AllocLocal(8)
	p.asm.MOVQ(l.n, n)
	zero := p.asm.GP64()
	p.asm.XORL(zero.As32(), zero.As32())
	p.asm.Store(zero, p.asm.Return("sum"))
	p.asm.TESTQ(l.n, l.n)
	p.asm.JZ(operand.LabelRef("none"))

	q := &quads{ymm: ymm{p, map[uint64]operand.Mem{}}}
	knights := q.prepare(s.frame)
	q.loop(steps.kindList, n, knights)
	p.asm.Label("none")
	p.asm.Store(p.load(doubles), p.asm.Return("doubles"))
	p.asm.RET()
}

// prepare lays out what the children have in common: the parent as our side
// sees it, our king's row and our knights.
func (q *quads) prepare(frame operand.Mem) (knights operand.Mem) {
	q.asm.Comment("the parent as the other side sees it, in every lane")
	q.memory = q.aligned(slots * quadSize)
	spread := func(r reg.GPVirtual, slot int) {
		x, y := q.asm.XMM(), q.asm.YMM()
		q.asm.VMOVQ(r, x)
		q.asm.VPBROADCASTQ(x, y)
		q.put(y, slot)
	}
	for side, slot := range []int{slotThemAll, slotUsAll} {
		all := q.asm.GP64()
		for i := range 5 {
			r := q.load(frame.Offset(8 * (5*side + i)))
			q.asm.BSWAPQ(r)
			if i == 0 {
				q.asm.MOVQ(r, all)
			} else {
				q.asm.ORQ(r, all)
			}
			if 5*side+i < 9 {
				spread(r, slotParent+5*side+i)
			}
		}
		spread(all, slot)
	}
	q.put(q.zero(), slotPinRank)
	q.put(q.zero(), slotSum)

	king := q.load(frame.Offset(frameTK))
	q.asm.BSWAPQ(king)
	q.asm.TZCNTQ(king, king)
	q.asm.IMUL3Q(operand.U32(8*kingWords), king, king)
	kings := q.asm.Load(q.asm.Param("kings"), q.asm.GP64())
	q.asm.ADDQ(king, kings)
	q.king = operand.Mem{Base: kings}
	set := q.load(frame.Offset(frameTN))
	q.asm.BSWAPQ(set)
	return q.listKnights(set, magicLayout)
}

// loop counts the children, four at a time, and stores the sum.
func (q *quads) loop(steps kindList, n, knights operand.Mem) {
	geometry, list := q.pointer("geometry"), q.pointer("steps")
	castle := q.castleWords(geometry)
	q.lut, q.nibble, q.count, q.attacked = q.asm.YMM(), q.asm.YMM(), q.asm.YMM(), q.asm.YMM()
	q.asm.VMOVDQU(q.table("bitCounts", 0x0302020102010100, 0x0403030203020201, 0x0302020102010100, 0x0403030203020201), q.lut)
	q.asm.VMOVDQU(q.quad(0x0f0f0f0f0f0f0f0f), q.nibble)
	i, left := q.asm.GP64(), q.load(n)
	q.asm.XORL(i.As32(), i.As32())

	q.asm.Label("four")
	q.make(list.Idx(i, 8))
	q.asm.Comment("are there steps with a kind among the four?")
	next, normal, calm, counted := q.asm.GP64(), q.label("normal"), q.label("calm"), q.label("counted")
	q.asm.LEAQ(operand.Mem{Base: i, Disp: 4}, next)
	q.asm.CMPQ(next, steps.first)
	q.asm.JBE(operand.LabelRef(normal))
	q.makeSpecial(special{kinds: steps.kinds.Idx(i, 1), castle: castle})
	q.asm.Label(normal)
	q.put(q.or(q.slot(slotUs), q.get(q.slot(slotThem))), slotOcc)
	q.guard(q.leapers(), calm)
	q.countPieces(tenseView, knights)
	q.asm.JMP(operand.LabelRef(counted))
	q.asm.Label(calm)
	q.put(q.zero(), slotPinRank)
	q.countPieces(calmView, knights)
	q.asm.Label(counted)
	q.countKing()

	q.asm.Comment("the counts of the lanes that hold a child")
	counts := q.asm.YMM()
	q.asm.VPSADBW(q.zero(), q.count, counts)
	q.castling(geometry, counts)
	q.addValid(counts, left)
	q.asm.ADDQ(operand.I8(4), i)
	q.asm.SUBQ(operand.I8(4), left)
	q.asm.JA(operand.LabelRef("four"))
	q.total()
	q.asm.VZEROUPPER()
}

// castling counts castling to both wings if any right stands.
func (q *quads) castling(geometry operand.Mem, counts reg.VecVirtual) {
	q.asm.Comment("castling")
	end := q.label("noRights")
	rights := q.load(q.pointer("f").Offset(frameCastle))
	q.asm.SHRQ(operand.U8(56), rights)
	q.asm.JZ(operand.LabelRef(end))
	q.eachWing(rights, geometry, func(wing operand.Mem) { q.countCastling(wing, counts) })
	q.asm.Label(end)
}

// addValid adds the counts of the lanes that hold a child, of which left
// remain with this vector, to the sum.
func (q *quads) addValid(counts reg.VecVirtual, left reg.GPVirtual) {
	const all = ^uint64(0)
	missing, none, at := q.asm.GP64(), q.asm.GP64(), q.asm.GP64()
	q.asm.MOVQ(operand.I32(4), missing)
	q.asm.XORL(none.As32(), none.As32())
	q.asm.SUBQ(left, missing)
	q.asm.CMOVQLT(none, missing)
	q.asm.LEAQ(q.table("validLanes", all, all, all, all, 0, 0, 0), at)
	valid := operand.Mem{Base: at, Index: missing, Scale: 8}
	q.put(q.add(q.slot(slotSum), q.and(valid, counts)), slotSum)
}

// total stores the sum of all lanes.
func (q *quads) total() {
	sum := q.load(q.slot(slotSum))
	for i := 8; i < quadSize; i += 8 {
		q.asm.ADDQ(q.slot(slotSum).Offset(i), sum)
	}
	q.asm.Store(sum, q.asm.Return("sum"))
}
