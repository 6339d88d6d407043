package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// listSize is the room for a list of steps: sixteen pieces with at most 27
// moves each, and what a store writes beyond the last.
const listSize = 512

// byteLists is a sink of two lists of bytes, the squares left and the squares
// reached; 64 stands for no square.
type byteLists struct {
	zmm
	froms, tos operand.Mem
	squares    reg.VecVirtual // the numbers of all squares, flipped
}

func newByteLists(p *program) *byteLists {
	b := &byteLists{zmm: zmm{p}, froms: p.AllocLocal(listSize), tos: p.AllocLocal(listSize), squares: p.ZMM()}
	var words [8]uint64
	for sq := range uint64(64) {
		words[sq/8] |= (sq ^ 56) << (sq % 8 * 8)
	}
	p.VMOVDQU64(p.table("flippedSquares", words[:]...), b.squares)
	return b
}

func (b *byteLists) piece(l *lister, square, targets reg.GPVirtual) {
	b.writeTargets(l, targets)
	from := b.YMM()
	b.VPBROADCASTB(square.As32(), from)
	b.VMOVDQU8(from, b.froms.Idx(l.n, 1))
	l.bump(targets)
}

// writeTargets writes the flipped numbers of the targets in one go instead of
// a loop whose end a processor cannot foresee. Source: Daniel Lemire,
// "Decoding bitsets with AVX-512".
func (b *byteLists) writeTargets(l *lister, targets reg.GPVirtual) reg.VecVirtual {
	k := b.K()
	b.KMOVQ(targets, k)
	to := b.zmm.compress(b.squares, k)
	b.VMOVDQU8(to.AsY(), b.tos.Idx(l.n, 1))
	return to
}

func (b *byteLists) pawns(l *lister, targets reg.GPVirtual, by int) {
	to := b.writeTargets(l, targets)
	from := b.XMM()
	b.VPADDB(b.bytes(flippedStep(by)), to.AsX(), from)
	b.VMOVDQU8(from, b.froms.Idx(l.n, 1))
	l.bump(targets)
}

// flippedStep returns how much higher, on the flipped board, a pawn stood that
// comes from the square by lower on this one.
func flippedStep(by int) int {
	switch by {
	case 7: // from the file to the right, which stays the right
		return 8 + 1
	case 9:
		return 8 - 1
	}
	return by
}

func (b *byteLists) promotion(l *lister, to reg.GPVirtual, by int) {
	four := b.GP32()
	b.IMUL3L(operand.U32(0x01010101), to.As32(), four)
	b.MOVL(four, b.tos.Idx(l.n, 1))
	b.ADDL(operand.U32(uint32(flippedStep(by))*0x01010101), four)
	b.MOVL(four, b.froms.Idx(l.n, 1))
	b.ADDQ(operand.I8(4), l.n)
}

func (b *byteLists) single(l *lister, from, to reg.GPVirtual) {
	b.MOVB(from.As8(), b.froms.Idx(l.n, 1))
	b.MOVB(to.As8(), b.tos.Idx(l.n, 1))
	b.INCQ(l.n)
}

func (b *byteLists) nothing(l *lister) {
	b.MOVB(operand.U8(64), b.froms.Idx(l.n, 1))
	b.MOVB(operand.U8(64), b.tos.Idx(l.n, 1))
	b.INCQ(l.n)
}

func (b *byteLists) fill(l *lister) {
	no := b.GP64()
	b.MOVQ(operand.U64(0x4040404040404040), no)
	b.MOVQ(no, b.froms.Idx(l.n, 1))
	b.MOVQ(no, b.tos.Idx(l.n, 1))
}

// wordList is a sink of one list of words, each the set of the two squares.
type wordList struct {
	*program
	list reg.GPVirtual // a pointer
}

func (w wordList) at(l *lister) operand.Mem {
	return operand.Mem{Base: w.list, Index: l.n, Scale: 8}
}

func (w wordList) piece(l *lister, square, targets reg.GPVirtual) {
	from := w.GP64()
	w.XORL(from.As32(), from.As32())
	w.BTSQ(square, from)
	w.BSWAPQ(targets)
	w.each(l, targets, func(to reg.GPVirtual) { w.ORQ(from, to) })
}

// each writes a word for each of the flipped targets, made by body from the
// target alone.
func (w wordList) each(l *lister, targets reg.GPVirtual, body func(to reg.GPVirtual)) {
	loop, end := w.label("target"), w.label("targetEnd")
	w.TESTQ(targets, targets)
	w.JZ(operand.LabelRef(end))
	w.Label(loop)
	to := w.GP64()
	w.BLSIQ(targets, to)
	body(to)
	w.MOVQ(to, w.at(l))
	w.INCQ(l.n)
	w.BLSRQ(targets, targets)
	w.JNZ(operand.LabelRef(loop))
	w.Label(end)
}

func (w wordList) pawns(l *lister, targets reg.GPVirtual, by int) {
	w.BSWAPQ(targets)
	w.each(l, targets, func(to reg.GPVirtual) {
		from := w.load(to)
		w.SHLQ(operand.U8(flippedStep(by)), from)
		w.ORQ(from, to)
	})
}

func (w wordList) promotion(l *lister, to reg.GPVirtual, by int) {
	both, from := w.GP64(), w.GP64()
	w.XORL(both.As32(), both.As32())
	w.BTSQ(to, both)
	w.MOVQ(both, from)
	w.SHLQ(operand.U8(flippedStep(by)), from)
	w.ORQ(from, both)
	for i := range 4 {
		w.MOVQ(both, w.at(l).Offset(8*i))
	}
	w.ADDQ(operand.I8(4), l.n)
}

func (w wordList) single(l *lister, from, to reg.GPVirtual) {
	both := w.GP64()
	w.XORL(both.As32(), both.As32())
	w.BTSQ(from, both)
	w.BTSQ(to, both)
	w.MOVQ(both, w.at(l))
	w.INCQ(l.n)
}

func (w wordList) nothing(l *lister) {
	w.MOVQ(operand.I32(0), w.at(l))
	w.INCQ(l.n)
}

func (w wordList) fill(l *lister) {
	for i := range 4 {
		w.MOVQ(operand.I32(0), w.at(l).Offset(8*i))
	}
}
