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
	r := s.GP64()
	s.TZCNTQ(set, r)
	s.SHLQ(operand.U8(s.shift), r)
	return r
}

// row returns the memory of a word of the row at an offset that rowOf gave.
func (s *scalar) row(offset reg.GPVirtual, word int) operand.Mem {
	return operand.Mem{Base: s.rows, Index: offset, Scale: 1, Disp: word}
}

// attacks returns the memory that holds what a slider on the row's square
// attacks on a board occupied by occ.
func (s *scalar) attacks(k slider, row, occ reg.GPVirtual) operand.Mem {
	i := s.GP64()
	if s.magic {
		places := s.GP64()
		s.MOVQ(s.row(row, s.mask[k.piece]), i)
		s.ANDQ(occ, i)
		s.IMULQ(s.row(row, s.factor[k.piece]), i)
		s.MOVQ(s.row(row, s.places[k.piece]), places)
		s.SHRXQ(places, i, i)
	} else {
		s.PEXTQ(s.row(row, s.mask[k.piece]), occ, i)
	}
	s.ADDL(s.row(row, s.at[k.piece]), i.As32())
	return operand.Mem{Base: s.sets, Index: i, Scale: 8}
}

// each emits body for every square of set, which it empties; body gets the
// row's offset.
func (s *scalar) each(name string, set reg.GPVirtual, body func(row reg.GPVirtual)) {
	loop, end := s.label(name), s.label(name+"End")
	s.TESTQ(set, set)
	s.JZ(operand.LabelRef(end))
	s.Label(loop)
	body(s.rowOf(set))
	s.BLSRQ(set, set)
	s.JNZ(operand.LabelRef(loop))
	s.Label(end)
}

// countAnd adds to n the number of squares in both sets.
func (s *scalar) countAnd(m operand.Mem, set, n reg.GPVirtual) {
	t := s.GP64()
	s.MOVQ(set, t)
	s.ANDQ(m, t)
	s.POPCNTQ(t, t)
	s.ADDQ(t, n)
}

// shifted returns set shifted up (down if negative) with the squares of wrap
// kept; a wrap of zero keeps all.
func (s *scalar) shifted(set operand.Op, by int, wrap uint64) reg.GPVirtual {
	r := s.load(set)
	if by > 0 {
		s.SHLQ(operand.U8(by), r)
	} else {
		s.SHRQ(operand.U8(-by), r)
	}
	if wrap != 0 {
		s.ANDQ(s.word(wrap), r)
	}
	return r
}

// knightSteps returns what knights on the set attack.
func (s *scalar) knightSteps(set operand.Op) reg.GPVirtual {
	one := s.shifted(set, 1, notA)
	s.ORQ(s.shifted(set, -1, notH), one)
	two := s.shifted(set, 2, notAB)
	s.ORQ(s.shifted(set, -2, notGH), two)
	all := s.shifted(one, 16, 0)
	s.SHRQ(operand.U8(16), one)
	s.ORQ(one, all)
	s.ORQ(s.shifted(two, 8, 0), all)
	s.SHRQ(operand.U8(8), two)
	s.ORQ(two, all)
	return all
}

