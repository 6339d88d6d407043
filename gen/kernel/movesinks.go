package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ListPext writes the kernel that lists moves with PEXT look-ups in
// general-purpose registers.
func ListPext() ([][]byte, error) {
	p := newProgram()
	listMoves(p, "listPext", func(out reg.GPVirtual) moveSink { return &wordMoves{p, out} })
	return p.render("movegen")
}

// ListAVX512 writes the kernel that lists moves with PEXT look-ups and writes
// them by compression.
func ListAVX512() ([][]byte, error) {
	p := newProgram()
	listMoves(p, "listAVX512", func(out reg.GPVirtual) moveSink { return newByteMoves(p, out) })
	return p.render("movegen")
}

// wordMoves is a sink that writes moves one by one, one word where there is
// none rather than look before the first.
type wordMoves struct {
	*program
	out reg.GPVirtual
}

func (w *wordMoves) piece(_ *moveLister, from, targets reg.GPVirtual) {
	w.each(targets, func(to reg.GPVirtual) { w.asm.ADDL(from.As32(), to.As32()) })
}

func (w *wordMoves) pawns(_ *moveLister, targets reg.GPVirtual, by int) {
	w.each(targets, func(to reg.GPVirtual) {
		w.asm.IMUL3L(operand.U8(moveFrom+1), to.As32(), to.As32())
		w.asm.SUBL(operand.I32(by*moveFrom), to.As32())
	})
}

// each writes a move for each of the targets, which body makes of its square.
// Two or four in a round of the loop are slower: 0.96 and 0.84 of the speed.
func (w *wordMoves) each(targets reg.GPVirtual, body func(to reg.GPVirtual)) {
	next, to, loop := w.asm.GP64(), w.asm.GP64(), w.label("write")
	w.asm.POPCNTQ(targets, next)
	w.asm.LEAQ(operand.Mem{Base: w.out, Index: next, Scale: 2}, next)
	w.asm.Label(loop)
	w.asm.TZCNTQ(targets, to)
	body(to)
	w.asm.MOVW(to.As16(), operand.Mem{Base: w.out})
	w.asm.BLSRQ(targets, targets)
	w.asm.ADDQ(operand.I8(2), w.out)
	w.asm.CMPQ(w.out, next)
	w.asm.JB(operand.LabelRef(loop))
	w.asm.MOVQ(next, w.out)
}

func (w *wordMoves) one(move reg.GPVirtual) {
	w.asm.MOVW(move.As16(), operand.Mem{Base: w.out})
	w.asm.ADDQ(operand.I8(2), w.out)
}

func (w *wordMoves) end() reg.GPVirtual { return w.out }
func (w *wordMoves) finish()            {}

// byteMoves is a sink that turns a set of targets into moves without a loop.
// Source: Daniel Lemire, "Decoding bitsets with AVX-512".
type byteMoves struct {
	wordMoves
	squares reg.VecVirtual // the numbers of all squares
}

func newByteMoves(p *program, out reg.GPVirtual) *byteMoves {
	b := &byteMoves{wordMoves: wordMoves{p, out}, squares: p.asm.ZMM()}
	var words [8]uint64
	for sq := range uint64(64) {
		words[sq/8] |= sq << (sq % 8 * 8)
	}
	p.asm.VMOVDQU64(p.table("squares", words[:]...), b.squares)
	return b
}

// targets returns the numbers of the squares of a set as bytes.
func (b *byteMoves) targets(set reg.GPVirtual) reg.VecVirtual {
	k := b.asm.K()
	b.asm.KMOVQ(set, k)
	return b.compress(b.squares, k)
}

// compress returns the bytes of a that k selects, moved together, and zeros.
func (p *program) compress(a reg.VecVirtual, k reg.OpmaskVirtual) reg.VecVirtual {
	r := p.asm.ZMM()
	p.instruction("VPCOMPRESSB.Z", []string{"AVX512VBMI2"}, a, k, r)
	return r
}

// advance moves the end of the list on by the number of the set's squares.
func (b *byteMoves) advance(set reg.GPVirtual) {
	n := b.asm.GP64()
	b.asm.POPCNTQ(set, n)
	b.asm.LEAQ(operand.Mem{Base: b.out, Index: n, Scale: 2}, b.out)
}

func (b *byteMoves) piece(_ *moveLister, from, set reg.GPVirtual) {
	moves, base := b.asm.YMM(), b.asm.YMM()
	b.asm.VPMOVZXBW(b.targets(set).AsX(), moves)
	b.asm.VPBROADCASTW(from.As32(), base)
	b.asm.VPADDW(base, moves, moves)
	b.asm.VMOVDQU(moves, operand.Mem{Base: b.out})
	b.advance(set)
}

func (b *byteMoves) pawns(_ *moveLister, set reg.GPVirtual, by int) {
	to, moves := b.asm.XMM(), b.asm.XMM()
	b.asm.VPMOVZXBW(b.targets(set).AsX(), to)
	b.asm.VPSLLW(operand.U8(6), to, moves)
	b.asm.VPADDW(to, moves, moves)
	b.asm.VPADDW(b.repeated(uint64(uint16(-by*moveFrom))*0x0001000100010001, 2), moves, moves)
	b.asm.VMOVDQU(moves, operand.Mem{Base: b.out})
	b.advance(set)
}

func (b *byteMoves) finish() { b.asm.VZEROUPPER() }
