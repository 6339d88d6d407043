package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Pext writes the scalar kernels with PEXT look-ups.
func Pext() ([][]byte, error) {
	p := newProgram()
	countPext(p)
	leavesPext(p)
	return p.render()
}

// newScalar starts a scalar kernel: arguments named rows and sets are loaded.
func newScalar(p *program, l layout) *scalar {
	s := &scalar{program: p, layout: l, pins: p.AllocLocal(pinMemory), saved: p.AllocLocal(16)}
	s.rows = p.GP64()
	s.sets = p.GP64()
	p.Load(p.Param("rows"), s.rows)
	p.Load(p.Param("sets"), s.sets)
	return s
}

// occupied returns the squares of the five sets from the given word on.
func (s *scalar) occupied(first int) reg.GPVirtual {
	r := s.load(s.frame.Offset(first))
	for i := 8; i < 40; i += 8 {
		s.ORQ(s.frame.Offset(first+i), r)
	}
	return r
}

func countPext(p *program) {
	p.function("countPext", "func(f *Frame, geometry *Geometry, rows *[64]row, sets *[107648]uint64) uint64",
		"countPext counts the legal moves of f but for en passant.")
	s := newScalar(p, pextLayout)
	s.frame = p.pointer("f")
	n := s.count(s.occupied(frameP), s.occupied(frameTP), func() operand.Mem { return p.pointer("geometry") })
	p.Store(n, p.ReturnIndex(0))
	p.RET()
}

// kindMasks returns, for the kinds of step that need no special care, which
// of the mover's sets P, N, D, H, K the step's mask changes, as words of all
// ones or zeros, and which castling rights survive.
func kindMasks() []uint64 {
	const all = ^uint64(0)
	return []uint64{
		all, 0, 0, 0, 0, all, 0, 0, // pawn
		0, all, 0, 0, 0, all, 0, 0, // knight
		0, 0, all, 0, 0, all, 0, 0, // bishop
		0, 0, 0, all, 0, all, 0, 0, // rook
		0, 0, all, all, 0, all, 0, 0, // queen
		0, 0, 0, 0, all, rank1, 0, 0, // king: the mover's rights are gone
	}
}

// child is the work of leavesPext on one step.
type child struct {
	*scalar
	parent   operand.Mem // f
	usAll    operand.Mem // the squares of parent's two sides
	themAll  operand.Mem
	sum      operand.Mem
	doubles  operand.Mem
	us, them reg.GPVirtual
}

func leavesPext(p *program) {
	p.function("leavesPext", "func(f *Frame, geometry *Geometry, steps *Step, n int, rows *[64]row, sets *[107648]uint64) (sum, doubles uint64)",
		"leavesPext sums the legal moves of the positions after n steps, but for en",
		"passant. The frame and the geometry are those of the side that moves then, in",
		"which the enemy has yet to make one of the steps; these are the enemy's view.",
		"Returned are also the squares reached by those double pushes that one of our",
		"pawns may answer en passant.")
	s := newScalar(p, pextLayout)
	c := &child{scalar: s, usAll: p.AllocLocal(8), themAll: p.AllocLocal(8), sum: p.AllocLocal(8), doubles: p.AllocLocal(8)}
	masks := p.table("kindMasks", kindMasks()...)
	frame := p.AllocLocal(frameSize)
	step, left := p.AllocLocal(8), p.AllocLocal(8)

	s.frame = p.pointer("f")
	p.MOVQ(s.occupied(frameP), c.usAll)
	p.MOVQ(s.occupied(frameTP), c.themAll)
	king := p.load(s.frame.Offset(frameK))
	p.MOVQ(king, frame.Offset(frameK))
	zero := p.GP64()
	p.XORL(zero.As32(), zero.As32())
	p.MOVQ(zero, c.sum)
	p.MOVQ(zero, c.doubles)
	p.MOVQ(p.Load(p.Param("steps"), p.GP64()), step)
	n := p.Load(p.Param("n"), p.GP64())
	p.MOVQ(n, left)
	p.TESTQ(n, n)
	p.JZ(operand.LabelRef("end"))

	p.Label("step")
	at := operand.Mem{Base: p.load(step)}
	c.parent, s.frame = p.pointer("f"), frame
	c.make(at, masks)
	count := s.count(c.us, c.them, func() operand.Mem { return p.pointer("geometry") })
	p.ADDQ(count, c.sum)
	p.ADDQ(operand.U32(stepSize), step)
	p.DECQ(left)
	p.JNZ(operand.LabelRef("step"))

	p.Label("end")
	p.Store(p.load(c.sum), p.Return("sum"))
	p.Store(p.load(c.doubles), p.Return("doubles"))
	p.RET()
}

