package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// leaves emits a kernel that lists the steps of f to a sink and counts the moves of its children.
// Arguments are those behind captors and before sets.
func (p *program) leaves(name, arguments string, rows layout, to func() sink, count func(s *scalar, n operand.Mem)) {
	p.function(name, "(f *Frame, geometry *Geometry, captors uint64, "+arguments+", sets "+attackSets+
		") (sum, doubles uint64)",
		name+" sums the legal moves of the children of f. Captors are the pawns that may",
		"capture en passant; steps, if any, is working space. What may be captured en passant",
		"after a double push is not counted; returned are the squares, as the other side",
		"sees them, reached by double pushes next to one of its pawns.")
	s := newScalar(p, rows)
	s.frame = p.pointer("f")
	l := newLister(s, to())
	captors, doubles, n := p.asm.AllocLocal(8), p.asm.AllocLocal(8), p.asm.AllocLocal(8)
	p.asm.MOVQ(p.asm.Load(p.asm.Param("captors"), p.asm.GP64()), captors)
	l.list(func() operand.Mem { return p.pointer("geometry") }, captors, doubles)
	p.asm.MOVQ(l.n, n)
	zero := p.asm.GP64()
	p.asm.XORL(zero.As32(), zero.As32())
	p.asm.Store(zero, p.asm.Return("sum"))
	p.asm.TESTQ(l.n, l.n)
	p.asm.JZ(operand.LabelRef("none"))
	count(s, n)
	p.asm.Label("none")
	p.asm.Store(p.load(doubles), p.asm.Return("doubles"))
	p.asm.RET()
}

// listKnights lists the knights of a set as pairs of words for countKnights. It
// does not keep the set.
func (p *program) listKnights(set reg.GPVirtual, rowLayout layout) operand.Mem {
	list := p.asm.AllocLocal(16*16 + 8)
	at, rows := p.asm.GP64(), p.asm.Load(p.asm.Param("rows"), p.asm.GP64())
	p.asm.LEAQ(list, at)
	loop, end := p.label("listKnight"), p.label("listKnightEnd")
	p.asm.TESTQ(set, set)
	p.asm.JZ(operand.LabelRef(end))
	p.asm.Label(loop)
	bit, row := p.asm.GP64(), p.asm.GP64()
	p.asm.BLSIQ(set, bit)
	p.asm.MOVQ(bit, operand.Mem{Base: at})
	p.asm.TZCNTQ(set, row)
	p.asm.SHLQ(operand.U8(rowLayout.shift), row)
	p.asm.MOVQ(p.load(operand.Mem{Base: rows, Index: row, Scale: 1, Disp: rowLayout.knight}),
		operand.Mem{Base: at, Disp: 8})
	p.asm.ADDQ(operand.I8(16), at)
	p.asm.BLSRQ(set, set)
	p.asm.JNZ(operand.LabelRef(loop))
	p.asm.Label(end)
	p.asm.MOVQ(operand.I32(0), operand.Mem{Base: at})
	return list
}

// castleWords puts aside which squares castling changes, for makeSpecial.
func (p *program) castleWords(geometry operand.Mem) (words [2]operand.Mem) {
	for i := range words {
		words[i] = p.asm.AllocLocal(24)
		w := geometry.Offset(i * wingSize)
		king, rook := p.load(w.Offset(wingKing)), p.load(w.Offset(wingRook))
		p.asm.XORQ(w.Offset(wingKingTo), king)
		p.asm.XORQ(w.Offset(wingRookTo), rook)
		p.asm.BSWAPQ(king)
		p.asm.BSWAPQ(rook)
		p.asm.MOVQ(king, words[i])
		p.asm.MOVQ(rook, words[i].Offset(8))
		p.asm.XORQ(king, rook)
		p.asm.MOVQ(rook, words[i].Offset(16))
	}
	return words
}

// children is what kernels look up for all children of a position.
type children struct {
	*program
	king    operand.Mem // the row of our king
	reaches operand.Mem // its words of reach, or others where castling needs them
	rights  operand.Mem // see castlingRights
}

// lookUp finds the row of our king, a set that it does not keep, and which castling is possible.
func (c *children) lookUp(king, rights, own reg.GPVirtual) {
	c.asm.TZCNTQ(king, king)
	c.asm.IMUL3Q(operand.U32(8*kingWords), king, king)
	c.asm.ADDQ(c.asm.Load(c.asm.Param("kings"), c.asm.GP64()), king)
	c.king = operand.Mem{Base: king}
	c.rights, c.reaches = c.castlingRights(rights, own, c.king, c.pointer("geometry"))
}

