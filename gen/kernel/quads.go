package kernel

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/tabula-chess/tabula/internal/geom"
)

// quads emits steps on four children of one position, one in each lane; the
// method is that of lanes. Sets live in memory, in the slots below.
type quads struct {
	ymm
	memory operand.Mem // slots, aligned to cache lines
	king   operand.Mem // the row of our king

	lut, nibble reg.VecVirtual // for tally
	count       reg.VecVirtual // of legal moves, by byte of the board
	attacked    reg.VecVirtual // by them
}

// Slots of quads, one vector each.
const (
	slotParent = iota // five sets of theirs and four of ours, as in a frame
	_
	_
	_
	_
	_
	_
	_
	_
	slotUsAll
	slotThemAll

	slotTo // where the enemy has moved
	slotP  // ours
	slotN
	slotD
	slotH
	slotTP // theirs
	slotTN
	slotTD
	slotTH
	slotTK
	slotUs
	slotThem
	slotOcc
	slotAttacked
	slotTargets

	slotMask // the check mask, and what may move along which axis; see view
	slotFile
	slotRank
	slotRise
	slotFall
	slotPush
	slotLeft
	slotRight
	slotHops
	slotPinRank

	slotSum
	slots
)

func (q *quads) slot(i int) operand.Mem { return q.memory.Offset(quadSize * i) }

func (q *quads) put(a reg.VecVirtual, slot int) { q.asm.VMOVDQU(a, q.slot(slot)) }

// kingWord returns a word of our king's row in every lane.
func (q *quads) kingWord(w int) reg.VecVirtual { return q.broadcast(q.king.Offset(8 * w)) }

// tally adds the number of squares of a to the counts, by halves of bytes.
// Source: Muła, Kurz, Lemire, "Faster Population Counts Using AVX2
// Instructions".
func (q *quads) tally(a reg.VecVirtual) {
	low, high := q.and(q.nibble, a), q.asm.YMM()
	q.asm.VPSRLW(operand.U8(4), a, high)
	q.asm.VPAND(q.nibble, high, high)
	q.asm.VPSHUFB(low, q.lut, low)
	q.asm.VPSHUFB(high, q.lut, high)
	q.asm.VPADDB(low, q.count, q.count)
	q.asm.VPADDB(high, q.count, q.count)
}

// make builds the children: the squares that the moving piece leaves and
// reaches change in the sets that hold it, and what stood on the target goes.
func (q *quads) make(step operand.Mem) {
	q.asm.Comment("make: the children in lanes, each from the parent and two squares")
	move, themAll := q.get(step), q.get(q.slot(slotThemAll))
	to := q.andNot(move, themAll)
	from := q.and(move, themAll)
	q.put(to, slotTo)
	q.put(q.xor(move, themAll), slotThem)
	for i := range 5 {
		stays := q.empty(q.and(q.slot(slotParent+i), from))
		moves := q.andNot(move, stays)
		q.put(q.xor(q.slot(slotParent+i), moves), slotTP+i)
	}
	for i := range 4 {
		q.put(q.andNot(q.slot(slotParent+5+i), to), slotP+i)
	}
	q.put(q.andNot(q.slot(slotUsAll), to), slotUs)
}

// makeSpecial corrects promotions, castling and en passant, which make has
// taken for pawn moves and for no move.
func (q *quads) makeSpecial(s special) {
	q.asm.Comment("promotions, castling, en passant")
	kinds := q.asm.YMM()
	q.asm.VPMOVZXBQ(s.kinds, kinds)
	toggle := func(kind int, bits reg.VecVirtual, sets ...int) {
		k := q.asm.YMM()
		q.asm.VPCMPEQQ(q.quad(uint64(kind)), kinds, k)
		change := q.and(bits, k)
		for _, set := range sets {
			q.put(q.xor(q.slot(set), change), set)
		}
	}
	to := q.get(q.slot(slotTo))
	toggle(kindPromoteKnight, to, slotTP, slotTN)
	toggle(kindPromoteKnight+1, to, slotTP, slotTD)
	toggle(kindPromoteKnight+2, to, slotTP, slotTH)
	toggle(kindPromoteQueen, to, slotTP, slotTD, slotTH)
	for wing, words := range s.castle {
		toggle(kindCastleKing+wing, q.broadcast(words), slotTK)
		toggle(kindCastleKing+wing, q.broadcast(words.Offset(8)), slotTH)
		toggle(kindCastleKing+wing, q.broadcast(words.Offset(16)), slotThem)
	}
	toggle(kindEnPassant, q.shift(to, 8), slotP, slotUs)
}

