package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// listBytes is the room for a list of steps: sixteen pieces with at most 27
// moves each, and what a store writes beyond the last.
const listBytes = 512

// lister emits the listing of a position's legal moves as two lists of bytes,
// the squares left and the squares reached, as the other side sees them.
// Promotions, castling and en passant come last and have a kind besides.
type lister struct {
	*scalar
	z                 zmm
	froms, tos, kinds operand.Mem
	last              operand.Mem // promotions by pushes and captures to the left and right
	mask, pinned      operand.Mem // what the guard step found
	scratch           operand.Mem
	squares           reg.VecVirtual // the numbers of all squares, flipped
	n                 reg.GPVirtual
}

// add lists a step from one square, given flipped, to each of the targets.
func (l *lister) add(from, targets reg.GPVirtual) {
	l.compress(targets)
	b := l.YMM()
	l.VPBROADCASTB(from.As32(), b)
	l.VMOVDQU8(b, l.froms.Idx(l.n, 1))
	l.bump(targets)
}

// compress writes the flipped numbers of the targets to tos, in one go instead
// of a loop whose end a processor cannot foresee. Source: Daniel Lemire,
// "Decoding bitsets with AVX-512".
func (l *lister) compress(targets reg.GPVirtual) reg.VecVirtual {
	k := l.K()
	l.KMOVQ(targets, k)
	to := l.z.compress(l.squares, k)
	l.VMOVDQU8(to.AsY(), l.tos.Idx(l.n, 1))
	return to
}

// bump adds to n the number of targets.
func (l *lister) bump(targets reg.GPVirtual) {
	c := l.GP64()
	l.POPCNTQ(targets, c)
	l.ADDQ(c, l.n)
}

// pieces lists the steps of each piece of the set.
func (l *lister) pieces(name string, set, targets reg.GPVirtual, attacks func(row reg.GPVirtual) operand.Mem) {
	l.Comment("list " + name)
	l.each(name, set, func(row reg.GPVirtual) {
		to := l.load(attacks(row))
		l.ANDQ(targets, to)
		l.SHRQ(operand.U8(rowShift), row)
		l.XORQ(operand.I8(56), row)
		l.add(row, to)
	})
}

// advance lists pawn moves to the targets from the squares by lower.
func (l *lister) advance(targets reg.GPVirtual, by int) {
	to := l.compress(targets)
	b := l.XMM()
	l.VPADDB(l.bytes(by), to.AsX(), b)
	l.VMOVDQU8(b, l.froms.Idx(l.n, 1))
	l.bump(targets)
}

// bytes returns sixteen bytes of the same value.
func (p *program) bytes(value int) operand.Mem {
	w := uint64(value) * 0x0101010101010101
	m, ok := p.pairs[w]
	if !ok {
		m = p.table("bytes"+string(rune('a'+value)), w, w)
		p.pairs[w] = m
	}
	return m
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
	steps := l.load(us)
	l.ORQ(l.saved, steps)
	l.ANDNQ(l.row(king, rowKing), steps, steps)
	l.SHRQ(operand.U8(rowShift), king)
	l.XORQ(operand.I8(56), king)
	l.add(king, steps)

	occ, targets := l.load(us), us
	l.ORQ(them, occ)
	l.ANDNQ(g.mask, us, targets)
	l.MOVQ(g.mask, l.mask)
	l.MOVQ(g.pinned, l.pinned)
	for _, k := range []slider{bishops, rooks} {
		free := l.GP64()
		l.ANDNQ(l.frame.Offset(k.ours), l.load(l.pinned), free)
		l.pieces(k.name, free, targets, func(row reg.GPVirtual) operand.Mem { return l.attacks(k, row, occ) })
	}
	free := l.GP64()
	l.ANDNQ(l.frame.Offset(frameN), l.load(l.pinned), free)
	l.pieces("knight", free, targets, func(row reg.GPVirtual) operand.Mem { return l.row(row, rowKnight) })

	take := them
	l.ANDQ(l.mask, take)
	none := l.GP64()
	l.XORL(none.As32(), none.As32())
	for i := range 4 {
		l.MOVQ(none, l.last.Offset(8*i))
	}
	l.MOVQ(none, doubles)
	pawns := l.GP64()
	l.ANDNQ(l.frame.Offset(frameP), l.load(l.pinned), pawns)
	l.pawns(pawns, occ, l.mask, take, doubles)
	l.listPinned(occ, take, doubles)
	return l.listSpecial(wings, captors, occ)
}

