package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/tabula-chess/tabula/internal/geom"
)

// Words of count.kingRow, what a king's square tells every lane: the rays
// and the neighbours in the eight directions of geom, and some sets.
const (
	kingRays       = 0
	kingNeighbours = 8
	kingKnight     = 16
	kingPawn       = 17
	kingRing       = 18
	kingRookRays   = 19
	kingBishopRays = 20
	kingReach      = 24 // from where a slider may come to the king or next to it, by direction
	kingWords      = 32
)

// lanes emits steps on eight children of one position, one in each lane. The
// side to move in the children is "ours"; its king and, but for a captured
// one, its pieces are the same in all of them.
type lanes struct {
	zmm
	parent  operand.Mem // the frame before the enemy's move, as we see it
	usAll   operand.Mem // the squares of its two sides
	themAll operand.Mem
	king    operand.Mem // the row of our king

	notA, notH, mirror, reverse reg.VecVirtual // constants

	to                 reg.VecVirtual // where the enemy has moved
	p, n, d, h         reg.VecVirtual // ours
	tp, tn, td, th, tk reg.VecVirtual // theirs
	us, them, occ      reg.VecVirtual

	attacked reg.VecVirtual // by them, as far as our king and castling care
	count    reg.VecVirtual // of legal moves

	// What the guard step leaves of our sets: pieces free to move along an axis.
	file, rank, rise, fall reg.VecVirtual // sliders; rise is a1-h8, fall a8-h1
	push, left, right      reg.VecVirtual // pawns
	mask, pinRank          reg.VecVirtual
}

// kingWord returns the memory of a word of our king's row.
func (l *lanes) kingWord(w int) operand.Mem { return l.king.Offset(8 * w) }

// make builds the children: the squares that the moving piece leaves and
// reaches change in the sets that hold it, and what stood on the target goes.
func (l *lanes) make(fromBytes, toBytes operand.Mem, one reg.VecVirtual) {
	l.asm.Comment("make: the children in lanes, each from the parent and two squares")
	from, move := l.asm.ZMM(), l.asm.ZMM()
	l.to = l.asm.ZMM()
	l.asm.VPMOVZXBQ(fromBytes, from)
	l.asm.VPMOVZXBQ(toBytes, l.to)
	l.asm.VPSLLVQ(from, one, from)
	l.asm.VPSLLVQ(l.to, one, l.to)
	l.asm.VPORQ(from, l.to, move)
	for _, s := range []struct {
		word int
		set  *reg.VecVirtual
	}{{frameP, &l.tp}, {frameN, &l.tn}, {frameD, &l.td}, {frameH, &l.th}, {frameK, &l.tk}} {
		m := l.parent.Offset(s.word)
		moves := l.meets(m, from)
		*s.set = l.broadcast(m)
		l.asm.VPXORQ(move, *s.set, moves, *s.set)
	}
	l.p = l.andNot(l.parent.Offset(frameTP), l.to)
	l.n = l.andNot(l.parent.Offset(frameTN), l.to)
	l.d = l.andNot(l.parent.Offset(frameTD), l.to)
	l.h = l.andNot(l.parent.Offset(frameTH), l.to)
	l.us = l.andNot(l.usAll, l.to)
	l.them = l.xor(l.themAll, move)
}

// special is memory that makeSpecial reads.
type special struct {
	kinds  operand.Mem    // of the steps, as bytes
	castle [2]operand.Mem // by wing: the king's two squares, the rook's two, all
}

// makeSpecial corrects promotions, castling and en passant, which make has
// taken for pawn moves and for no move.
func (l *lanes) makeSpecial(s special) {
	l.asm.Comment("promotions, castling, en passant")
	kinds := l.asm.XMM()
	l.asm.VMOVQ(s.kinds, kinds)
	is := func(kind int) reg.OpmaskVirtual {
		k := l.asm.K()
		l.asm.VPCMPEQB(l.bytes(kind), kinds, k)
		return k
	}
	toggle := func(k reg.OpmaskVirtual, bits operand.Op, sets ...reg.VecVirtual) {
		for _, set := range sets {
			if m, ok := bits.(operand.Mem); ok {
				l.asm.VPXORQ_BCST(m, set, k, set)
			} else {
				l.asm.VPXORQ(bits, set, k, set)
			}
		}
	}
	toggle(is(kindPromoteKnight), l.to, l.tp, l.tn)
	toggle(is(kindPromoteKnight+1), l.to, l.tp, l.td)
	toggle(is(kindPromoteKnight+2), l.to, l.tp, l.th)
	toggle(is(kindPromoteQueen), l.to, l.tp, l.td, l.th)
	for wing, words := range s.castle {
		k := is(kindCastleKing + wing)
		toggle(k, words, l.tk)
		toggle(k, words.Offset(8), l.th)
		toggle(k, words.Offset(16), l.them)
	}
	captured := l.shift(l.to, 8)
	toggle(is(kindEnPassant), captured, l.p, l.us)
}

