package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// AVX512 writes the kernel with eight children in lanes.
func AVX512() ([][]byte, error) {
	p := newProgram()
	leavesAVX512(p)
	return p.render()
}

func leavesAVX512(p *program) {
	p.function("leavesAVX512", "func(f *Frame, geometry *Geometry, captors uint64, rows *[64]row, kings *[64]kingRow, sets "+attackSets+") (sum, doubles uint64)",
		"leavesAVX512 sums the legal moves of the children of f. Captors are the pawns",
		"that may capture en passant. What may be captured en passant after a double",
		"push is not counted; returned are the squares, as the other side sees them,",
		"reached by double pushes next to one of its pawns.")
	s := newScalar(p, pextLayout)
	s.frame = p.pointer("f")
	steps := newByteLists(p)
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

	c := &lanes{zmm: zmm{p}}
	knights := c.prepare(s.frame)
	c.loop(steps, n, knights)
	p.asm.Label("none")
	p.asm.Store(p.load(doubles), p.asm.Return("doubles"))
	p.asm.RET()
}

// prepare lays out what the children have in common: the parent as our side
// sees it, our king's row, our knights, the squares that castling changes.
func (c *lanes) prepare(frame operand.Mem) (knights operand.Mem) {
	c.asm.Comment("the parent as the other side sees it")
	c.parent = c.aligned(128) // two vectors
	swap := c.asm.ZMM()
	c.asm.VBROADCASTI32X4(c.table("swap", 0x0001020304050607, 0x08090a0b0c0d0e0f), swap)
	for at := 0; at < frameSize; at += 64 {
		z := c.asm.ZMM()
		if at+64 <= frameSize {
			c.asm.VMOVDQU64(frame.Offset(at), z)
		} else {
			c.asm.VMOVDQU64(frame.Offset(at), z.AsY())
		}
		c.asm.VPSHUFB(swap, z, z)
		c.asm.VMOVDQU64(z, c.parent.Offset(at))
	}
	c.usAll, c.themAll = c.asm.AllocLocal(8), c.asm.AllocLocal(8)
	for _, side := range []struct {
		first int
		all   operand.Mem
	}{{frameP, c.themAll}, {frameTP, c.usAll}} {
		r := c.load(c.parent.Offset(side.first))
		for i := 8; i < 40; i += 8 {
			c.asm.ORQ(c.parent.Offset(side.first+i), r)
		}
		c.asm.MOVQ(r, side.all)
	}
	square := c.asm.GP64()
	c.asm.TZCNTQ(c.parent.Offset(frameTK), square)
	c.asm.IMUL3Q(operand.U32(8*kingWords), square, square)
	kings := c.asm.Load(c.asm.Param("kings"), c.asm.GP64())
	c.asm.ADDQ(square, kings)
	at := c.asm.AllocLocal(8)
	c.asm.MOVQ(kings, at)
	c.king = at // a pointer for now, see loop
	return c.listKnights(c.load(c.parent.Offset(frameTN)), pextLayout)
}

// loop counts the children, eight at a time, and stores the sum.
func (c *lanes) loop(steps *byteLists, n, knights operand.Mem) {
	geometry := c.pointer("geometry")
	castle := c.castleWords(geometry)
	king := c.load(c.king)
	c.king = operand.Mem{Base: king}
	c.notA, c.notH = c.broadcast(c.word(notA)), c.broadcast(c.word(notH))
	c.mirror, c.reverse = c.broadcast(c.word(0x0102040810204080)), c.broadcast(c.word(0x8040201008040201))
	one, sum := c.broadcast(c.word(1)), c.zero()
	i, left := c.asm.GP64(), c.load(n)
	c.asm.XORL(i.As32(), i.As32())

	c.asm.Label("eight")
	c.make(steps.froms.Idx(i, 1), steps.tos.Idx(i, 1), one)
	c.asm.Comment("are there steps with a kind among the eight?")
	next, normal := c.asm.GP64(), c.label("normal")
	c.asm.LEAQ(operand.Mem{Base: i, Disp: 8}, next)
	c.asm.CMPQ(next, steps.first)
	c.asm.JBE(operand.LabelRef(normal))
	c.makeSpecial(special{kinds: steps.kinds.Idx(i, 1), castle: castle})
	c.asm.Label(normal)
	c.occ = c.or(c.us, c.them)
	c.guard(c.leapers())
	c.countPawns()
	targets := c.andNot(c.mask, c.us)
	c.countKnights(knights, targets)
	c.sliders(c.h, c.th, func() { c.countStraight(targets) })
	c.sliders(c.d, c.td, func() { c.countOblique(targets) })
	c.countKing()
	c.castling(geometry, one)
	c.addValid(sum, left)
	c.asm.ADDQ(operand.I8(8), i)
	c.asm.SUBQ(operand.I8(8), left)
	c.asm.JA(operand.LabelRef("eight"))
	c.total(sum)
	c.asm.VZEROUPPER()
}

// castling counts castling to both wings if any right stands.
func (c *lanes) castling(geometry operand.Mem, one reg.VecVirtual) {
	c.asm.Comment("castling")
	end := c.label("noRights")
	rights := c.load(c.parent.Offset(frameCastle))
	c.asm.TESTQ(operand.U32(rank1), rights)
	c.asm.JZ(operand.LabelRef(end))
	c.eachWing(rights, geometry, func(wing operand.Mem) { c.countCastling(wing, one) })
	c.asm.Label(end)
}

// addValid adds the counts of the lanes that hold a child, of which left
// remain with this vector.
func (c *lanes) addValid(sum reg.VecVirtual, left reg.GPVirtual) {
	valid, k := c.asm.GP64(), c.asm.K()
	c.asm.MOVL(operand.U32(0xff), valid.As32())
	c.asm.BZHIQ(left, valid, valid)
	c.asm.KMOVB(valid.As32(), k)
	c.asm.VPADDQ(c.count, sum, k, sum)
}

// total stores the sum of all lanes.
func (c *lanes) total(sum reg.VecVirtual) {
	high := c.asm.ZMM()
	c.asm.VEXTRACTI64X4(operand.U8(1), sum, high.AsY())
	c.asm.VPADDQ(high.AsY(), sum.AsY(), sum.AsY())
	c.asm.VEXTRACTI128(operand.U8(1), sum.AsY(), high.AsX())
	c.asm.VPADDQ(high.AsX(), sum.AsX(), sum.AsX())
	c.asm.VPSRLDQ(operand.U8(8), sum.AsX(), high.AsX())
	c.asm.VPADDQ(high.AsX(), sum.AsX(), sum.AsX())
	r := c.asm.GP64()
	c.asm.VMOVQ(sum.AsX(), r)
	c.asm.Store(r, c.asm.Return("sum"))
}
