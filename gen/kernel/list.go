package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lister emits the listing of a position's legal moves, as the other side sees
// them. How a step is written down is the sink's business. Promotions, castling
// and en passant come last and have a kind besides.
type lister struct {
	*scalar
	sink
	kinds        operand.Mem   // of the steps, as bytes
	n            reg.GPVirtual // the number of steps
	mask, pinned operand.Mem   // what the guard step found
	last         operand.Mem   // promotions by pushes and captures to the left and right
	none         operand.Mem   // the empty set
}

// sink emits the writing of steps.
type sink interface {
	// piece lists a step from the square to each of the targets; square is
	// flipped and may be changed.
	piece(l *lister, square, targets reg.GPVirtual)
	// pawns lists a step to each of the targets from the square by lower.
	pawns(l *lister, targets reg.GPVirtual, by int)
	// promotion lists the four promotions on the flipped square to, which may
	// be changed.
	promotion(l *lister, to reg.GPVirtual, by int)
	// single lists one step between flipped squares.
	single(l *lister, from, to reg.GPVirtual)
	// nothing lists a step that moves nothing.
	nothing(l *lister)
	// fill writes steps that move nothing beyond the last.
	fill(l *lister)
}

// newLister starts a listing of s.frame; kinds is memory for as many bytes as
// there may be steps and some more.
func newLister(s *scalar, to sink, kinds operand.Mem) *lister {
	return &lister{
		scalar: s, sink: to, kinds: kinds, n: s.GP64(),
		mask: s.AllocLocal(8), pinned: s.AllocLocal(8), last: s.AllocLocal(24), none: s.AllocLocal(8),
	}
}

// bump adds to n the number of targets.
func (l *lister) bump(targets reg.GPVirtual) {
	c := l.GP64()
	l.POPCNTQ(targets, c)
	l.ADDQ(c, l.n)
}

// flipped turns the offset of a row into the number of its square, flipped.
func (l *lister) flipped(row reg.GPVirtual) reg.GPVirtual {
	l.SHRQ(operand.U8(l.shift), row)
	l.XORQ(operand.I8(56), row)
	return row
}

// pieces lists the steps of each piece of the set.
func (l *lister) pieces(name string, set, targets reg.GPVirtual, attacks func(row reg.GPVirtual) operand.Mem) {
	l.Comment("list " + name)
	l.each(name, set, func(row reg.GPVirtual) {
		to := l.load(attacks(row))
		l.ANDQ(targets, to)
		l.piece(l, l.flipped(row), to)
	})
}

// list lists the moves of s.frame. Wings is the memory of the mover's two
// wings, captors that of its pawns that may capture en passant. It returns the
// place of the first step with a kind, and in doubles the double pushes that
// may be answered en passant, flipped.
func (l *lister) list(wings func() operand.Mem, captors, doubles operand.Mem) (special operand.Mem) {
	us, them := l.occupied(frameP), l.occupied(frameTP)
	king := l.rowOf(l.load(l.frame.Offset(frameK)))
	through := l.load(us)
	l.ORQ(them, through)
	l.XORQ(l.frame.Offset(frameK), through)
	attacked := l.attacked(through)
	l.MOVQ(attacked, l.saved)
	g := l.examine(king, us, them)

	l.XORL(l.n.As32(), l.n.As32())
	for i := range 3 {
		l.MOVQ(l.n, l.last.Offset(8*i))
	}
	l.MOVQ(l.n, l.none)
	l.MOVQ(l.n, doubles)
	steps := l.load(us)
	l.ORQ(l.saved, steps)
	l.ANDNQ(l.row(king, l.king), steps, steps)
	l.piece(l, l.flipped(king), steps)

	occ, targets := l.load(us), us
	l.ORQ(them, occ)
	l.ANDNQ(g.mask, us, targets)
	l.MOVQ(g.mask, l.mask)
	l.MOVQ(g.pinned, l.pinned)
	for _, k := range []slider{bishops, rooks} {
		l.pieces(k.name, l.free(k.ours), targets, func(row reg.GPVirtual) operand.Mem { return l.attacks(k, row, occ) })
	}
	l.pieces("knight", l.free(frameN), targets, func(row reg.GPVirtual) operand.Mem { return l.row(row, l.knight) })

	take := them
	l.ANDQ(l.mask, take)
	l.listPawns(l.free(frameP), occ, l.mask, take, doubles)
	l.listPinned(occ, take, doubles)
	return l.listSpecial(wings, captors, occ)
}

// free returns the mover's pieces of a set that are not pinned.
func (l *lister) free(word int) reg.GPVirtual {
	set := l.load(l.pinned)
	l.ANDNQ(l.frame.Offset(word), set, set)
	return set
}

