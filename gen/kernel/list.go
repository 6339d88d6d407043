package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lister emits the listing of a position's legal moves, as the other side sees
// them. How a step is written down is the sink's business. Promotions, castling
// and en passant come last.
type lister struct {
	*scalar
	sink
	n            reg.GPVirtual // the number of steps, for sinks that index by it
	mask, pinned operand.Mem   // what the guard step found
	last         operand.Mem   // promotions by pushes and captures to the left and right
	none         operand.Mem   // the empty set
}

// sink emits the writing of steps.
type sink interface {
	// piece lists a step from the square to each of the targets; square is
	// flipped and may be changed. A queen's steps come half as a bishop's and
	// half as a rook's.
	piece(l *lister, kind int, square, targets reg.GPVirtual)
	// pawns lists a step to each of the targets from the square by lower.
	pawns(l *lister, kind int, targets reg.GPVirtual, by int)
	// special is called before promotions, en passant and castling.
	special(l *lister)
	// promotion lists the four promotions on the flipped square to, which may
	// be changed.
	promotion(l *lister, to reg.GPVirtual, by int)
	// capture lists an en-passant capture between flipped squares.
	capture(l *lister, from, to reg.GPVirtual)
	// castle lists castling, a step whose kind tells all.
	castle(l *lister, kind int)
	// end is called after the last step.
	end(l *lister)
}

// newLister starts a listing of s.frame.
func newLister(s *scalar, to sink) *lister {
	return &lister{
		scalar: s, sink: to, n: s.GP64(),
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
func (l *lister) pieces(name string, kind int, set, targets reg.GPVirtual, attacks func(row reg.GPVirtual) operand.Mem) {
	l.Comment("list " + name)
	l.each(name, set, func(row reg.GPVirtual) {
		to := l.load(attacks(row))
		l.ANDQ(targets, to)
		l.piece(l, kind, l.flipped(row), to)
	})
}

// list lists the moves of s.frame. Wings is the memory of the mover's two
// wings, captors that of its pawns that may capture en passant. It leaves
// in doubles the double pushes that may be answered en passant, flipped.
func (l *lister) list(wings func() operand.Mem, captors, doubles operand.Mem) {
	us, them := l.occupied(frameP), l.occupied(frameTP)
	king := l.rowOf(l.load(l.frame.Offset(frameK)))
	through := l.load(us)
	l.ORQ(them, through)
	l.XORQ(l.frame.Offset(frameK), through)
	attacked := l.attacked(through)
	l.MOVQ(attacked, l.saved)
	g := l.examine(king, us, them)

	l.XORL(l.n.As32(), l.n.As32())
	zero := l.GP64()
	l.XORL(zero.As32(), zero.As32())
	for i := range 3 {
		l.MOVQ(zero, l.last.Offset(8*i))
	}
	l.MOVQ(zero, l.none)
	l.MOVQ(zero, doubles)
	steps := l.load(us)
	l.ORQ(l.saved, steps)
	l.ANDNQ(l.row(king, l.king), steps, steps)
	l.piece(l, kindKing, l.flipped(king), steps)

	occ, targets := l.load(us), us
	l.ORQ(them, occ)
	l.ANDNQ(g.mask, us, targets)
	l.MOVQ(g.mask, l.mask)
	l.MOVQ(g.pinned, l.pinned)
	for _, k := range []slider{bishops, rooks} {
		l.pieces(k.name, k.kind, l.free(k.ours), targets, func(row reg.GPVirtual) operand.Mem { return l.attacks(k, row, occ) })
	}
	l.pieces("knight", kindKnight, l.free(frameN), targets, func(row reg.GPVirtual) operand.Mem { return l.row(row, l.knight) })

	take := them
	l.ANDQ(l.mask, take)
	l.listPawns(l.free(frameP), occ, l.mask, take, doubles)
	l.listPinned(occ, take, doubles)
	l.listSpecial(wings, captors, occ)
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

	l.pawns(l, kindPawn, pawns, 8)
	l.pawns(l, kindPawn, left, 7)
	l.pawns(l, kindPawn, right, 9)
	l.pawns(l, kindDouble, two, 16)
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
		l.pieces("pinned", k.kind, set, lines, func(row reg.GPVirtual) operand.Mem { return l.attacks(k, row, occ) })
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

// listSpecial lists promotions, en passant and castling.
func (l *lister) listSpecial(wings func() operand.Mem, captors operand.Mem, occ reg.GPVirtual) {
	l.Comment("list promotions, en passant and castling")
	l.special(l)
	none := l.label("noPromotion")
	any := l.load(l.last)
	l.ORQ(l.last.Offset(8), any)
	l.ORQ(l.last.Offset(16), any)
	l.JZ(operand.LabelRef(none))
	for i, by := range []int{8, 7, 9} {
		set := l.load(l.last.Offset(8 * i))
		l.each("promotion", set, func(row reg.GPVirtual) {
			l.promotion(l, l.flipped(row), by)
		})
	}
	l.Label(none)

	set := l.load(captors)
	l.each("enPassant", set, func(row reg.GPVirtual) {
		to := l.GP64()
		l.TZCNTQ(l.frame.Offset(frameEnPassant), to)
		l.XORQ(operand.I8(56), to)
		l.capture(l, l.flipped(row), to)
	})
	l.listCastling(wings, occ)
	l.end(l)
}

// listCastling lists legal castling.
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
		l.castle(l, kindCastleKing+i)
		l.Label(next)
	}
	l.Label(end)
}
