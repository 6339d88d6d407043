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
	steps := wordList{kindList: newKindList(p), list: p.GP64()}
	p.Load(p.Param("steps"), steps.list)
	l := newLister(s, steps)
	captors, doubles := p.AllocLocal(8), p.AllocLocal(8)
	p.MOVQ(p.Load(p.Param("captors"), p.GP64()), captors)
	l.list(func() operand.Mem { return p.pointer("geometry") }, captors, doubles)
	n := p.AllocLocal(8)
	p.MOVQ(l.n, n)
	zero := p.GP64()
	p.XORL(zero.As32(), zero.As32())
	p.Store(zero, p.Return("sum"))
	p.TESTQ(l.n, l.n)
	p.JZ(operand.LabelRef("none"))

	q := &quads{ymm: ymm{p, map[uint64]operand.Mem{}}}
	knights := q.prepare(s.frame)
	q.loop(steps.kindList, n, knights)
	p.Label("none")
	p.Store(p.load(doubles), p.Return("doubles"))
	p.RET()
}

// prepare lays out what the children have in common: the parent as our side
// sees it, our king's row and our knights.
func (q *quads) prepare(frame operand.Mem) (knights operand.Mem) {
	q.Comment("the parent as the other side sees it, in every lane")
	q.memory = q.aligned(slots * quadSize)
	spread := func(r reg.GPVirtual, slot int) {
		x, y := q.XMM(), q.YMM()
		q.VMOVQ(r, x)
		q.VPBROADCASTQ(x, y)
		q.put(y, slot)
	}
	for side, slot := range []int{slotThemAll, slotUsAll} {
		all := q.GP64()
		for i := range 5 {
			r := q.load(frame.Offset(8 * (5*side + i)))
			q.BSWAPQ(r)
			if i == 0 {
				q.MOVQ(r, all)
			} else {
				q.ORQ(r, all)
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
	q.BSWAPQ(king)
	q.TZCNTQ(king, king)
	q.IMUL3Q(operand.U32(8*kingWords), king, king)
	kings := q.Load(q.Param("kings"), q.GP64())
	q.ADDQ(king, kings)
	q.king = operand.Mem{Base: kings}
	set := q.load(frame.Offset(frameTN))
	q.BSWAPQ(set)
	return q.listKnights(set, magicLayout)
}

// loop counts the children, four at a time, and stores the sum.
func (q *quads) loop(steps kindList, n, knights operand.Mem) {
	geometry, list := q.pointer("geometry"), q.pointer("steps")
	castle := q.castleWords(geometry)
	q.lut, q.nibble, q.count, q.attacked = q.YMM(), q.YMM(), q.YMM(), q.YMM()
	q.VMOVDQU(q.table("bitCounts", 0x0302020102010100, 0x0403030203020201, 0x0302020102010100, 0x0403030203020201), q.lut)
	q.VMOVDQU(q.quad(0x0f0f0f0f0f0f0f0f), q.nibble)
	i, left := q.GP64(), q.load(n)
	q.XORL(i.As32(), i.As32())

	q.Label("four")
	q.make(list.Idx(i, 8))
	q.Comment("are there steps with a kind among the four?")
	next, normal, calm, counted := q.GP64(), q.label("normal"), q.label("calm"), q.label("counted")
	q.LEAQ(operand.Mem{Base: i, Disp: 4}, next)
	q.CMPQ(next, steps.first)
	q.JBE(operand.LabelRef(normal))
	q.makeSpecial(special{kinds: steps.kinds.Idx(i, 1), castle: castle})
	q.Label(normal)
	q.put(q.or(q.slot(slotUs), q.get(q.slot(slotThem))), slotOcc)
	q.guard(q.leapers(), calm)
	q.countPieces(tenseView, knights)
	q.JMP(operand.LabelRef(counted))
	q.Label(calm)
	q.put(q.zero(), slotPinRank)
	q.countPieces(calmView, knights)
	q.Label(counted)
	q.countKing()

	q.Comment("the counts of the lanes that hold a child")
	counts := q.YMM()
	q.VPSADBW(q.zero(), q.count, counts)
	q.castling(geometry, counts)
	q.addValid(counts, left)
	q.ADDQ(operand.I8(4), i)
	q.SUBQ(operand.I8(4), left)
	q.JA(operand.LabelRef("four"))
	q.total()
	q.VZEROUPPER()
}

// castling counts castling to both wings if any right stands.
func (q *quads) castling(geometry operand.Mem, counts reg.VecVirtual) {
	q.Comment("castling")
	end := q.label("noRights")
	rights := q.load(q.pointer("f").Offset(frameCastle))
	q.SHRQ(operand.U8(56), rights)
	q.JZ(operand.LabelRef(end))
	for i := range 2 {
		next := q.label("noRight")
		wing := geometry.Offset((2 + i) * wingSize)
		q.TESTQ(rights, wing.Offset(wingRook))
		q.JZ(operand.LabelRef(next))
		q.countCastling(wing, counts)
		q.Label(next)
	}
	q.Label(end)
}

// addValid adds the counts of the lanes that hold a child, of which left
// remain with this vector, to the sum.
func (q *quads) addValid(counts reg.VecVirtual, left reg.GPVirtual) {
	const all = ^uint64(0)
	missing, none, at := q.GP64(), q.GP64(), q.GP64()
	q.MOVQ(operand.I32(4), missing)
	q.XORL(none.As32(), none.As32())
	q.SUBQ(left, missing)
	q.CMOVQLT(none, missing)
	q.LEAQ(q.table("validLanes", all, all, all, all, 0, 0, 0), at)
	valid := operand.Mem{Base: at, Index: missing, Scale: 8}
	q.put(q.add(q.slot(slotSum), q.and(valid, counts)), slotSum)
}

// total stores the sum of all lanes.
func (q *quads) total() {
	sum := q.load(q.slot(slotSum))
	for i := 8; i < quadSize; i += 8 {
		q.ADDQ(q.slot(slotSum).Offset(i), sum)
	}
	q.Store(sum, q.Return("sum"))
}