// shiftAnd returns a shifted, without what wraps around.
func (q *quads) shiftAnd(a reg.VecVirtual, by int, wrap uint64) reg.VecVirtual {
	return q.and(q.quad(wrap), q.shift(a, by))
}

// leapers starts the set of attacked squares with pawns, knights and king, and
// returns the pawns and knights that give check.
func (q *quads) leapers() (checkers reg.VecVirtual) {
	q.asm.Comment("attacked by pawns, knights and king")
	tp := q.get(q.slot(slotTP))
	a := q.or(q.shiftAnd(tp, -7, notA), q.shiftAnd(tp, -9, notH))
	tn := q.get(q.slot(slotTN))
	one := q.or(q.shiftAnd(tn, 1, notA), q.shiftAnd(tn, -1, notH))
	two := q.or(q.shiftAnd(tn, 2, notAB), q.shiftAnd(tn, -2, notGH))
	a = q.or(a, q.or(q.shift(one, 16), q.shift(one, -16)))
	a = q.or(a, q.or(q.shift(two, 8), q.shift(two, -8)))
	tk := q.get(q.slot(slotTK))
	row := q.or(q.shiftAnd(tk, 1, notA), q.shiftAnd(tk, -1, notH))
	rows := q.or(row, tk)
	a = q.or(q.or(a, row), q.or(q.shift(rows, 8), q.shift(rows, -8)))
	q.put(a, slotAttacked)
	return q.or(q.and(q.kingWord(kingKnight), tn), q.and(q.kingWord(kingPawn), tp))
}

// view says which slots hold what may move along which axis, and whether
// there is a check mask.
type view struct {
	file, rank, rise, fall, push, left, right, hops int
	masked                                          bool
}

var (
	calmView  = view{slotH, slotH, slotD, slotD, slotP, slotP, slotP, slotN, false}
	tenseView = view{slotFile, slotRank, slotRise, slotFall, slotPush, slotLeft, slotRight, slotHops, true}
)

// guard finds checks and pins. It jumps to calm if no slider stands on a line
// of our king and there is no check; otherwise it fills the slots of tenseView.
func (q *quads) guard(checkers reg.VecVirtual, calm string) {
	q.asm.Comment("guard: is a slider on a line of our king, or is there a check?")
	straight := q.and(q.slot(slotTH), q.kingWord(kingRookRays))
	oblique := q.and(q.slot(slotTD), q.kingWord(kingBishopRays))
	q.skipUnless(q.or(checkers, q.or(straight, oblique)), calm)

	mask := q.asm.YMM()
	q.asm.VMOVDQA(checkers, mask)
	pins := [4]reg.VecVirtual{q.zero(), q.zero(), q.zero(), q.zero()} // by direction mod 4
	none := q.label("noRook")
	q.skipUnless(straight, none)
	for _, dir := range []int{geom.North, geom.East, geom.South, geom.West} {
		q.line(dir, slotTH, mask, checkers, pins[dir&3])
	}
	q.asm.Label(none)
	none = q.label("noBishop")
	q.skipUnless(oblique, none)
	for _, dir := range []int{geom.NorthEast, geom.SouthEast, geom.SouthWest, geom.NorthWest} {
		q.line(dir, slotTD, mask, checkers, pins[dir&3])
	}
	q.asm.Label(none)

	q.asm.Comment("check mask: all without a check, none in double check")
	mask = q.or(mask, q.empty(checkers))
	rest := q.and(checkers, q.add(q.quad(^uint64(0)), checkers))
	q.put(q.and(mask, q.empty(rest)), slotMask)

	q.asm.Comment("pinned pieces move along the axis of their pin only")
	q.put(pins[2], slotPinRank)
	pinned := q.or(q.or(pins[0], pins[1]), q.or(pins[2], pins[3]))
	for _, m := range []struct{ all, free, axis int }{
		{slotH, slotFile, 0}, {slotD, slotRise, 1}, {slotH, slotRank, 2}, {slotD, slotFall, 3},
		{slotP, slotPush, 0}, {slotP, slotRight, 1}, {slotP, slotLeft, 3},
	} {
		q.put(q.andNot(q.slot(m.all), q.xor(pins[m.axis], pinned)), m.free)
	}
	q.put(q.andNot(q.slot(slotN), pinned), slotHops)
}

