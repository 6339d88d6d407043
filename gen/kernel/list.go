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
	n            reg.GPVirtual // the number of steps; of their bytes for stepList, at the end
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
		scalar: s, sink: to, n: s.asm.GP64(),
		mask: s.asm.AllocLocal(8), pinned: s.asm.AllocLocal(8), last: s.asm.AllocLocal(24), none: s.asm.AllocLocal(8),
	}
}

// bump adds to n the number of targets.
func (l *lister) bump(targets reg.GPVirtual) {
	c := l.asm.GP64()
	l.asm.POPCNTQ(targets, c)
	l.asm.ADDQ(c, l.n)
}

// flipped turns the offset of a row into the number of its square, flipped.
func (l *lister) flipped(row reg.GPVirtual) reg.GPVirtual {
	l.asm.SHRQ(operand.U8(l.shift), row)
	l.asm.XORQ(operand.I8(56), row)
	return row
}

// pieces lists the steps of each piece of the set.
func (l *lister) pieces(name string, kind int, set, targets reg.GPVirtual,
	attacks func(row reg.GPVirtual) operand.Mem) {
	l.asm.Comment("list " + name)
	l.each(name, set, func(row reg.GPVirtual) {
		to := l.load(attacks(row))
		l.asm.ANDQ(targets, to)
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
	l.asm.ORQ(them, through)
	l.asm.XORQ(l.frame.Offset(frameK), through)
	attacked := l.attacked(through)
	l.asm.MOVQ(attacked, l.saved)
	g := l.examine(king, us, them)

	l.asm.XORL(l.n.As32(), l.n.As32())
	zero := l.asm.GP64()
	l.asm.XORL(zero.As32(), zero.As32())
	for i := range 3 {
		l.asm.MOVQ(zero, l.last.Offset(8*i))
	}
	l.asm.MOVQ(zero, l.none)
	l.asm.MOVQ(zero, doubles)
	steps := l.load(us)
	l.asm.ORQ(l.saved, steps)
	l.asm.ANDNQ(l.row(king, l.king), steps, steps)
	l.piece(l, kindKing, l.flipped(king), steps)

	occ, targets := l.load(us), us
	l.asm.ORQ(them, occ)
	l.asm.ANDNQ(g.mask, us, targets)
	l.asm.MOVQ(g.mask, l.mask)
	l.asm.MOVQ(g.pinned, l.pinned)
	for _, k := range []slider{bishops, rooks} {
		l.pieces(k.name, k.kind, l.free(k.ours), targets, func(row reg.GPVirtual) operand.Mem { return l.attacks(k, row, occ) })
	}
	l.pieces("knight", kindKnight, l.free(frameN), targets, func(row reg.GPVirtual) operand.Mem { return l.row(row, l.knight) })

	take := them
	l.asm.ANDQ(l.mask, take)
	l.listPawns(l.free(frameP), occ, l.mask, take, doubles)
	l.listPinned(occ, take, doubles)
	l.listSpecial(wings, captors, occ)
}

// free returns the mover's pieces of a set that are not pinned.
func (l *lister) free(word int) reg.GPVirtual {
	set := l.load(l.pinned)
	l.asm.ANDNQ(l.frame.Offset(word), set, set)
	return set
}

// listPawns lists pushes to squares of push and captures on squares of take,
// and puts promotions aside. It does not keep pawns.
func (l *lister) listPawns(pawns, occ reg.GPVirtual, push, take operand.Op, doubles operand.Mem) {
	l.asm.Comment("list pawns")
	left, right := l.shifted(pawns, 7, notH), l.shifted(pawns, 9, notA)
	l.asm.ANDQ(take, left)
	l.asm.ANDQ(take, right)
	l.asm.SHLQ(operand.U8(8), pawns)
	l.asm.ANDNQ(pawns, occ, pawns)
	two := l.load(pawns)
	l.asm.ANDQ(l.word(rank3), two)
	l.asm.SHLQ(operand.U8(8), two)
	l.asm.ANDNQ(two, occ, two)
	l.asm.ANDQ(push, two)
	l.asm.ANDQ(push, pawns)

	none := l.label("noPromotion")
	last := l.load(pawns)
	l.asm.ORQ(left, last)
	l.asm.ORQ(right, last)
	l.asm.SHRQ(operand.U8(56), last)
	l.asm.JZ(operand.LabelRef(none))
	for i, set := range []reg.GPVirtual{pawns, left, right} {
		last := l.load(set)
		l.asm.SHRQ(operand.U8(56), last)
		l.asm.SHLQ(operand.U8(56), last)
		l.asm.XORQ(last, set)
		l.asm.ORQ(last, l.last.Offset(8*i))
	}
	l.asm.Label(none)

	l.asm.Comment("double pushes next to an enemy pawn")
	next := l.shifted(l.frame.Offset(frameTP), 1, notA)
	l.asm.ORQ(l.shifted(l.frame.Offset(frameTP), -1, notH), next)
	l.asm.ANDQ(two, next)
	l.asm.BSWAPQ(next)
	l.asm.ORQ(next, doubles)

	l.pawns(l, kindPawn, pawns, 8)
	l.pawns(l, kindPawn, left, 7)
	l.pawns(l, kindPawn, right, 9)
	l.pawns(l, kindDouble, two, 16)
}

// listPinned lists what pinned pieces may do along the lines of their pins.
func (l *lister) listPinned(occ, take reg.GPVirtual, doubles operand.Mem) {
	end := l.label("noPins")
	l.asm.CMPQ(l.pinned, operand.I8(0))
	l.asm.JE(operand.LabelRef(end))
	for _, k := range []slider{bishops, rooks} {
		lines := l.load(l.pins.Offset(k.pinLines))
		l.asm.ANDQ(l.mask, lines)
		set := l.load(l.pins.Offset(k.pinned))
		l.asm.ANDQ(l.frame.Offset(k.ours), set)
		l.pieces("pinned", k.kind, set, lines, func(row reg.GPVirtual) operand.Mem { return l.attacks(k, row, occ) })
		pawns := l.load(l.pins.Offset(k.pinned))
		l.asm.ANDQ(l.frame.Offset(frameP), pawns)
		if k.piece == bishops.piece { // captures only
			l.asm.ANDQ(take, lines)
			l.listPawns(pawns, occ, l.none, lines, doubles)
		} else { // pushes only
			l.listPawns(pawns, occ, lines, l.none, doubles)
		}
	}
	l.asm.Label(end)
}

// listSpecial lists promotions, en passant and castling.
func (l *lister) listSpecial(wings func() operand.Mem, captors operand.Mem, occ reg.GPVirtual) {
	l.asm.Comment("list promotions, en passant and castling")
	l.special(l)
	none := l.label("noPromotion")
	any := l.load(l.last)
	l.asm.ORQ(l.last.Offset(8), any)
	l.asm.ORQ(l.last.Offset(16), any)
	l.asm.JZ(operand.LabelRef(none))
	for i, by := range []int{8, 7, 9} {
		set := l.load(l.last.Offset(8 * i))
		l.each("promotion", set, func(row reg.GPVirtual) {
			l.promotion(l, l.flipped(row), by)
		})
	}
	l.asm.Label(none)

	set := l.load(captors)
	l.each("enPassant", set, func(row reg.GPVirtual) {
		to := l.asm.GP64()
		l.asm.TZCNTQ(l.frame.Offset(frameEnPassant), to)
		l.asm.XORQ(operand.I8(56), to)
		l.capture(l, l.flipped(row), to)
	})
	l.listCastling(wings, occ)
	l.end(l)
}

// listCastling lists legal castling.
func (l *lister) listCastling(wings func() operand.Mem, occ reg.GPVirtual) {
	end := l.label("noCastling")
	rights := l.load(l.frame.Offset(frameCastle))
	l.asm.TESTQ(operand.U32(rank1), rights)
	l.asm.JZ(operand.LabelRef(end))
	l.asm.ANDNQ(rights, l.load(l.pinned), rights)
	base := wings()
	for i := range 2 {
		next := l.label("nextWing")
		w := base.Offset(i * wingSize)
		right, way, safe := l.load(w.Offset(wingRook)), l.load(w.Offset(wingEmpty)), l.load(w.Offset(wingSafe))
		l.asm.ANDQ(rights, right)
		l.asm.JZ(operand.LabelRef(next))
		l.asm.ANDQ(occ, way)
		l.asm.ANDQ(l.saved, safe)
		l.asm.ORQ(safe, way)
		l.asm.JNZ(operand.LabelRef(next))
		l.castle(l, kindCastleKing+i)
		l.asm.Label(next)
	}
	l.asm.Label(end)
}
