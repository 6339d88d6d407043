package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// listKnights lists the knights of a set as pairs of words for countKnights. It
// does not keep the set.
func (p *program) listKnights(set reg.GPVirtual, rowLayout layout) operand.Mem {
	list := p.AllocLocal(16*16 + 8)
	at, rows := p.GP64(), p.Load(p.Param("rows"), p.GP64())
	p.LEAQ(list, at)
	loop, end := p.label("listKnight"), p.label("listKnightEnd")
	p.TESTQ(set, set)
	p.JZ(operand.LabelRef(end))
	p.Label(loop)
	bit, row := p.GP64(), p.GP64()
	p.BLSIQ(set, bit)
	p.MOVQ(bit, operand.Mem{Base: at})
	p.TZCNTQ(set, row)
	p.SHLQ(operand.U8(rowLayout.shift), row)
	p.MOVQ(p.load(operand.Mem{Base: rows, Index: row, Scale: 1, Disp: rowLayout.knight}), operand.Mem{Base: at, Disp: 8})
	p.ADDQ(operand.I8(16), at)
	p.BLSRQ(set, set)
	p.JNZ(operand.LabelRef(loop))
	p.Label(end)
	p.MOVQ(operand.I32(0), operand.Mem{Base: at})
	return list
}

// castleWords puts aside which squares castling changes, for makeSpecial.
func (p *program) castleWords(geometry operand.Mem) (words [2]operand.Mem) {
	for i := range words {
		words[i] = p.AllocLocal(24)
		w := geometry.Offset(i * wingSize)
		king, rook := p.load(w.Offset(wingKing)), p.load(w.Offset(wingRook))
		p.XORQ(w.Offset(wingKingTo), king)
		p.XORQ(w.Offset(wingRookTo), rook)
		p.BSWAPQ(king)
		p.BSWAPQ(rook)
		p.MOVQ(king, words[i])
		p.MOVQ(rook, words[i].Offset(8))
		p.XORQ(king, rook)
		p.MOVQ(rook, words[i].Offset(16))
	}
	return words
}