// line looks along one ray of our king: a slider met first gives check, one
// met second pins what was met first.
func (q *quads) line(dir, sliders int, mask, checkers, pins reg.VecVirtual) {
	q.asm.Commentf("line %d", dir)
	ray := q.kingWord(kingRays + dir)
	blockers := q.and(q.slot(slotOcc), ray)
	// met returns the ray up to the first of the blockers.
	met := func(blockers reg.VecVirtual) reg.VecVirtual {
		return q.and(ray, q.xor(blockers, q.add(q.quad(^uint64(0)), blockers)))
	}
	if by := map[int]int{geom.East: 1, geom.NorthWest: 7, geom.North: 8, geom.NorthEast: 9}[dir^4]; by != 0 {
		met = func(blockers reg.VecVirtual) reg.VecVirtual {
			beyond := q.shift(blockers, -by)
			for _, n := range []int{by, 2 * by, 4 * by} {
				beyond = q.or(beyond, q.shift(beyond, -n))
			}
			return q.andNot(ray, beyond)
		}
	}
	seen := met(blockers)
	first := q.and(seen, blockers)
	rest := q.xor(first, blockers)
	second := q.and(q.slot(sliders), q.and(rest, met(rest)))
	q.asm.VPOR(pins, q.andNot(first, q.empty(second)), pins)

	checker := q.and(q.slot(sliders), seen)
	q.asm.VPOR(checker, checkers, checkers)
	none := q.empty(checker)
	q.asm.VPOR(mask, q.andNot(seen, none), mask)
	q.asm.Comment("the checker also attacks the square behind our king")
	behind := q.andNot(q.kingWord(kingNeighbours+dir^4), none)
	q.put(q.or(q.slot(slotAttacked), behind), slotAttacked)
}

// countPawns counts pushes and captures; promotions are told by a branch.
func (q *quads) countPawns(v view) {
	q.asm.Comment("pawns")
	occ := q.get(q.slot(slotOcc))
	one := q.andNot(q.shift(q.get(q.slot(v.push)), 8), occ)
	two := q.andNot(q.shift(q.and(q.quad(rank3), one), 8), occ)
	left, right := q.shiftAnd(q.get(q.slot(v.left)), 7, notH), q.shiftAnd(q.get(q.slot(v.right)), 9, notA)
	left, right = q.and(q.slot(slotThem), left), q.and(q.slot(slotThem), right)
	one = q.or(one, two)
	one = q.or(left, one)
	if v.masked {
		one, right = q.and(q.slot(slotMask), one), q.and(q.slot(slotMask), right)
	}
	q.tally(one)
	q.tally(right)
	none := q.label("noPromotion")
	q.asm.VPTEST(q.quad(rank8), q.or(one, right))
	q.asm.JZ(operand.LabelRef(none))
	one, right = q.shift(one, -56), q.shift(right, -56)
	for range 3 {
		q.tally(one)
		q.tally(right)
	}
	q.asm.Label(none)
}

