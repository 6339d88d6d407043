package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

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

// eachWing emits body for the wings of the children to which rights allow castling.
func (p *program) eachWing(rights reg.GPVirtual, geometry operand.Mem, body func(wing operand.Mem)) {
	for i := range 2 {
		next := p.label("noRight")
		wing := geometry.Offset((2 + i) * wingSize)
		p.asm.TESTQ(rights, wing.Offset(wingRook))
		p.asm.JZ(operand.LabelRef(next))
		body(wing)
		p.asm.Label(next)
	}
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