// listPawns lists pushes to squares of push and captures on squares of take,
// and puts promotions aside. It does not keep pawns.
func (l *lister) listPawns(pawns, occ reg.GPVirtual, push, take operand.Op, doubles operand.Mem) {
	l.Comment("list pawns")
	left, right := l.shifted(pawns, 7, notH), l.shifted(pawns, 9, notA)
	l.ANDQ(take, left)
	l.ANDQ(take, right)
	l.SHLQ(operand.U8(8), pawns)
	l.ANDNQ(pawns, occ, pawns)
	two := l.load(pawns)
	l.ANDQ(l.word(rank3), two)
	l.SHLQ(operand.U8(8), two)
	l.ANDNQ(two, occ, two)
	l.ANDQ(push, two)
	l.ANDQ(push, pawns)

	none := l.label("noPromotion")
	last := l.load(pawns)
	l.ORQ(left, last)
	l.ORQ(right, last)
	l.SHRQ(operand.U8(56), last)
	l.JZ(operand.LabelRef(none))
	for i, set := range []reg.GPVirtual{pawns, left, right} {
		last := l.load(set)
		l.SHRQ(operand.U8(56), last)
		l.SHLQ(operand.U8(56), last)
		l.XORQ(last, set)
		l.ORQ(last, l.last.Offset(8*i))
	}
	l.Label(none)

	l.Comment("double pushes next to an enemy pawn")
	next := l.shifted(l.frame.Offset(frameTP), 1, notA)
	l.ORQ(l.shifted(l.frame.Offset(frameTP), -1, notH), next)
	l.ANDQ(two, next)
	l.BSWAPQ(next)
	l.ORQ(next, doubles)

	l.pawns(l, pawns, 8)
	l.pawns(l, left, 7)
	l.pawns(l, right, 9)
	l.pawns(l, two, 16)
}

// listPinned lists what pinned pieces may do along the lines of their pins.
func (l *lister) listPinned(occ, take reg.GPVirtual, doubles operand.Mem) {
	end := l.label("noPins")
	l.CMPQ(l.pinned, operand.I8(0))
	l.JE(operand.LabelRef(end))
	for _, k := range []slider{bishops, rooks} {
		lines := l.load(l.pins.Offset(k.pinLines))
		l.ANDQ(l.mask, lines)
		set := l.load(l.pins.Offset(k.pinned))
		l.ANDQ(l.frame.Offset(k.ours), set)
		l.pieces("pinned", set, lines, func(row reg.GPVirtual) operand.Mem { return l.attacks(k, row, occ) })
		pawns := l.load(l.pins.Offset(k.pinned))
		l.ANDQ(l.frame.Offset(frameP), pawns)
		if k.piece == bishops.piece { // captures only
			l.ANDQ(take, lines)
			l.listPawns(pawns, occ, l.none, lines, doubles)
		} else { // pushes only
			l.listPawns(pawns, occ, lines, l.none, doubles)
		}
	}
	l.Label(end)
}

// listSpecial lists promotions, en passant and castling, and fills up the last
// places of a vector.
func (l *lister) listSpecial(wings func() operand.Mem, captors operand.Mem, occ reg.GPVirtual) operand.Mem {
	l.Comment("list promotions, en passant and castling")
	first := l.AllocLocal(8)
	l.MOVQ(l.n, first)
	aligned, zero := l.load(l.n), l.GP64()
	l.ANDQ(operand.I8(-8), aligned)
	l.XORL(zero.As32(), zero.As32())
	l.MOVQ(zero, l.kinds.Idx(aligned, 1))

	none := l.label("noPromotion")
	any := l.load(l.last)
	l.ORQ(l.last.Offset(8), any)
	l.ORQ(l.last.Offset(16), any)
	l.JZ(operand.LabelRef(none))
	for i, by := range []int{8, 7, 9} {
		set := l.load(l.last.Offset(8 * i))
		l.each("promotion", set, func(row reg.GPVirtual) {
			l.MOVL(operand.U32(0x0d0c0b0a), l.kinds.Idx(l.n, 1))
			l.promotion(l, l.flipped(row), by)
		})
	}
	l.Label(none)

	set := l.load(captors)
	l.each("enPassant", set, func(row reg.GPVirtual) {
		l.MOVB(operand.U8(kindEnPassant), l.kinds.Idx(l.n, 1))
		to := l.GP64()
		l.TZCNTQ(l.frame.Offset(frameEnPassant), to)
		l.XORQ(operand.I8(56), to)
		l.single(l, l.flipped(row), to)
	})
	l.listCastling(wings, occ)

	l.XORL(zero.As32(), zero.As32())
	l.MOVQ(zero, l.kinds.Idx(l.n, 1))
	l.fill(l)
	return first
}

// listCastling lists castling as a step that moves nothing; its kind tells all.
func (l *lister) listCastling(wings func() operand.Mem, occ reg.GPVirtual) {
	end := l.label("noCastling")
	rights := l.load(l.frame.Offset(frameCastle))
	l.TESTQ(operand.U32(rank1), rights)
	l.JZ(operand.LabelRef(end))
	l.ANDNQ(rights, l.load(l.pinned), rights)
	base := wings()
	for i := range 2 {
		next := l.label("nextWing")
		w := base.Offset(i * wingSize)
		right, way, safe := l.load(w.Offset(wingRook)), l.load(w.Offset(wingEmpty)), l.load(w.Offset(wingSafe))
		l.ANDQ(rights, right)
		l.JZ(operand.LabelRef(next))
		l.ANDQ(occ, way)
		l.ANDQ(l.saved, safe)
		l.ORQ(safe, way)
		l.JNZ(operand.LabelRef(next))
		l.MOVB(operand.U8(kindCastleKing+i), l.kinds.Idx(l.n, 1))
		l.nothing(l)
		l.Label(next)
	}
	l.Label(end)
}