// pawns lists pushes to squares of push and captures on squares of take, and
// puts promotions aside. It does not keep pawns.
func (l *lister) pawns(pawns, occ reg.GPVirtual, push, take operand.Op, doubles operand.Mem) {
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
	l.advance(pawns, 8)
	l.advance(left, 8+1)
	l.advance(right, 8-1)
	l.advance(two, 16)

	l.Comment("double pushes next to an enemy pawn")
	next := l.shifted(l.frame.Offset(frameTP), 1, notA)
	l.ORQ(l.shifted(l.frame.Offset(frameTP), -1, notH), next)
	l.ANDQ(two, next)
	l.BSWAPQ(next)
	l.ORQ(next, doubles)
}

// listPinned lists what pinned pieces may do along the lines of their pins.
func (l *lister) listPinned(occ, take reg.GPVirtual, doubles operand.Mem) {
	end := l.label("noPins")
	l.CMPQ(l.pinned, operand.I8(0))
	l.JE(operand.LabelRef(end))
	none := l.scratch
	l.MOVQ(operand.I32(0), none)
	for _, k := range []slider{bishops, rooks} {
		lines := l.load(l.pins.Offset(k.pinLines))
		l.ANDQ(l.mask, lines)
		set := l.load(l.pins.Offset(k.pinned))
		l.ANDQ(l.frame.Offset(k.ours), set)
		l.pieces("pinned", set, lines, func(row reg.GPVirtual) operand.Mem { return l.attacks(k, row, occ) })
		pawns := l.load(l.pins.Offset(k.pinned))
		l.ANDQ(l.frame.Offset(frameP), pawns)
		if k.name == bishops.name { // captures only
			along := l.load(take)
			l.ANDQ(lines, along)
			l.pawns(pawns, occ, none, along, doubles)
		} else { // pushes only
			l.pawns(pawns, occ, lines, none, doubles)
		}
	}
	l.Label(end)
}

// listSpecial lists promotions, en passant and castling, and fills up the last
// eight places with steps that move nothing.
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
	for i, by := range []int{8, 8 + 1, 8 - 1} {
		set := l.load(l.last.Offset(8 * i))
		l.each("promotion", set, func(row reg.GPVirtual) {
			l.SHRQ(operand.U8(rowShift), row)
			l.XORQ(operand.I8(56), row)
			four := l.GP32()
			l.IMUL3L(operand.U32(0x01010101), row.As32(), four)
			l.MOVL(four, l.tos.Idx(l.n, 1))
			l.ADDL(operand.U32(uint32(by)*0x01010101), four)
			l.MOVL(four, l.froms.Idx(l.n, 1))
			l.MOVL(operand.U32(0x0d0c0b0a), l.kinds.Idx(l.n, 1))
			l.ADDQ(operand.I8(4), l.n)
		})
	}
	l.Label(none)

	set := l.load(captors)
	l.each("enPassant", set, func(row reg.GPVirtual) {
		l.SHRQ(operand.U8(rowShift), row)
		l.XORQ(operand.I8(56), row)
		l.MOVB(row.As8(), l.froms.Idx(l.n, 1))
		l.TZCNTQ(l.frame.Offset(frameEnPassant), row)
		l.XORQ(operand.I8(56), row)
		l.MOVB(row.As8(), l.tos.Idx(l.n, 1))
		l.MOVB(operand.U8(kindEnPassant), l.kinds.Idx(l.n, 1))
		l.INCQ(l.n)
	})
	l.listCastling(wings, occ)

	l.Comment("fill up with steps from no square to no square")
	l.MOVQ(operand.U64(0x4040404040404040), zero)
	l.MOVQ(zero, l.froms.Idx(l.n, 1))
	l.MOVQ(zero, l.tos.Idx(l.n, 1))
	l.XORL(zero.As32(), zero.As32())
	l.MOVQ(zero, l.kinds.Idx(l.n, 1))
	return first
}

// listCastling lists castling as a step of no piece; its kind tells all.
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
		l.MOVB(operand.U8(64), l.froms.Idx(l.n, 1))
		l.MOVB(operand.U8(64), l.tos.Idx(l.n, 1))
		l.MOVB(operand.U8(kindCastleKing+i), l.kinds.Idx(l.n, 1))
		l.INCQ(l.n)
		l.Label(next)
	}
	l.Label(end)
}
