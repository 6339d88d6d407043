package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// listSize is the room for a list of steps: sixteen pieces with at most 27
// moves each, and what a store writes beyond the last.
const listSize = 512

// set returns the set of some squares.
func (p *program) set(squares ...reg.GPVirtual) reg.GPVirtual {
	set := p.asm.GP64()
	p.asm.XORL(set.As32(), set.As32())
	for _, square := range squares {
		p.asm.BTSQ(square, set)
	}
	return set
}

// addFrom adds to a set of one flipped square that from which a pawn comes there.
func (p *program) addFrom(to reg.GPVirtual, by int) {
	from := p.load(to)
	p.asm.SHLQ(operand.U8(flippedStep(by)), from)
	p.asm.ORQ(from, to)
}

// eachTarget emits body for each of the targets as a set of its own.
func (p *program) eachTarget(targets reg.GPVirtual, body func(to reg.GPVirtual)) {
	loop, end := p.label("target"), p.label("targetEnd")
	p.asm.TESTQ(targets, targets)
	p.asm.JZ(operand.LabelRef(end))
	p.asm.Label(loop)
	to := p.asm.GP64()
	p.asm.BLSIQ(targets, to)
	body(to)
	p.asm.BLSRQ(targets, targets)
	p.asm.JNZ(operand.LabelRef(loop))
	p.asm.Label(end)
}

// kindList is a list of the steps' kinds as bytes, for vector kernels: these
// learn what moves from the square it leaves, so that only the special steps
// have a kind.
type kindList struct {
	*program
	kinds, first operand.Mem // first holds the place of the first special step
}

func newKindList(p *program) kindList {
	return kindList{p, p.asm.AllocLocal(listSize), p.asm.AllocLocal(8)}
}

func (k kindList) special(l *lister) {
	k.asm.MOVQ(l.n, k.first)
	aligned := k.load(l.n)
	k.asm.ANDQ(operand.I8(-8), aligned)
	k.clear(aligned)
}

// clear sets eight kinds from the given place on to zero.
func (k kindList) clear(at reg.GPVirtual) {
	zero := k.asm.GP64()
	k.asm.XORL(zero.As32(), zero.As32())
	k.asm.MOVQ(zero, k.kinds.Idx(at, 1))
}

func (k kindList) put(l *lister, kind int) { k.asm.MOVB(operand.U8(kind), k.kinds.Idx(l.n, 1)) }

func (k kindList) putPromotions(l *lister) {
	const four = kindPromoteKnight | (kindPromoteKnight+1)<<8 | (kindPromoteKnight+2)<<16 | kindPromoteQueen<<24
	k.asm.MOVL(operand.U32(four), k.kinds.Idx(l.n, 1))
}

// byteLists is a sink of two lists of bytes, the squares left and the squares
// reached; 64 stands for no square.
type byteLists struct {
	kindList
	froms, tos operand.Mem
	squares    reg.VecVirtual // the numbers of all squares, flipped
}

func newByteLists(p *program) *byteLists {
	b := &byteLists{kindList: newKindList(p), froms: p.asm.AllocLocal(listSize),
		tos: p.asm.AllocLocal(listSize), squares: p.asm.ZMM()}
	var words [8]uint64
	for sq := range uint64(64) {
		words[sq/8] |= (sq ^ 56) << (sq % 8 * 8)
	}
	p.asm.VMOVDQU64(p.table("flippedSquares", words[:]...), b.squares)
	return b
}

func (b *byteLists) piece(l *lister, _ int, square, targets reg.GPVirtual) {
	b.writeTargets(l, targets)
	from := b.asm.YMM()
	b.asm.VPBROADCASTB(square.As32(), from)
	b.asm.VMOVDQU8(from, b.froms.Idx(l.n, 1))
	l.bump(targets)
}

// writeTargets writes the flipped numbers of the targets in one go instead of
// a loop whose end a processor cannot foresee. Source: Daniel Lemire,
// "Decoding bitsets with AVX-512".
func (b *byteLists) writeTargets(l *lister, targets reg.GPVirtual) reg.VecVirtual {
	k := b.asm.K()
	b.asm.KMOVQ(targets, k)
	to := b.compress(b.squares, k)
	b.asm.VMOVDQU8(to.AsY(), b.tos.Idx(l.n, 1))
	return to
}

func (b *byteLists) pawns(l *lister, _ int, targets reg.GPVirtual, by int) {
	to := b.writeTargets(l, targets)
	from := b.asm.XMM()
	b.asm.VPADDB(b.repeated(uint64(flippedStep(by))*0x0101010101010101, 2), to.AsX(), from)
	b.asm.VMOVDQU8(from, b.froms.Idx(l.n, 1))
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
	b.putPromotions(l)
	four := b.asm.GP32()
	b.asm.IMUL3L(operand.U32(0x01010101), to.As32(), four)
	b.asm.MOVL(four, b.tos.Idx(l.n, 1))
	b.asm.ADDL(operand.U32(uint32(flippedStep(by))*0x01010101), four)
	b.asm.MOVL(four, b.froms.Idx(l.n, 1))
	b.asm.ADDQ(operand.I8(4), l.n)
}