// castling emits count for the wings to which castling is possible.
func (c *children) castling(geometry operand.Mem, count func(wing operand.Mem)) {
	c.asm.Comment("castling")
	end, rights := c.label("noRights"), c.load(c.rights)
	c.asm.TESTQ(rights, rights)
	c.asm.JZ(operand.LabelRef(end))
	for i := range 2 {
		next := c.label("noRight")
		wing := geometry.Offset((2 + i) * wingSize)
		c.asm.TESTQ(rights, wing.Offset(wingRook))
		c.asm.JZ(operand.LabelRef(next))
		count(wing)
		c.asm.Label(next)
	}
	c.asm.Label(end)
}

// eachKnight emits body for the knights of a list that listKnights has made: pairs of
// words in memory, the knight's square and what it attacks, and a zero behind them.
func (p *program) eachKnight(list operand.Mem, body func(square, attacks operand.Mem)) {
	p.asm.Comment("knights")
	loop, end := p.label("knight"), p.label("knightEnd")
	at := p.asm.GP64()
	p.asm.LEAQ(list, at)
	p.asm.Label(loop)
	pair := operand.Mem{Base: at}
	p.asm.CMPQ(pair, operand.I8(0))
	p.asm.JE(operand.LabelRef(end))
	body(pair, pair.Offset(8))
	p.asm.ADDQ(operand.I8(16), at)
	p.asm.JMP(operand.LabelRef(loop))
	p.asm.Label(end)
}

// castlingRights puts aside the rooks of the children's side that may castle, but for wings
// on which a piece of its own stands in the way: in no child anything is left there to go
// through. It returns memory with them and the address of eight sets, by direction, of
// squares from which a slider may come next to the king or to where it castles. King is
// the king's row.
func (p *program) castlingRights(rights, own reg.GPVirtual, king, geometry operand.Mem) (left, reaches operand.Mem) {
	p.asm.Comment("which castling is possible at all, and which sliders matter")
	left, reaches = p.asm.AllocLocal(8), p.asm.AllocLocal(64)
	at, zero, sum, rook := p.asm.GP64(), p.asm.GP64(), p.asm.GP64(), p.asm.GP64()
	p.asm.XORL(zero.As32(), zero.As32())
	p.asm.XORL(sum.As32(), sum.As32())
	wing := func(i int) operand.Mem { return geometry.Offset((2 + i) * wingSize) }
	for i := range 2 {
		p.asm.MOVQ(wing(i).Offset(wingRook), rook)
		p.asm.TESTQ(own, wing(i).Offset(wingEmpty))
		p.asm.CMOVQNE(zero, rook)
		p.asm.ORQ(rook, sum)
	}
	p.asm.LEAQ(king.Offset(8*kingReach), at)
	done, everywhere := p.label("reached"), p.label("everywhere")
	p.asm.ANDQ(rights, sum)
	p.asm.MOVQ(sum, left)
	p.asm.JZ(operand.LabelRef(done))

	low, high := p.asm.YMM(), p.asm.YMM()
	p.asm.VMOVDQU(operand.Mem{Base: at}, low)
	p.asm.VMOVDQU(operand.Mem{Base: at, Disp: 32}, high)
	for i := range 2 {
		next := p.label("otherWing")
		p.asm.TESTQ(sum, wing(i).Offset(wingRook))
		p.asm.JZ(operand.LabelRef(next))
		p.asm.Comment("a king that goes more than one square beyond its neighbours is rare")
		to, near, row := p.load(wing(i).Offset(wingKingTo)), p.load(king.Offset(8*kingRing)), p.asm.GP64()
		p.asm.ORQ(to, near)
		p.asm.ORQ(wing(i).Offset(wingKing), near)
		p.asm.ANDNQ(wing(i).Offset(wingSafe), near, near)
		p.asm.JNZ(operand.LabelRef(everywhere))
		p.asm.TZCNTQ(to, row)
		p.asm.IMUL3Q(operand.U32(8*kingWords), row, row)
		p.asm.ADDQ(p.asm.Load(p.asm.Param("kings"), p.asm.GP64()), row)
		p.asm.VPOR(operand.Mem{Base: row, Disp: 8*kingRays + 32}, low, low) // from the opposite directions
		p.asm.VPOR(operand.Mem{Base: row, Disp: 8 * kingRays}, high, high)
		p.asm.Label(next)
	}
	p.asm.VMOVDQU(low, reaches)
	p.asm.VMOVDQU(high, reaches.Offset(32))
	p.asm.LEAQ(reaches, at)
	p.asm.JMP(operand.LabelRef(done))

	p.asm.Label(everywhere)
	const full = ^uint64(0)
	p.asm.LEAQ(p.table("everywhere", full, full, full, full, full, full, full, full), at)
	p.asm.Label(done)
	return left, operand.Mem{Base: at}
}