// make builds s.frame, the position after the step at memory at, and sets us
// and them to its two sides.
func (c *child) make(at, masks operand.Mem) {
	c.Comment("make: take what stands on the target, move the mask's two squares")
	mask, to, kind := c.load(at.Offset(stepMask)), c.GP64(), c.GP64()
	c.BSWAPQ(mask)
	c.MOVBQZX(at.Offset(stepKind), kind)
	themAll := c.load(c.themAll)
	c.ANDNQ(mask, themAll, to)
	for _, w := range []int{frameP, frameN, frameD, frameH} {
		r := c.GP64()
		c.ANDNQ(c.parent.Offset(w), to, r)
		c.MOVQ(r, c.frame.Offset(w))
	}
	c.us, c.them = c.GP64(), c.GP64()
	c.ANDNQ(c.usAll, to, c.us)
	c.MOVQ(themAll, c.them)
	c.XORQ(mask, c.them)

	special, made := c.label("special"), c.label("made")
	c.CMPQ(kind, operand.U32(kindDouble))
	c.JAE(operand.LabelRef(special))
	c.SHLQ(operand.U8(6), kind)
	table := c.GP64()
	c.LEAQ(masks, table)
	c.ADDQ(kind, table)
	for i, w := range []int{frameTP, frameTN, frameTD, frameTH, frameTK} {
		r := c.load(mask)
		c.ANDQ(operand.Mem{Base: table, Disp: 8 * i}, r)
		c.XORQ(c.parent.Offset(w), r)
		c.MOVQ(r, c.frame.Offset(w))
	}
	rights := c.load(operand.Mem{Base: table, Disp: 40})
	c.ANDNQ(rights, mask, rights)
	c.ANDQ(c.parent.Offset(frameCastle), rights)
	c.MOVQ(rights, c.frame.Offset(frameCastle))
	c.JMP(operand.LabelRef(made))

	c.Label(special)
	c.makeSpecial(mask, to, kind, made)
	c.Label(made)
}

// makeSpecial makes double pushes, en passant, castling and promotions.
func (c *child) makeSpecial(mask, to, kind reg.GPVirtual, made string) {
	castling, promotion, pawn := c.label("castling"), c.label("promotion"), c.label("pawn")
	rights := c.GP64()
	c.ANDNQ(c.parent.Offset(frameCastle), mask, rights)
	c.MOVQ(rights, c.frame.Offset(frameCastle))
	for _, w := range []int{frameTN, frameTD, frameTH, frameTK} {
		c.MOVQ(c.load(c.parent.Offset(w)), c.frame.Offset(w))
	}
	c.CMPQ(kind, operand.U32(kindPromoteKnight))
	c.JAE(operand.LabelRef(promotion))
	c.CMPQ(kind, operand.U32(kindCastleKing))
	c.JAE(operand.LabelRef(castling))
	c.CMPQ(kind, operand.U32(kindDouble))
	c.JNE(operand.LabelRef(pawn + "EnPassant"))

	c.Comment("a double push next to one of our pawns is reported")
	next := c.shifted(to, 1, notA)
	c.ORQ(c.shifted(to, -1, notH), next)
	none := c.GP64()
	c.XORL(none.As32(), none.As32())
	c.ANDQ(c.frame.Offset(frameP), next)
	c.CMOVQNE(to, none)
	c.ORQ(none, c.doubles)
	c.JMP(operand.LabelRef(pawn))

	c.Label(pawn + "EnPassant")
	captured := c.shifted(to, 8, 0)
	c.XORQ(captured, c.us)
	c.XORQ(captured, c.frame.Offset(frameP))
	c.Label(pawn)
	c.XORQ(c.parent.Offset(frameTP), mask)
	c.MOVQ(mask, c.frame.Offset(frameTP))
	c.JMP(operand.LabelRef(made))

	c.Label(promotion)
	c.Comment("the kind's two low bits tell knight 2, bishop 3, rook 0, queen 1")
	from, diagonal, orthogonal := c.GP64(), c.GP64(), c.GP64()
	c.MOVQ(mask, from)
	c.XORQ(to, from)
	c.XORQ(c.parent.Offset(frameTP), from)
	c.MOVQ(from, c.frame.Offset(frameTP))
	c.MOVQ(kind, diagonal)
	c.ANDQ(operand.I8(1), diagonal)
	c.NEGQ(diagonal)
	c.ANDQ(to, diagonal)
	c.ORQ(diagonal, c.frame.Offset(frameTD))
	c.SHRQ(operand.U8(1), kind)
	c.ANDQ(operand.I8(1), kind)
	c.SUBQ(operand.I8(1), kind) // all ones for rook and queen
	c.MOVQ(kind, orthogonal)
	c.ANDQ(to, orthogonal)
	c.ORQ(orthogonal, c.frame.Offset(frameTH))
	c.ORQ(orthogonal, diagonal)
	c.ANDNQ(to, diagonal, diagonal)
	c.ORQ(diagonal, c.frame.Offset(frameTN))
	c.JMP(operand.LabelRef(made))

	c.Label(castling)
	c.Comment("king and rook change places on our eighth rank")
	wing := c.GP64()
	c.SUBQ(operand.I8(kindCastleKing), kind)
	c.IMUL3Q(operand.U8(wingSize), kind, kind)
	c.Load(c.Param("geometry"), wing)
	c.ADDQ(kind, wing)
	w := operand.Mem{Base: wing, Disp: 2 * wingSize} // the enemy's wings
	for _, step := range []struct{ set, from, to int }{{frameTK, wingKing, wingKingTo}, {frameTH, wingRook, wingRookTo}} {
		move := c.load(w.Offset(step.from))
		c.XORQ(w.Offset(step.to), move)
		c.BSWAPQ(move)
		c.XORQ(move, c.frame.Offset(step.set))
	}
	c.Comment("what stood there before may stand on either place after")
	them := c.load(c.frame.Offset(frameTK))
	for _, word := range []int{frameTN, frameTD, frameTH} {
		c.ORQ(c.frame.Offset(word), them)
	}
	pawns := c.load(c.parent.Offset(frameTP))
	c.MOVQ(pawns, c.frame.Offset(frameTP))
	c.ORQ(pawns, them)
	c.MOVQ(them, c.them)
	c.ANDQ(operand.I32(rank1), rights)
	c.MOVQ(rights, c.frame.Offset(frameCastle))
}
