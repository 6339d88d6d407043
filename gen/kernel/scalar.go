package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// slider says whether a look-up is for bishops or for rooks.
type slider struct {
	name             string
	piece            int // 0 for bishops, 1 for rooks; see layout
	kind             int // of a step
	ours, theirs     int // the sliders' words in a frame
	pinned, pinLines int // in pinMemory
}

var (
	bishops = slider{"bishop", 0, kindBishop, frameD, frameTD, 0, 8}
	rooks   = slider{"rook", 1, kindRook, frameH, frameTH, 16, 24}
)

// scalar emits steps on one position in general-purpose registers.
type scalar struct {
	*program
	layout
	rows, sets reg.GPVirtual // pointers
	frame      operand.Mem
	pins       operand.Mem // see slider: what is pinned, and to which lines
	saved      operand.Mem // two words that count puts aside
}

const pinMemory = 32

// rowOf returns the offset in rows of the lowest square of set.
func (s *scalar) rowOf(set reg.GPVirtual) reg.GPVirtual {
	r := s.asm.GP64()
	s.asm.TZCNTQ(set, r)
	s.asm.SHLQ(operand.U8(s.shift), r)
	return r
}

// row returns the memory of a word of the row at an offset that rowOf gave.
func (s *scalar) row(offset reg.GPVirtual, word int) operand.Mem {
	return operand.Mem{Base: s.rows, Index: offset, Scale: 1, Disp: word}
}

// attacks returns the memory that holds what a slider on the row's square
// attacks on a board occupied by occ.
func (s *scalar) attacks(k slider, row, occ reg.GPVirtual) operand.Mem {
	i := s.asm.GP64()
	if s.magic {
		places := s.asm.GP64()
		s.asm.MOVQ(s.row(row, s.mask[k.piece]), i)
		s.asm.ANDQ(occ, i)
		s.asm.IMULQ(s.row(row, s.factor[k.piece]), i)
		s.asm.MOVQ(s.row(row, s.places[k.piece]), places)
		s.asm.SHRXQ(places, i, i)
	} else {
		s.asm.PEXTQ(s.row(row, s.mask[k.piece]), occ, i)
	}
	s.asm.ADDL(s.row(row, s.at[k.piece]), i.As32())
	return operand.Mem{Base: s.sets, Index: i, Scale: 8}
}

// each emits body for every square of set, which it empties; body gets the
// row's offset.
func (s *scalar) each(name string, set reg.GPVirtual, body func(row reg.GPVirtual)) {
	loop, end := s.label(name), s.label(name+"End")
	s.asm.TESTQ(set, set)
	s.asm.JZ(operand.LabelRef(end))
	s.asm.Label(loop)
	body(s.rowOf(set))
	s.asm.BLSRQ(set, set)
	s.asm.JNZ(operand.LabelRef(loop))
	s.asm.Label(end)
}

// countAnd adds to n the number of squares in both sets.
func (s *scalar) countAnd(m operand.Mem, set, n reg.GPVirtual) {
	t := s.asm.GP64()
	s.asm.MOVQ(set, t)
	s.asm.ANDQ(m, t)
	s.asm.POPCNTQ(t, t)
	s.asm.ADDQ(t, n)
}

// shifted returns set shifted up (down if negative) with the squares of wrap
// kept; a wrap of zero keeps all.
func (s *scalar) shifted(set operand.Op, by int, wrap uint64) reg.GPVirtual {
	r := s.load(set)
	if by > 0 {
		s.asm.SHLQ(operand.U8(by), r)
	} else {
		s.asm.SHRQ(operand.U8(-by), r)
	}
	if wrap != 0 {
		s.asm.ANDQ(s.word(wrap), r)
	}
	return r
}