// countKnights counts by knight, whose square is the same in all lanes; for list see
// eachKnight.
func (q *quads) countKnights(v view, list operand.Mem) {
	q.eachKnight(list, func(square, attacks operand.Mem) {
		gone := q.empty(q.and(q.slot(v.hops), q.broadcast(square)))
		q.tally(q.and(q.slot(slotTargets), q.andNot(q.broadcast(attacks), gone)))
	})
}

// countEast counts rook moves to the east and adds what theirs attack there:
// o^(o-2r) by bytes, as in lanes.
func (q *quads) countEast(v view) {
	q.asm.Comment("east")
	occ := q.get(q.slot(slotOcc))
	eastward := func(slot int) reg.VecVirtual {
		t := q.get(q.slot(slot))
		q.asm.VPADDB(t, t, t)
		q.asm.VPSUBB(t, occ, t)
		return q.xor(occ, t)
	}
	q.tally(q.and(q.slot(slotTargets), eastward(v.rank)))
	q.asm.VPOR(q.slot(slotAttacked), eastward(slotTH), q.attacked)
}

// countFill counts slider moves in one direction and adds what theirs attack:
// one fill for each side, with the empty squares to go through shared. Source:
// CPW "Kogge-Stone Algorithm". A wrap of zero keeps all.
func (q *quads) countFill(name string, by int, wrap uint64, moves, enemy int) {
	q.asm.Comment("fill " + name)
	keep := wrap
	if keep == 0 {
		keep = ^uint64(0)
	}
	through := q.andNot(q.quad(keep), q.get(q.slot(slotOcc)))
	ours, theirs := q.get(q.slot(moves)), q.get(q.slot(enemy))
	for n := by; ; n *= 2 {
		for _, set := range []reg.VecVirtual{ours, theirs} {
			q.asm.VPOR(q.and(through, q.shift(set, n)), set, set)
		}
		if n == 4*by {
			break
		}
		through = q.and(through, q.shift(through, n))
	}
	ours, theirs = q.and(q.slot(slotTargets), q.shift(ours, by)), q.shift(theirs, by)
	if wrap != 0 {
		ours, theirs = q.and(q.quad(wrap), ours), q.and(q.quad(wrap), theirs)
	}
	q.tally(ours)
	q.asm.VPOR(theirs, q.attacked, q.attacked)
}

// countPieces counts the moves of all but the king.
func (q *quads) countPieces(v view, knights operand.Mem) {
	targets := q.quad(^uint64(0))
	if v.masked {
		targets = q.slot(slotMask)
	}
	q.put(q.andNot(targets, q.get(q.slot(slotUs))), slotTargets)
	q.asm.VPXOR(q.count, q.count, q.count)
	q.countPawns(v)
	q.countKnights(v, knights)
	q.countEast(v)
	q.countFill("west", -1, notH, v.rank, slotTH)
	q.countFill("north", 8, 0, v.file, slotTH)
	q.countFill("south", -8, 0, v.file, slotTH)
	q.countFill("north-east", 9, notA, v.rise, slotTD)
	q.countFill("south-west", -9, notH, v.rise, slotTD)
	q.countFill("north-west", 7, notH, v.fall, slotTD)
	q.countFill("south-east", -7, notA, v.fall, slotTD)
}

// countKing counts our king's steps.
func (q *quads) countKing() {
	q.asm.Comment("king")
	q.tally(q.andNot(q.kingWord(kingRing), q.or(q.slot(slotUs), q.attacked)))
}

// countCastling counts castling to a wing of ours for which the right stands.
func (q *quads) countCastling(wing operand.Mem, counts reg.VecVirtual) {
	bar := q.and(q.slot(slotOcc), q.broadcast(wing.Offset(wingEmpty)))
	bar = q.or(bar, q.and(q.attacked, q.broadcast(wing.Offset(wingSafe))))
	lost := q.or(q.slot(slotPinRank), q.get(q.slot(slotTo)))
	bar = q.or(bar, q.and(lost, q.broadcast(wing.Offset(wingRook))))
	q.asm.VPSUBQ(q.empty(bar), counts, counts)
}