func (b *byteLists) capture(l *lister, from, to reg.GPVirtual) {
	b.put(l, kindEnPassant)
	b.asm.MOVB(from.As8(), b.froms.Idx(l.n, 1))
	b.asm.MOVB(to.As8(), b.tos.Idx(l.n, 1))
	b.asm.INCQ(l.n)
}

func (b *byteLists) castle(l *lister, kind int) {
	b.put(l, kind)
	b.asm.MOVB(operand.U8(64), b.froms.Idx(l.n, 1))
	b.asm.MOVB(operand.U8(64), b.tos.Idx(l.n, 1))
	b.asm.INCQ(l.n)
}

func (b *byteLists) end(l *lister) {
	b.clear(l.n)
	no := b.asm.GP64()
	b.asm.MOVQ(operand.U64(0x4040404040404040), no)
	b.asm.MOVQ(no, b.froms.Idx(l.n, 1))
	b.asm.MOVQ(no, b.tos.Idx(l.n, 1))
}

// wordList is a sink of one list of words, each the set of the two squares.
type wordList struct {
	kindList
	list reg.GPVirtual // a pointer
}

func (w wordList) at(l *lister) operand.Mem {
	return operand.Mem{Base: w.list, Index: l.n, Scale: 8}
}

func (w wordList) piece(l *lister, _ int, square, targets reg.GPVirtual) {
	from := w.set(square)
	w.asm.BSWAPQ(targets)
	w.eachTarget(targets, func(to reg.GPVirtual) {
		w.asm.ORQ(from, to)
		w.add(l, to)
	})
}

// add writes a word.
func (w wordList) add(l *lister, word reg.GPVirtual) {
	w.asm.MOVQ(word, w.at(l))
	w.asm.INCQ(l.n)
}

func (w wordList) pawns(l *lister, _ int, targets reg.GPVirtual, by int) {
	w.asm.BSWAPQ(targets)
	w.eachTarget(targets, func(to reg.GPVirtual) {
		w.addFrom(to, by)
		w.add(l, to)
	})
}

func (w wordList) promotion(l *lister, to reg.GPVirtual, by int) {
	w.putPromotions(l)
	both := w.set(to)
	w.addFrom(both, by)
	for i := range 4 {
		w.asm.MOVQ(both, w.at(l).Offset(8*i))
	}
	w.asm.ADDQ(operand.I8(4), l.n)
}

func (w wordList) capture(l *lister, from, to reg.GPVirtual) {
	w.put(l, kindEnPassant)
	w.add(l, w.set(from, to))
}

func (w wordList) castle(l *lister, kind int) {
	w.put(l, kind)
	w.asm.MOVQ(operand.I32(0), w.at(l))
	w.asm.INCQ(l.n)
}

func (w wordList) end(l *lister) {
	w.clear(l.n)
	for i := range 4 {
		w.asm.MOVQ(operand.I32(0), w.at(l).Offset(8*i))
	}
}

// stepList is a sink of count.Step, flipped.
type stepList struct {
	*program
	at reg.GPVirtual // where the next step goes
}

// put writes a step and leaves room for the next.
func (s stepList) put(mask, kind operand.Op) {
	s.asm.MOVQ(mask, operand.Mem{Base: s.at, Disp: stepMask})
	s.asm.MOVQ(kind, operand.Mem{Base: s.at, Disp: stepKind})
	s.asm.ADDQ(operand.I8(stepSize), s.at)
}

func (s stepList) piece(l *lister, kind int, square, targets reg.GPVirtual) {
	k := s.asm.GP64()
	s.asm.MOVL(operand.U32(uint32(kind)), k.As32())
	if other := map[int]int{kindBishop: frameH, kindRook: frameD}[kind]; other != 0 {
		unflipped, set := s.load(square), s.load(l.frame.Offset(other))
		s.asm.XORQ(operand.I8(56), unflipped)
		queen := s.asm.GP64()
		s.asm.MOVL(operand.U32(kindQueen), queen.As32())
		s.asm.BTQ(unflipped, set)
		s.asm.CMOVQCS(queen, k)
	}
	from := s.set(square)
	s.asm.BSWAPQ(targets)
	s.eachTarget(targets, func(to reg.GPVirtual) {
		s.asm.ORQ(from, to)
		s.put(to, k)
	})
}

func (s stepList) pawns(_ *lister, kind int, targets reg.GPVirtual, by int) {
	s.asm.BSWAPQ(targets)
	s.eachTarget(targets, func(to reg.GPVirtual) {
		s.addFrom(to, by)
		s.put(to, operand.I32(kind))
	})
}

func (s stepList) special(*lister) {}

func (s stepList) promotion(_ *lister, to reg.GPVirtual, by int) {
	both := s.set(to)
	s.addFrom(both, by)
	for kind := kindPromoteKnight; kind <= kindPromoteQueen; kind++ {
		s.put(both, operand.I32(kind))
	}
}

func (s stepList) capture(_ *lister, from, to reg.GPVirtual) {
	s.put(s.set(from, to), operand.I32(kindEnPassant))
}

func (s stepList) castle(_ *lister, kind int) { s.put(operand.I32(0), operand.I32(kind)) }

func (s stepList) end(l *lister) {
	s.asm.MOVQ(s.at, l.n)
	s.asm.SUBQ(s.asm.Load(s.asm.Param("steps"), s.asm.GP64()), l.n)
}