// knightSteps returns what knights on the set attack.
func (s *scalar) knightSteps(set operand.Op) reg.GPVirtual {
	one := s.shifted(set, 1, notA)
	s.asm.ORQ(s.shifted(set, -1, notH), one)
	two := s.shifted(set, 2, notAB)
	s.asm.ORQ(s.shifted(set, -2, notGH), two)
	all := s.shifted(one, 16, 0)
	s.asm.SHRQ(operand.U8(16), one)
	s.asm.ORQ(one, all)
	s.asm.ORQ(s.shifted(two, 8, 0), all)
	s.asm.SHRQ(operand.U8(8), two)
	s.asm.ORQ(two, all)
	return all
}

// attacked returns all squares that the other side attacks on a board
// occupied by occ.
func (s *scalar) attacked(occ reg.GPVirtual) reg.GPVirtual {
	s.asm.Comment("attacked: what the enemy attacks, our king being transparent")
	a := s.knightSteps(s.frame.Offset(frameTN))
	s.asm.ORQ(s.shifted(s.frame.Offset(frameTP), -7, notA), a)
	s.asm.ORQ(s.shifted(s.frame.Offset(frameTP), -9, notH), a)
	king := s.rowOf(s.load(s.frame.Offset(frameTK)))
	s.asm.ORQ(s.row(king, s.king), a)
	for _, k := range []slider{bishops, rooks} {
		s.each(k.name, s.load(s.frame.Offset(k.theirs)), func(row reg.GPVirtual) {
			s.asm.ORQ(s.attacks(k, row, occ), a)
		})
	}
	return a
}

// guarded is what the enemy forbids; see guard in movegen/perft.
type guarded struct {
	mask   reg.GPVirtual // squares that answer a check
	pinned reg.GPVirtual // all pinned pieces; if any, details are in s.pins
}

// examine returns the check mask and the pins. King is the row of our king.
func (s *scalar) examine(king, us, them reg.GPVirtual) guarded {
	s.asm.Comment("checks by knights and pawns")
	g := guarded{s.asm.GP64(), s.asm.GP64()}
	checkers := s.asm.GP64()
	t := s.load(s.row(king, s.knight))
	s.asm.ANDQ(s.frame.Offset(frameTN), t)
	s.asm.MOVQ(s.row(king, s.pawn), checkers)
	s.asm.ANDQ(s.frame.Offset(frameTP), checkers)
	s.asm.ORQ(t, checkers)
	s.asm.MOVQ(checkers, g.mask)
	s.asm.XORL(g.pinned.As32(), g.pinned.As32())

	s.asm.Comment("sliders on the king's lines: is there any?")
	quiet := s.label("quiet")
	d, h := s.load(s.row(king, s.rays[0])), s.load(s.row(king, s.rays[1]))
	s.asm.ANDQ(s.frame.Offset(frameTD), d)
	s.asm.ANDQ(s.frame.Offset(frameTH), h)
	s.asm.ORQ(h, d)
	s.asm.JZ(operand.LabelRef(quiet))
	for _, k := range []slider{bishops, rooks} {
		s.snipers(k, king, us, them, checkers, g)
	}
	s.asm.Label(quiet)

	s.asm.Comment("the check mask: all squares without a check, none in double check")
	single := s.label("single")
	one := s.asm.GP64()
	s.asm.MOVQ(operand.I32(-1), one)
	s.asm.TESTQ(checkers, checkers)
	s.asm.CMOVQEQ(one, g.mask)
	s.asm.BLSRQ(checkers, one)
	s.asm.JZ(operand.LabelRef(single))
	s.asm.XORL(g.mask.As32(), g.mask.As32())
	s.asm.Label(single)
	return g
}