// leapers starts the set of attacked squares with pawns, knights and king, and
// returns the pawns and knights that give check.
func (l *lanes) leapers() (checkers reg.VecVirtual) {
	l.asm.Comment("attacked by pawns, knights and king")
	const orAnd = inA | inB&inC
	a := l.and(l.notA, l.shift(l.tp, -7))
	a = l.ternary(orAnd, a, l.shift(l.tp, -9), l.notH)

	one := l.and(l.notA, l.shift(l.tn, 1))
	one = l.ternary(orAnd, one, l.shift(l.tn, -1), l.notH)
	two := l.and(l.word(notAB), l.shift(l.tn, 2))
	two = l.ternary(orAnd, two, l.shift(l.tn, -2), l.word(notGH))
	const or3 = inA | inB | inC
	a = l.ternary(or3, a, l.shift(one, 16), l.shift(one, -16))
	a = l.ternary(or3, a, l.shift(two, 8), l.shift(two, -8))

	row := l.and(l.notA, l.shift(l.tk, 1))
	row = l.ternary(orAnd, row, l.shift(l.tk, -1), l.notH)
	rows := l.or(row, l.tk)
	a = l.ternary(or3, a, row, l.shift(rows, 8))
	l.attacked = l.or(a, l.shift(rows, -8))

	checkers = l.and(l.kingWord(kingKnight), l.tn)
	return l.ternary(orAnd, checkers, l.tp, l.kingWord(kingPawn))
}

// guard finds checks and pins and leaves the check mask and what may move
// along which axis. Most vectors see no slider on a line of our king and no
// check: there it is a dozen instructions.
func (l *lanes) guard(checkers reg.VecVirtual) {
	l.asm.Comment("guard: is a slider on a line of our king, or is there a check?")
	calm, end := l.label("calm"), l.label("guarded")
	l.mask, l.pinRank = l.asm.ZMM(), l.asm.ZMM()
	straight := l.and(l.kingWord(kingRookRays), l.th)
	oblique := l.and(l.kingWord(kingBishopRays), l.td)
	any := l.copied(checkers)
	l.skipUnless(l.ternary(inA|inB|inC, any, straight, oblique), calm)

	mask := l.copied(checkers)
	pins := [4]reg.VecVirtual{l.zero(), l.zero(), l.zero(), l.zero()} // by direction mod 4
	top := l.broadcast(l.word(1 << 63))
	none := l.label("noRook")
	l.skipUnless(straight, none)
	for _, dir := range []int{geom.North, geom.East, geom.South, geom.West} {
		l.line(dir, l.th, top, mask, checkers, pins[dir&3])
	}
	l.asm.Label(none)
	none = l.label("noBishop")
	l.skipUnless(oblique, none)
	for _, dir := range []int{geom.NorthEast, geom.SouthEast, geom.SouthWest, geom.NorthWest} {
		l.line(dir, l.td, top, mask, checkers, pins[dir&3])
	}
	l.asm.Label(none)

	l.asm.Comment("check mask: all without a check, none in double check")
	unchecked := l.asm.K()
	l.asm.VPTESTNMQ(checkers, checkers, unchecked)
	l.asm.VPTERNLOGQ(operand.U8(0xff), mask, mask, unchecked, mask)
	rest := l.add(l.word(^uint64(0)), checkers)
	double := l.meets(rest, checkers)
	l.asm.VPTERNLOGQ(operand.U8(0), mask, mask, double, mask)
	l.asm.VMOVDQA64(mask, l.mask)

	l.asm.Comment("pinned pieces move along the axis of their pin only")
	l.asm.VMOVDQA64(pins[2], l.pinRank)
	pinned := l.or(pins[0], pins[1])
	pinned = l.ternary(inA|inB|inC, pinned, pins[2], pins[3])
	moves := l.axes()
	const free = inA &^ (inB ^ inC)
	for _, m := range moves {
		l.asm.VMOVDQA64(m.all, *m.free)
		l.ternary(free, *m.free, pinned, pins[m.axis])
	}
	l.asm.VPANDNQ(l.n, pinned, l.n)
	l.asm.JMP(operand.LabelRef(end))

	l.asm.Label(calm)
	l.asm.VPBROADCASTQ(l.word(^uint64(0)), l.mask)
	l.asm.VPXORQ(l.pinRank, l.pinRank, l.pinRank)
	for _, m := range moves {
		l.asm.VMOVDQA64(m.all, *m.free)
	}
	l.asm.Label(end)
}

