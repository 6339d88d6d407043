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
	p.function("countPext", "func(f *Frame, geometry *Geometry, rows *[64]row, sets "+attackSets+") uint64",
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
	parent   operand.Mem // the frame before the enemy's move, as we see it
	usAll    operand.Mem // the squares of parent's two sides
	themAll  operand.Mem
	us, them reg.GPVirtual
}

func leavesPext(p *program) {
	p.function("leavesPext", "func(f *Frame, geometry *Geometry, captors uint64, steps *Steps, rows *[64]row, sets "+attackSets+") (sum, doubles uint64)",
		"leavesPext sums the legal moves of the children of f. Captors are the pawns that",
		"may capture en passant; steps is working space. What may be captured en passant",
		"after a double push is not counted; returned are the squares, as the other side",
		"sees them, reached by double pushes next to one of its pawns.")
	s := newScalar(p, pextLayout)
	s.frame = p.pointer("f")
	captors, doubles := p.AllocLocal(8), p.AllocLocal(8)
	p.MOVQ(p.Load(p.Param("captors"), p.GP64()), captors)
	steps := stepList{p, p.GP64()}
	p.Load(p.Param("steps"), steps.at)
	newLister(s, steps).list(func() operand.Mem { return p.pointer("geometry") }, captors, doubles)
	end := p.AllocLocal(8)
	p.MOVQ(steps.at, end)

	c := &child{scalar: s, parent: p.AllocLocal(frameSize), usAll: p.AllocLocal(8), themAll: p.AllocLocal(8)}
	frame := p.AllocLocal(frameSize)
	c.prepare(frame)
	sum, step := p.AllocLocal(8), p.AllocLocal(8)
	p.MOVQ(operand.I32(0), sum)
	s.frame = frame
	masks := p.table("kindMasks", kindMasks()...)
	at := p.Load(p.Param("steps"), p.GP64())
	p.CMPQ(at, end)
	p.JE(operand.LabelRef("end"))

	p.Label("step")
	p.MOVQ(at, step)
	c.make(operand.Mem{Base: at}, masks)
	p.ADDQ(s.count(c.us, c.them, func() operand.Mem { return p.pointer("geometry").Offset(2 * wingSize) }), sum)
	p.MOVQ(step, at)
	p.ADDQ(operand.I8(stepSize), at)
	p.CMPQ(at, end)
	p.JNE(operand.LabelRef("step"))

	p.Label("end")
	p.Store(p.load(sum), p.Return("sum"))
	p.Store(p.load(doubles), p.Return("doubles"))
	p.RET()
}

// prepare lays out the parent as the other side sees it, and our king in the
// frame of the children.
func (c *child) prepare(frame operand.Mem) {
	c.Comment("the parent as the other side sees it")
	for side, all := range []operand.Mem{c.themAll, c.usAll} {
		sum := c.GP64()
		for i := range 5 {
			word := 8 * (5*side + i)
			r := c.load(c.frame.Offset(word))
			c.BSWAPQ(r)
			c.MOVQ(r, c.parent.Offset(word))
			if i == 0 {
				c.MOVQ(r, sum)
			} else {
				c.ORQ(r, sum)
			}
			if word == frameTK {
				c.MOVQ(r, frame.Offset(frameK))
			}
		}
		c.MOVQ(sum, all)
	}
	rights := c.load(c.frame.Offset(frameCastle))
	c.BSWAPQ(rights)
	c.MOVQ(rights, c.parent.Offset(frameCastle))
}

// make builds s.frame, the position after the step at memory at, and sets us
// and them to its two sides.
func (c *child) make(at, masks operand.Mem) {
	c.Comment("make: take what stands on the target, move the mask's two squares")
	mask, to, kind := c.load(at.Offset(stepMask)), c.GP64(), c.GP64()
	c.MOVQ(at.Offset(stepKind), kind)
	themAll := c.load(c.themAll)
	c.ANDNQ(mask, themAll, to)
	for _, w := range []int{frameP, frameN, frameD, frameH} {
		r := c.GP64()
		c.ANDNQ(c.parent.Offset(w+frameTP), to, r)
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
		c.XORQ(c.parent.Offset(w-frameTP), r)
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
		c.MOVQ(c.load(c.parent.Offset(w-frameTP)), c.frame.Offset(w))
	}
	c.CMPQ(kind, operand.U32(kindPromoteKnight))
	c.JAE(operand.LabelRef(promotion))
	c.CMPQ(kind, operand.U32(kindCastleKing))
	c.JAE(operand.LabelRef(castling))
	c.CMPQ(kind, operand.U32(kindDouble))
	c.JEQ(operand.LabelRef(pawn))
	captured := c.shifted(to, 8, 0)
	c.XORQ(captured, c.us)
	c.XORQ(captured, c.frame.Offset(frameP))
	c.Label(pawn)
	c.XORQ(c.parent.Offset(frameP), mask)
	c.MOVQ(mask, c.frame.Offset(frameTP))
	c.JMP(operand.LabelRef(made))

	c.Label(promotion)
	c.Comment("the kind's two low bits tell knight 2, bishop 3, rook 0, queen 1")
	from, diagonal, orthogonal := c.GP64(), c.GP64(), c.GP64()
	c.MOVQ(mask, from)
	c.XORQ(to, from)
	c.XORQ(c.parent.Offset(frameP), from)
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
	w := operand.Mem{Base: wing} // of the enemy, as it sees them
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
	pawns := c.load(c.parent.Offset(frameP))
	c.MOVQ(pawns, c.frame.Offset(frameTP))
	c.ORQ(pawns, them)
	c.MOVQ(them, c.them)
	c.ANDQ(operand.I32(rank1), rights)
	c.MOVQ(rights, c.frame.Offset(frameCastle))
}