// snipers looks at the sliders that see our king when our own pieces are taken
// off: with nothing between they give check, with one piece between they pin.
func (s *scalar) snipers(k slider, king, us, them, checkers reg.GPVirtual, g guarded) {
	s.asm.Commentf("%ss that see our king through our own pieces", k.name)
	pinned, lines := s.pins.Offset(k.pinned), s.pins.Offset(k.pinLines)
	zero := s.asm.GP64()
	s.asm.XORL(zero.As32(), zero.As32())
	s.asm.MOVQ(zero, pinned)
	s.asm.MOVQ(zero, lines)
	set := s.load(s.attacks(k, king, them))
	s.asm.ANDQ(s.frame.Offset(k.theirs), set)
	s.each("sniper", set, func(row reg.GPVirtual) {
		check, next := s.label("check"), s.label("next")
		sniper := s.asm.GP64()
		s.asm.BLSIQ(set, sniper)
		line := s.load(s.attacks(k, row, s.load(s.frame.Offset(frameK))))
		s.asm.ANDQ(s.attacks(k, king, sniper), line)
		s.asm.ORQ(sniper, line)
		own, rest := s.asm.GP64(), s.asm.GP64()
		s.asm.MOVQ(line, own)
		s.asm.ANDQ(us, own)
		s.asm.JZ(operand.LabelRef(check))
		s.asm.BLSRQ(own, rest)
		s.asm.JNZ(operand.LabelRef(next))
		s.asm.ORQ(own, pinned)
		s.asm.ORQ(own, g.pinned)
		s.asm.ORQ(line, lines)
		s.asm.JMP(operand.LabelRef(next))
		s.asm.Label(check)
		s.asm.ORQ(sniper, checkers)
		s.asm.ORQ(line, g.mask)
		s.asm.Label(next)
	})
}

// kingSteps returns the number of our king's steps.
func (s *scalar) kingSteps(king, us, attacked reg.GPVirtual) reg.GPVirtual {
	s.asm.Comment("king")
	steps := s.load(us)
	s.asm.ORQ(attacked, steps)
	s.asm.ANDNQ(s.row(king, s.king), steps, steps)
	s.asm.POPCNTQ(steps, steps)
	return steps
}

// countCastling adds legal castlings; wings gives the memory of our two wings.
func (s *scalar) countCastling(wings func() operand.Mem, occ, pinned, n reg.GPVirtual) {
	s.asm.Comment("castling")
	none := s.label("noCastling")
	rights := s.load(s.frame.Offset(frameCastle))
	s.asm.TESTQ(operand.U32(rank1), rights)
	s.asm.JZ(operand.LabelRef(none))
	s.asm.ANDNQ(rights, pinned, rights) // the right falls away with a pinned rook
	base := wings()
	for i := range 2 {
		w := base.Offset(i * wingSize)
		way, safe, right := s.load(w.Offset(wingEmpty)), s.load(w.Offset(wingSafe)), s.load(w.Offset(wingRook))
		s.asm.ANDQ(occ, way)
		s.asm.ANDQ(s.saved, safe)
		s.asm.ORQ(safe, way)
		s.asm.ANDQ(rights, right)
		legal, no := s.asm.GP64(), s.asm.GP64()
		s.asm.XORL(no.As32(), no.As32())
		s.asm.TESTQ(right, right)
		s.asm.MOVL(operand.U32(1), legal.As32())
		s.asm.CMOVQEQ(no, legal)
		s.asm.TESTQ(way, way)
		s.asm.CMOVQNE(no, legal)
		s.asm.ADDQ(legal, n)
	}
	s.asm.Label(none)
}

// countPawns adds the pushes of pawns to squares of push and their captures
// onto squares of take, promotions four times. It does not keep pawns.
func (s *scalar) countPawns(pawns, occ, push, take, n reg.GPVirtual) {
	left, right := s.shifted(pawns, 7, notH), s.shifted(pawns, 9, notA)
	s.asm.ANDQ(take, left)
	s.asm.ANDQ(take, right)
	s.asm.SHLQ(operand.U8(8), pawns)
	s.asm.ANDNQ(pawns, occ, pawns)
	two := s.asm.GP64()
	s.asm.MOVQ(pawns, two)
	s.asm.ANDQ(s.word(rank3), two)
	s.asm.SHLQ(operand.U8(8), two)
	s.asm.ANDNQ(two, occ, two)
	s.asm.ORQ(pawns, two)
	s.asm.ANDQ(push, two)
	s.asm.ORQ(left, two)
	s.asm.Comment("pushes and captures to the left never share a square")
	s.asm.POPCNTQ(two, left)
	s.asm.ADDQ(left, n)
	s.asm.POPCNTQ(right, left)
	s.asm.ADDQ(left, n)
	none := s.label("noPromotion")
	s.asm.SHRQ(operand.U8(56), two)
	s.asm.SHRQ(operand.U8(56), right)
	s.asm.MOVQ(two, left)
	s.asm.ORQ(right, left)
	s.asm.JZ(operand.LabelRef(none))
	s.asm.POPCNTQ(two, two)
	s.asm.POPCNTQ(right, right)
	s.asm.ADDQ(right, two)
	s.asm.LEAQ(operand.Mem{Base: two, Index: two, Scale: 2}, two)
	s.asm.ADDQ(two, n)
	s.asm.Label(none)
}