// axis is what moves along one axis: all our pieces of the kind, and those
// that no pin holds back. Axes are directions mod 4.
type axis struct {
	all  reg.VecVirtual
	free *reg.VecVirtual
	axis int
}

// axes allots registers for what moves along each axis.
func (l *lanes) axes() []axis {
	moves := []axis{
		{l.h, &l.file, geom.North}, {l.d, &l.rise, geom.NorthEast}, {l.h, &l.rank, geom.East}, {l.d, &l.fall, geom.SouthEast},
		{l.p, &l.push, geom.North}, {l.p, &l.right, geom.NorthEast}, {l.p, &l.left, geom.SouthEast},
	}
	for _, m := range moves {
		*m.free = l.asm.ZMM()
	}
	return moves
}

// line looks along one ray of our king: a slider met first gives check, one
// met second pins what was met first.
func (l *lanes) line(dir int, sliders, top, mask, checkers, pins reg.VecVirtual) {
	l.asm.Commentf("line %d", dir)
	ray, none := l.kingWord(kingRays+dir), l.label("noLine")
	l.skipUnless(l.and(ray, sliders), none)
	defer l.asm.Label(none)
	blockers := l.and(ray, l.occ)
	var first, seen, second reg.VecVirtual
	if dir == geom.North || dir == geom.NorthEast || dir == geom.East || dir == geom.NorthWest {
		below := l.add(l.word(^uint64(0)), blockers)
		first = l.andNot(blockers, below)
		rest := l.and(blockers, below)
		seen = l.ternary((inA^inB)&inC, blockers, below, ray)
		below = l.add(l.word(^uint64(0)), rest)
		second = l.ternary(inA&^inB&inC, rest, below, sliders)
	} else {
		zeros := l.asm.ZMM()
		first, seen = l.asm.ZMM(), l.asm.ZMM()
		l.asm.VPLZCNTQ(blockers, zeros)
		l.asm.VPSRLVQ(zeros, top, first)
		l.asm.VPSRAVQ(zeros, top, seen)
		l.asm.VPANDQ_BCST(ray, seen, seen)
		second = l.xor(first, blockers)
		l.asm.VPLZCNTQ(second, zeros)
		l.asm.VPSRLVQ(zeros, top, second)
		l.asm.VPANDQ(sliders, second, second)
	}
	check := l.meets(seen, sliders)
	l.asm.VPORQ(seen, mask, check, mask)
	l.ternary(inA|inB&inC, checkers, seen, sliders)
	// The checker also attacks the square behind our king.
	l.asm.VPORQ_BCST(l.kingWord(kingNeighbours+dir^4), l.attacked, check, l.attacked)
	pin := l.meets(second, second)
	l.asm.VPORQ(first, pins, pin, pins)
}

// countPawns counts pushes and captures; promotions are told by a branch.
func (l *lanes) countPawns() {
	l.asm.Comment("pawns")
	one := l.andNot(l.shift(l.push, 8), l.occ)
	two := l.and(l.word(rank3), one)
	two = l.andNot(l.shift(two, 8), l.occ)
	left, right := l.shift(l.left, 7), l.shift(l.right, 9)
	both := l.and(l.them, l.mask)
	left = l.ternary(inA&inB&inC, left, both, l.notH)
	right = l.ternary(inA&inB&inC, right, both, l.notA)
	const orThenAnd = (inA | inB) & inC
	one = l.ternary(orThenAnd, one, two, l.mask)
	one = l.or(left, one)
	l.count = l.asm.ZMM()
	l.asm.VPOPCNTQ(one, l.count)
	l.tally(right, l.count)

	none := l.label("noPromotion")
	last := l.or(right, one)
	l.skipUnless(l.and(l.word(rank8), last), none)
	one, right = l.shift(one, -56), l.shift(right, -56)
	for range 3 {
		l.tally(one, l.count)
		l.tally(right, l.count)
	}
	l.asm.Label(none)
}

// countKnights counts by knight, whose square is the same in all lanes; for list see
// eachKnight.
func (l *lanes) countKnights(list operand.Mem, targets reg.VecVirtual) {
	l.eachKnight(list, func(square, attacks operand.Mem) {
		there := l.meets(square, l.n)
		hops := l.asm.ZMM()
		l.asm.VPANDQ_BCST_Z(attacks, targets, there, hops)
		l.tally(hops, l.count)
	})
}

// reversed returns every rank from right to left.
func (l *lanes) reversed(a reg.VecVirtual) reg.VecVirtual { return l.affine(l.reverse, a) }

// mirrored returns the board mirrored in the diagonal from a8 to h1, its own
// inverse: files become ranks and south becomes east.
func (l *lanes) mirrored(a reg.VecVirtual) reg.VecVirtual { return l.affine(a, l.mirror) }

