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
	p.asm.MOVQ(p.load(operand.Mem{Base: rows, Index: row, Scale: 1, Disp: rowLayout.knight}), operand.Mem{Base: at, Disp: 8})
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