// count returns the number of legal moves of s.frame but for en passant. It
// does not keep us and them.
func (s *scalar) count(us, them reg.GPVirtual, wings func() operand.Mem) reg.GPVirtual {
	king := s.rowOf(s.load(s.frame.Offset(frameK)))
	through := s.load(us)
	s.asm.ORQ(them, through)
	s.asm.XORQ(s.frame.Offset(frameK), through)
	attacked := s.attacked(through)
	s.asm.MOVQ(attacked, s.saved)
	steps := s.kingSteps(king, us, attacked)
	s.asm.MOVQ(steps, s.saved.Offset(8))

	g := s.examine(king, us, them)
	n, occ := s.load(s.saved.Offset(8)), s.load(us)
	s.asm.ORQ(them, occ)
	s.countCastling(wings, occ, g.pinned, n)

	targets := us
	s.asm.ANDNQ(g.mask, us, targets)
	for _, k := range []slider{bishops, rooks} {
		s.asm.Comment(k.name + "s")
		free := s.asm.GP64()
		s.asm.ANDNQ(s.frame.Offset(k.ours), g.pinned, free)
		s.each(k.name, free, func(row reg.GPVirtual) {
			s.countAnd(s.attacks(k, row, occ), targets, n)
		})
	}
	s.asm.Comment("knights")
	free := s.asm.GP64()
	s.asm.ANDNQ(s.frame.Offset(frameN), g.pinned, free)
	s.each("knight", free, func(row reg.GPVirtual) {
		s.countAnd(s.row(row, s.knight), targets, n)
	})
	s.asm.Comment("pawns")
	take := them
	s.asm.ANDQ(g.mask, take)
	pawns := s.asm.GP64()
	s.asm.ANDNQ(s.frame.Offset(frameP), g.pinned, pawns)
	s.countPawns(pawns, occ, g.mask, take, n)

	done := s.label("counted")
	s.asm.TESTQ(g.pinned, g.pinned)
	s.asm.JZ(operand.LabelRef(done))
	s.countPinned(occ, take, g.mask, n)
	s.asm.Label(done)
	return n
}

// countPinned adds the moves of pinned pieces along the lines of their pins.
func (s *scalar) countPinned(occ, take, mask, n reg.GPVirtual) {
	s.asm.Comment("pinned pieces")
	for _, k := range []slider{bishops, rooks} {
		lines := s.load(s.pins.Offset(k.pinLines))
		s.asm.ANDQ(mask, lines)
		set := s.load(s.pins.Offset(k.pinned))
		s.asm.ANDQ(s.frame.Offset(k.ours), set)
		s.each("pinned", set, func(row reg.GPVirtual) {
			s.countAnd(s.attacks(k, row, occ), lines, n)
		})
		pawns, none, along := s.load(s.pins.Offset(k.pinned)), s.asm.GP64(), s.asm.GP64()
		s.asm.ANDQ(s.frame.Offset(frameP), pawns)
		s.asm.XORL(none.As32(), none.As32())
		if k.name == bishops.name { // captures only
			s.asm.MOVQ(take, along)
			s.asm.ANDQ(lines, along)
			s.countPawns(pawns, occ, none, along, n)
		} else { // pushes only
			s.countPawns(pawns, occ, lines, none, n)
		}
	}
}