// eastward returns, for each rank by itself, the occupied squares from which
// twice the sliders are taken away: where that differs from the occupied
// squares is what the sliders attack to the east. Source: CPW "Subtracting a
// Rook from a Blocking Piece", o^(o-2r), here in bytes and for all sliders of
// a rank together, each borrow ending at the next piece.
func (l *lanes) eastward(occ, sliders reg.VecVirtual) reg.VecVirtual {
	t := l.asm.ZMM()
	l.asm.VPADDB(sliders, sliders, t)
	l.asm.VPSUBB(t, occ, t)
	return t
}

// sliders emits body for positions in which one of the sets holds sliders.
func (l *lanes) sliders(ours, theirs reg.VecVirtual, body func()) {
	none := l.label("noSlider")
	l.skipUnless(l.or(ours, theirs), none)
	body()
	l.asm.Label(none)
}

// countStraight counts rook moves and adds to attacked what theirs attack. Four
// directions are one, on boards turned.
func (l *lanes) countStraight(targets reg.VecVirtual) {
	l.asm.Comment("ranks and files: east")
	ours := func(occ, sliders, targets reg.VecVirtual) {
		t := l.eastward(occ, sliders)
		l.tally(l.ternary((inA^inB)&inC, t, occ, targets), l.count)
	}
	theirs := func(occ, sliders reg.VecVirtual) reg.VecVirtual {
		return l.xor(occ, l.eastward(occ, sliders))
	}
	ours(l.occ, l.rank, targets)
	l.ternary(inA|(inB^inC), l.attacked, l.eastward(l.occ, l.th), l.occ)

	l.asm.Comment("west")
	occ := l.reversed(l.occ)
	ours(occ, l.reversed(l.rank), l.reversed(targets))
	west := l.reversed(theirs(occ, l.reversed(l.th)))

	l.asm.Comment("south")
	occ = l.mirrored(l.occ)
	file, enemy, to := l.mirrored(l.file), l.mirrored(l.th), l.mirrored(targets)
	ours(occ, file, to)
	south := theirs(occ, enemy)

	l.asm.Comment("north")
	occ = l.reversed(occ)
	ours(occ, l.reversed(file), l.reversed(to))
	south = l.or(south, l.reversed(theirs(occ, l.reversed(enemy))))
	l.ternary(inA|inB|inC, l.attacked, west, l.mirrored(south))
}

// countOblique counts bishop moves and adds to attacked what theirs attack:
// one fill for each direction and side, with the empty squares to go through
// shared. Source: CPW "Kogge-Stone Algorithm".
func (l *lanes) countOblique(targets reg.VecVirtual) {
	for _, d := range []struct {
		name  string
		by    int
		wrap  reg.VecVirtual
		moves reg.VecVirtual
	}{
		{"north-east", 9, l.notA, l.rise}, {"south-west", -9, l.notH, l.rise},
		{"north-west", 7, l.notH, l.fall}, {"south-east", -7, l.notA, l.fall},
	} {
		l.asm.Comment("fill " + d.name)
		through := l.andNot(d.wrap, l.occ)
		ours, theirs := l.copied(d.moves), l.copied(l.td)
		for by := d.by; ; by *= 2 {
			const fill = inA | inB&inC
			ours = l.ternary(fill, ours, l.shift(ours, by), through)
			theirs = l.ternary(fill, theirs, l.shift(theirs, by), through)
			if by == 4*d.by {
				break
			}
			through = l.and(through, l.shift(through, by))
		}
		ours = l.ternary(inA&inB&inC, l.shift(ours, d.by), d.wrap, targets)
		l.tally(ours, l.count)
		l.ternary(inA|inB&inC, l.attacked, l.shift(theirs, d.by), d.wrap)
	}
}

// countKing counts our king's steps.
func (l *lanes) countKing() {
	l.asm.Comment("king")
	steps := l.copied(l.us)
	l.tally(l.ternary(inC&^(inA|inB), steps, l.attacked, l.kingWord(kingRing)), l.count)
}

// countCastling counts castling to a wing of ours for which the right stands.
func (l *lanes) countCastling(wing operand.Mem, one reg.VecVirtual) {
	const orAnd = inA | inB&inC
	bar := l.and(wing.Offset(wingEmpty), l.occ)
	bar = l.ternary(orAnd, bar, l.attacked, wing.Offset(wingSafe))
	lost := l.or(l.pinRank, l.to)
	bar = l.ternary(orAnd, bar, lost, wing.Offset(wingRook))
	legal := l.asm.K()
	l.asm.VPTESTNMQ(bar, bar, legal)
	l.asm.VPADDQ(one, l.count, legal, l.count)
}
