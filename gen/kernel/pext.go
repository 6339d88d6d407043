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
	return p.render(perft)
}

// newScalar starts a scalar kernel: arguments named rows and sets are loaded.
func newScalar(p *program, l layout) *scalar {
	s := &scalar{program: p, layout: l, pins: p.asm.AllocLocal(pinMemory), saved: p.asm.AllocLocal(16)}
	s.rows = p.asm.GP64()
	s.sets = p.asm.GP64()
	p.asm.Load(p.asm.Param("rows"), s.rows)
	p.asm.Load(p.asm.Param("sets"), s.sets)
	return s
}

// occupied returns the squares of the five sets from the given word on.
func (s *scalar) occupied(first int) reg.GPVirtual {
	r := s.load(s.frame.Offset(first))
	for i := 8; i < 40; i += 8 {
		s.asm.ORQ(s.frame.Offset(first+i), r)
	}
	return r
}

func countPext(p *program) {
	p.function("countPext", "(f *Frame, geometry *Geometry, rows *[64]row, sets "+attackSets+") uint64",
		"countPext counts the legal moves of f but for en passant.")
	s := newScalar(p, pextLayout)
	s.frame = p.pointer("f")
	n := s.count(s.occupied(frameP), s.occupied(frameTP), func() operand.Mem { return p.pointer("geometry") })
	p.asm.Store(n, p.asm.ReturnIndex(0))
	p.asm.RET()
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
	var steps stepList
	p.leaves("leavesPext", "steps *Steps, rows *[64]row", pextLayout, func() sink {
		steps = stepList{p, p.asm.Load(p.asm.Param("steps"), p.asm.GP64()).(reg.GPVirtual)}
		return steps
	}, func(s *scalar, _ operand.Mem) {
		end := p.asm.AllocLocal(8)
		p.asm.MOVQ(steps.at, end)
		c := &child{
			scalar: s, parent: p.asm.AllocLocal(frameSize), usAll: p.asm.AllocLocal(8), themAll: p.asm.AllocLocal(8),
		}
		frame := p.asm.AllocLocal(frameSize)
		c.prepare(frame)
		sum, step := p.asm.AllocLocal(8), p.asm.AllocLocal(8)
		p.asm.MOVQ(operand.I32(0), sum)
		s.frame = frame
		masks := p.table("kindMasks", kindMasks()...)
		at := p.asm.Load(p.asm.Param("steps"), p.asm.GP64())

		p.asm.Label("step")
		p.asm.MOVQ(at, step)
		c.make(operand.Mem{Base: at}, masks)
		p.asm.ADDQ(s.count(c.us, c.them, func() operand.Mem { return p.pointer("geometry").Offset(2 * wingSize) }), sum)
		p.asm.MOVQ(step, at)
		p.asm.ADDQ(operand.I8(stepSize), at)
		p.asm.CMPQ(at, end)
		p.asm.JNE(operand.LabelRef("step"))
		p.asm.Store(p.load(sum), p.asm.Return("sum"))
	})
}

// prepare lays out the parent as the other side sees it, and our king in the
// frame of the children.
func (c *child) prepare(frame operand.Mem) {
	c.asm.Comment("the parent as the other side sees it")
	for side, all := range []operand.Mem{c.themAll, c.usAll} {
		sum := c.asm.GP64()
		for i := range 5 {
			word := 8 * (5*side + i)
			r := c.load(c.frame.Offset(word))
			c.asm.BSWAPQ(r)
			c.asm.MOVQ(r, c.parent.Offset(word))
			if i == 0 {
				c.asm.MOVQ(r, sum)
			} else {
				c.asm.ORQ(r, sum)
			}
			if word == frameTK {
				c.asm.MOVQ(r, frame.Offset(frameK))
			}
		}
		c.asm.MOVQ(sum, all)
	}
	rights := c.load(c.frame.Offset(frameCastle))
	c.asm.BSWAPQ(rights)
	c.asm.MOVQ(rights, c.parent.Offset(frameCastle))
}

// make builds s.frame, the position after the step at memory at, and sets us
// and them to its two sides.
func (c *child) make(at, masks operand.Mem) {
	c.asm.Comment("make: take what stands on the target, move the mask's two squares")
	mask, to, kind := c.load(at.Offset(stepMask)), c.asm.GP64(), c.asm.GP64()
	c.asm.MOVQ(at.Offset(stepKind), kind)
	themAll := c.load(c.themAll)
	c.asm.ANDNQ(mask, themAll, to)
	for _, w := range []int{frameP, frameN, frameD, frameH} {
		r := c.asm.GP64()
		c.asm.ANDNQ(c.parent.Offset(w+frameTP), to, r)
		c.asm.MOVQ(r, c.frame.Offset(w))
	}
	c.us, c.them = c.asm.GP64(), c.asm.GP64()
	c.asm.ANDNQ(c.usAll, to, c.us)
	c.asm.MOVQ(themAll, c.them)
	c.asm.XORQ(mask, c.them)

	special, made := c.label("special"), c.label("made")
	c.asm.CMPQ(kind, operand.U32(kindDouble))
	c.asm.JAE(operand.LabelRef(special))
	c.asm.SHLQ(operand.U8(6), kind)
	table := c.asm.GP64()
	c.asm.LEAQ(masks, table)
	c.asm.ADDQ(kind, table)
	for i, w := range []int{frameTP, frameTN, frameTD, frameTH, frameTK} {
		r := c.load(mask)
		c.asm.ANDQ(operand.Mem{Base: table, Disp: 8 * i}, r)
		c.asm.XORQ(c.parent.Offset(w-frameTP), r)
		c.asm.MOVQ(r, c.frame.Offset(w))
	}
	rights := c.load(operand.Mem{Base: table, Disp: 40})
	c.asm.ANDNQ(rights, mask, rights)
	c.asm.ANDQ(c.parent.Offset(frameCastle), rights)
	c.asm.MOVQ(rights, c.frame.Offset(frameCastle))
	c.asm.JMP(operand.LabelRef(made))

	c.asm.Label(special)
	c.makeSpecial(mask, to, kind, made)
	c.asm.Label(made)
}