// attacked returns all squares that the other side attacks on a board
// occupied by occ.
func (s *scalar) attacked(occ reg.GPVirtual) reg.GPVirtual {
	s.Comment("attacked: what the enemy attacks, our king being transparent")
	a := s.knightSteps(s.frame.Offset(frameTN))
	s.ORQ(s.shifted(s.frame.Offset(frameTP), -7, notA), a)
	s.ORQ(s.shifted(s.frame.Offset(frameTP), -9, notH), a)
	king := s.rowOf(s.load(s.frame.Offset(frameTK)))
	s.ORQ(s.row(king, s.king), a)
	for _, k := range []slider{bishops, rooks} {
		s.each(k.name, s.load(s.frame.Offset(k.theirs)), func(row reg.GPVirtual) {
			s.ORQ(s.attacks(k, row, occ), a)
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
	s.Comment("checks by knights and pawns")
	g := guarded{s.GP64(), s.GP64()}
	checkers := s.GP64()
	t := s.load(s.row(king, s.knight))
	s.ANDQ(s.frame.Offset(frameTN), t)
	s.MOVQ(s.row(king, s.pawn), checkers)
	s.ANDQ(s.frame.Offset(frameTP), checkers)
	s.ORQ(t, checkers)
	s.MOVQ(checkers, g.mask)
	s.XORL(g.pinned.As32(), g.pinned.As32())

	s.Comment("sliders on the king's lines: is there any?")
	quiet := s.label("quiet")
	d, h := s.load(s.row(king, s.rays[0])), s.load(s.row(king, s.rays[1]))
	s.ANDQ(s.frame.Offset(frameTD), d)
	s.ANDQ(s.frame.Offset(frameTH), h)
	s.ORQ(h, d)
	s.JZ(operand.LabelRef(quiet))
	for _, k := range []slider{bishops, rooks} {
		s.snipers(k, king, us, them, checkers, g)
	}
	s.Label(quiet)

	s.Comment("the check mask: all squares without a check, none in double check")
	single := s.label("single")
	one := s.GP64()
	s.MOVQ(operand.I32(-1), one)
	s.TESTQ(checkers, checkers)
	s.CMOVQEQ(one, g.mask)
	s.BLSRQ(checkers, one)
	s.JZ(operand.LabelRef(single))
	s.XORL(g.mask.As32(), g.mask.As32())
	s.Label(single)
	return g
}

// snipers looks at the sliders that see our king when our own pieces are taken
// off: with nothing between they give check, with one piece between they pin.
func (s *scalar) snipers(k slider, king, us, them, checkers reg.GPVirtual, g guarded) {
	s.Commentf("%ss that see our king through our own pieces", k.name)
	pinned, lines := s.pins.Offset(k.pinned), s.pins.Offset(k.pinLines)
	zero := s.GP64()
	s.XORL(zero.As32(), zero.As32())
	s.MOVQ(zero, pinned)
	s.MOVQ(zero, lines)
	set := s.load(s.attacks(k, king, them))
	s.ANDQ(s.frame.Offset(k.theirs), set)
	s.each("sniper", set, func(row reg.GPVirtual) {
		check, next := s.label("check"), s.label("next")
		sniper := s.GP64()
		s.BLSIQ(set, sniper)
		line := s.load(s.attacks(k, row, s.load(s.frame.Offset(frameK))))
		s.ANDQ(s.attacks(k, king, sniper), line)
		s.ORQ(sniper, line)
		own, rest := s.GP64(), s.GP64()
		s.MOVQ(line, own)
		s.ANDQ(us, own)
		s.JZ(operand.LabelRef(check))
		s.BLSRQ(own, rest)
		s.JNZ(operand.LabelRef(next))
		s.ORQ(own, pinned)
		s.ORQ(own, g.pinned)
		s.ORQ(line, lines)
		s.JMP(operand.LabelRef(next))
		s.Label(check)
		s.ORQ(sniper, checkers)
		s.ORQ(line, g.mask)
		s.Label(next)
	})
}

// kingSteps returns the number of our king's steps.
func (s *scalar) kingSteps(king, us, attacked reg.GPVirtual) reg.GPVirtual {
	s.Comment("king")
	steps := s.load(us)
	s.ORQ(attacked, steps)
	s.ANDNQ(s.row(king, s.king), steps, steps)
	s.POPCNTQ(steps, steps)
	return steps
}

// countCastling adds legal castlings; wings gives the memory of our two wings.
func (s *scalar) countCastling(wings func() operand.Mem, occ, pinned, n reg.GPVirtual) {
	s.Comment("castling")
	none := s.label("noCastling")
	rights := s.load(s.frame.Offset(frameCastle))
	s.TESTQ(operand.U32(rank1), rights)
	s.JZ(operand.LabelRef(none))
	s.ANDNQ(rights, pinned, rights) // the right falls away with a pinned rook
	base := wings()
	for i := range 2 {
		w := base.Offset(i * wingSize)
		way, safe, right := s.load(w.Offset(wingEmpty)), s.load(w.Offset(wingSafe)), s.load(w.Offset(wingRook))
		s.ANDQ(occ, way)
		s.ANDQ(s.saved, safe)
		s.ORQ(safe, way)
		s.ANDQ(rights, right)
		legal, no := s.GP64(), s.GP64()
		s.XORL(no.As32(), no.As32())
		s.TESTQ(right, right)
		s.MOVL(operand.U32(1), legal.As32())
		s.CMOVQEQ(no, legal)
		s.TESTQ(way, way)
		s.CMOVQNE(no, legal)
		s.ADDQ(legal, n)
	}
	s.Label(none)
}

// countPawns adds the pushes of pawns to squares of push and their captures
// onto squares of take, promotions four times. It does not keep pawns.
func (s *scalar) countPawns(pawns, occ, push, take, n reg.GPVirtual) {
	left, right := s.shifted(pawns, 7, notH), s.shifted(pawns, 9, notA)
	s.ANDQ(take, left)
	s.ANDQ(take, right)
	s.SHLQ(operand.U8(8), pawns)
	s.ANDNQ(pawns, occ, pawns)
	two := s.GP64()
	s.MOVQ(pawns, two)
	s.ANDQ(s.word(rank3), two)
	s.SHLQ(operand.U8(8), two)
	s.ANDNQ(two, occ, two)
	s.ORQ(pawns, two)
	s.ANDQ(push, two)
	s.ORQ(left, two)
	s.Comment("pushes and captures to the left never share a square")
	s.POPCNTQ(two, left)
	s.ADDQ(left, n)
	s.POPCNTQ(right, left)
	s.ADDQ(left, n)
	none := s.label("noPromotion")
	s.SHRQ(operand.U8(56), two)
	s.SHRQ(operand.U8(56), right)
	s.MOVQ(two, left)
	s.ORQ(right, left)
	s.JZ(operand.LabelRef(none))
	s.POPCNTQ(two, two)
	s.POPCNTQ(right, right)
	s.ADDQ(right, two)
	s.LEAQ(operand.Mem{Base: two, Index: two, Scale: 2}, two)
	s.ADDQ(two, n)
	s.Label(none)
}

// count returns the number of legal moves of s.frame but for en passant. It
// does not keep us and them.
func (s *scalar) count(us, them reg.GPVirtual, wings func() operand.Mem) reg.GPVirtual {
	king := s.rowOf(s.load(s.frame.Offset(frameK)))
	through := s.load(us)
	s.ORQ(them, through)
	s.XORQ(s.frame.Offset(frameK), through)
	attacked := s.attacked(through)
	s.MOVQ(attacked, s.saved)
	steps := s.kingSteps(king, us, attacked)
	s.MOVQ(steps, s.saved.Offset(8))

	g := s.examine(king, us, them)
	n, occ := s.load(s.saved.Offset(8)), s.load(us)
	s.ORQ(them, occ)
	s.countCastling(wings, occ, g.pinned, n)

	targets := us
	s.ANDNQ(g.mask, us, targets)
	for _, k := range []slider{bishops, rooks} {
		s.Comment(k.name + "s")
		free := s.GP64()
		s.ANDNQ(s.frame.Offset(k.ours), g.pinned, free)
		s.each(k.name, free, func(row reg.GPVirtual) {
			s.countAnd(s.attacks(k, row, occ), targets, n)
		})
	}
	s.Comment("knights")
	free := s.GP64()
	s.ANDNQ(s.frame.Offset(frameN), g.pinned, free)
	s.each("knight", free, func(row reg.GPVirtual) {
		s.countAnd(s.row(row, s.knight), targets, n)
	})
	s.Comment("pawns")
	take := them
	s.ANDQ(g.mask, take)
	pawns := s.GP64()
	s.ANDNQ(s.frame.Offset(frameP), g.pinned, pawns)
	s.countPawns(pawns, occ, g.mask, take, n)

	done := s.label("counted")
	s.TESTQ(g.pinned, g.pinned)
	s.JZ(operand.LabelRef(done))
	s.countPinned(occ, take, g.mask, n)
	s.Label(done)
	return n
}

// countPinned adds the moves of pinned pieces along the lines of their pins.
func (s *scalar) countPinned(occ, take, mask, n reg.GPVirtual) {
	s.Comment("pinned pieces")
	for _, k := range []slider{bishops, rooks} {
		lines := s.load(s.pins.Offset(k.pinLines))
		s.ANDQ(mask, lines)
		set := s.load(s.pins.Offset(k.pinned))
		s.ANDQ(s.frame.Offset(k.ours), set)
		s.each("pinned", set, func(row reg.GPVirtual) {
			s.countAnd(s.attacks(k, row, occ), lines, n)
		})
		pawns, none, along := s.load(s.pins.Offset(k.pinned)), s.GP64(), s.GP64()
		s.ANDQ(s.frame.Offset(frameP), pawns)
		s.XORL(none.As32(), none.As32())
		if k.name == bishops.name { // captures only
			s.MOVQ(take, along)
			s.ANDQ(lines, along)
			s.countPawns(pawns, occ, none, along, n)
		} else { // pushes only
			s.countPawns(pawns, occ, lines, none, n)
		}
	}
}