// makeSpecial makes double pushes, en passant, castling and promotions.
func (c *child) makeSpecial(mask, to, kind reg.GPVirtual, made string) {
	castling, promotion, pawn := c.label("castling"), c.label("promotion"), c.label("pawn")
	rights := c.asm.GP64()
	c.asm.ANDNQ(c.parent.Offset(frameCastle), mask, rights)
	c.asm.MOVQ(rights, c.frame.Offset(frameCastle))
	for _, w := range []int{frameTN, frameTD, frameTH, frameTK} {
		c.asm.MOVQ(c.load(c.parent.Offset(w-frameTP)), c.frame.Offset(w))
	}
	c.asm.CMPQ(kind, operand.U32(kindPromoteKnight))
	c.asm.JAE(operand.LabelRef(promotion))
	c.asm.CMPQ(kind, operand.U32(kindCastleKing))
	c.asm.JAE(operand.LabelRef(castling))
	c.asm.CMPQ(kind, operand.U32(kindDouble))
	c.asm.JEQ(operand.LabelRef(pawn))
	captured := c.shifted(to, 8, 0)
	c.asm.XORQ(captured, c.us)
	c.asm.XORQ(captured, c.frame.Offset(frameP))
	c.asm.Label(pawn)
	c.asm.XORQ(c.parent.Offset(frameP), mask)
	c.asm.MOVQ(mask, c.frame.Offset(frameTP))
	c.asm.JMP(operand.LabelRef(made))

	c.asm.Label(promotion)
	c.asm.Comment("the kind's two low bits tell knight 2, bishop 3, rook 0, queen 1")
	from, diagonal, orthogonal := c.asm.GP64(), c.asm.GP64(), c.asm.GP64()
	c.asm.MOVQ(mask, from)
	c.asm.XORQ(to, from)
	c.asm.XORQ(c.parent.Offset(frameP), from)
	c.asm.MOVQ(from, c.frame.Offset(frameTP))
	c.asm.MOVQ(kind, diagonal)
	c.asm.ANDQ(operand.I8(1), diagonal)
	c.asm.NEGQ(diagonal)
	c.asm.ANDQ(to, diagonal)
	c.asm.ORQ(diagonal, c.frame.Offset(frameTD))
	c.asm.SHRQ(operand.U8(1), kind)
	c.asm.ANDQ(operand.I8(1), kind)
	c.asm.SUBQ(operand.I8(1), kind) // all ones for rook and queen
	c.asm.MOVQ(kind, orthogonal)
	c.asm.ANDQ(to, orthogonal)
	c.asm.ORQ(orthogonal, c.frame.Offset(frameTH))
	c.asm.ORQ(orthogonal, diagonal)
	c.asm.ANDNQ(to, diagonal, diagonal)
	c.asm.ORQ(diagonal, c.frame.Offset(frameTN))
	c.asm.JMP(operand.LabelRef(made))

	c.asm.Label(castling)
	c.asm.Comment("king and rook change places on our eighth rank")
	wing := c.asm.GP64()
	c.asm.SUBQ(operand.I8(kindCastleKing), kind)
	c.asm.IMUL3Q(operand.U8(wingSize), kind, kind)
	c.asm.Load(c.asm.Param("geometry"), wing)
	c.asm.ADDQ(kind, wing)
	w := operand.Mem{Base: wing} // of the enemy, as it sees them
	for _, step := range []struct{ set, from, to int }{{frameTK, wingKing, wingKingTo}, {frameTH, wingRook, wingRookTo}} {
		move := c.load(w.Offset(step.from))
		c.asm.XORQ(w.Offset(step.to), move)
		c.asm.BSWAPQ(move)
		c.asm.XORQ(move, c.frame.Offset(step.set))
	}
	c.asm.Comment("what stood there before may stand on either place after")
	them := c.load(c.frame.Offset(frameTK))
	for _, word := range []int{frameTN, frameTD, frameTH} {
		c.asm.ORQ(c.frame.Offset(word), them)
	}
	pawns := c.load(c.parent.Offset(frameP))
	c.asm.MOVQ(pawns, c.frame.Offset(frameTP))
	c.asm.ORQ(pawns, them)
	c.asm.MOVQ(them, c.them)
	c.asm.ANDQ(operand.I32(rank1), rights)
	c.asm.MOVQ(rights, c.frame.Offset(frameCastle))
}
