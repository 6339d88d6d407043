package kernel

import (
	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/tables/index"
)

// value is a vector of lanes, a register or memory of a machine.
type value any

// machine emits operations on lanes of 64 bits, one position in each. Operations return
// new registers, but for assign, minus and put.
type machine interface {
	and(a, b value) value
	or(a, b value) value
	xor(a, b value) value
	andNot(a, b value) value // a without the squares of b
	shift(a value, by int) value
	lowered(a value) value // a - 1
	zero() value
	empty(a value) value    // all ones in the lanes in which a holds no square
	equal(a, b value) value // all ones in the lanes in which a is b
	assign(to, a value)
	minus(from, a value) // from -= a

	slot(i int) value
	held(i int) value // a slot that is read more than once, in a register where there are enough
	put(a value, slot int)
	quad(w uint64) value                 // a constant in every lane
	kingWord(w int) value                // a word of our king's row in every lane
	reach(dir int) value                 // from where sliders matter to our king or castling
	eastward(occ, sliders value) value   // occ - 2·sliders by ranks, xor occ
	reversed(a value) value              // every rank from right to left; nil where that takes long
	tally(a, counts value)               // adds the squares of a to counts
	skipUnless(a, b value, label string) // jumps to label if a and b share no square in any lane

	label(name string) string
	place(label string)
	jump(label string)
	comment(format string, args ...any)
}

// quads emits steps on some children of one position, one in each lane; the method is that
// of lanes. Sets live in the slots below.
type quads struct {
	machine
	count    value // of legal moves, by byte of the board
	attacked value // by them, as far as our king and castling care
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

var _ = [1]struct{}{}[index.LeavesSlots-slots]

// make builds the children: the squares that the moving piece leaves and
// reaches change in the sets that hold it, and what stood on the target goes.
func (q *quads) make(move value) {
	q.comment("make: the children in lanes, each from the parent and two squares")
	themAll := q.held(slotThemAll)
	to := q.andNot(move, themAll)
	q.put(to, slotTo)
	from := q.and(move, themAll)
	q.put(q.xor(move, themAll), slotThem)
	for i := range 5 {
		parent := q.held(slotParent + i)
		moves := q.andNot(move, q.empty(q.and(parent, from)))
		q.put(q.xor(parent, moves), slotTP+i)
	}
	for i := range 4 {
		q.put(q.andNot(q.slot(slotParent+5+i), to), slotP+i)
	}
	q.put(q.andNot(q.slot(slotUsAll), to), slotUs)
}

// makeSpecial corrects promotions, castling and en passant, which make has
// taken for pawn moves and for no move. Castle returns the king's two squares, the rook's
// two and all of a wing.
func (q *quads) makeSpecial(kinds value, castle func(wing, word int) value) {
	q.comment("promotions, castling, en passant")
	toggle := func(kind int, bits value, sets ...int) {
		change := q.and(bits, q.equal(q.quad(uint64(kind)), kinds))
		for _, set := range sets {
			q.put(q.xor(q.slot(set), change), set)
		}
	}
	to := q.held(slotTo)
	toggle(kindPromoteKnight, to, slotTP, slotTN)
	toggle(kindPromoteKnight+1, to, slotTP, slotTD)
	toggle(kindPromoteKnight+2, to, slotTP, slotTH)
	toggle(kindPromoteQueen, to, slotTP, slotTD, slotTH)
	for wing := range 2 {
		toggle(kindCastleKing+wing, castle(wing, 0), slotTK)
		toggle(kindCastleKing+wing, castle(wing, 1), slotTH)
		toggle(kindCastleKing+wing, castle(wing, 2), slotThem)
	}
	toggle(kindEnPassant, q.shift(to, 8), slotP, slotUs)
}

// shiftAnd returns a shifted, without what wraps around.
func (q *quads) shiftAnd(a value, by int, wrap uint64) value {
	return q.and(q.quad(wrap), q.shift(a, by))
}

// leapers starts the set of attacked squares with pawns, knights and king, and
// returns the pawns and knights that give check.
func (q *quads) leapers() (checkers value) {
	q.comment("attacked by pawns, knights and king")
	tp := q.held(slotTP)
	a := q.or(q.shiftAnd(tp, -7, notA), q.shiftAnd(tp, -9, notH))
	tn := q.held(slotTN)
	one := q.or(q.shiftAnd(tn, 1, notA), q.shiftAnd(tn, -1, notH))
	two := q.or(q.shiftAnd(tn, 2, notAB), q.shiftAnd(tn, -2, notGH))
	a = q.or(a, q.or(q.shift(one, 16), q.shift(one, -16)))
	a = q.or(a, q.or(q.shift(two, 8), q.shift(two, -8)))
	tk := q.held(slotTK)
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
func (q *quads) guard(checkers value, calm string) {
	q.comment("guard: is a slider on a line of our king, or is there a check?")
	straight := q.and(q.slot(slotTH), q.kingWord(kingRookRays))
	oblique := q.and(q.slot(slotTD), q.kingWord(kingBishopRays))
	any := q.or(checkers, q.or(straight, oblique))
	q.skipUnless(any, any, calm)

	mask, every := q.zero(), q.zero()
	q.assign(mask, checkers)
	q.assign(every, checkers)
	pins := [4]value{q.zero(), q.zero(), q.zero(), q.zero()} // by direction mod 4
	none := q.label("noRook")
	q.skipUnless(straight, straight, none)
	for _, dir := range []int{geom.North, geom.East, geom.South, geom.West} {
		q.line(dir, slotTH, mask, every, pins[dir&3])
	}
	q.place(none)
	none = q.label("noBishop")
	q.skipUnless(oblique, oblique, none)
	for _, dir := range []int{geom.NorthEast, geom.SouthEast, geom.SouthWest, geom.NorthWest} {
		q.line(dir, slotTD, mask, every, pins[dir&3])
	}
	q.place(none)

	q.comment("check mask: all without a check, none in double check")
	mask = q.or(mask, q.empty(every))
	rest := q.and(every, q.lowered(every))
	q.put(q.and(mask, q.empty(rest)), slotMask)

	q.comment("pinned pieces move along the axis of their pin only")
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
func (q *quads) line(dir, sliders int, mask, checkers, pins value) {
	q.comment("line %d", dir)
	ray, none := q.kingWord(kingRays+dir), q.label("noLine")
	q.skipUnless(q.slot(sliders), ray, none)
	defer q.place(none)
	blockers := q.and(q.slot(slotOcc), ray)
	// met returns the ray up to the first of the blockers.
	met := func(blockers value) value {
		return q.and(ray, q.xor(blockers, q.lowered(blockers)))
	}
	if by := map[int]int{geom.East: 1, geom.NorthWest: 7, geom.North: 8, geom.NorthEast: 9}[dir^4]; by != 0 {
		met = func(blockers value) value {
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
	q.assign(pins, q.or(pins, q.andNot(first, q.empty(second))))

	checker := q.and(q.slot(sliders), seen)
	q.assign(checkers, q.or(checker, checkers))
	no := q.empty(checker)
	q.assign(mask, q.or(mask, q.andNot(seen, no)))
	q.comment("the checker also attacks the square behind our king")
	behind := q.andNot(q.kingWord(kingNeighbours+dir^4), no)
	q.put(q.or(q.slot(slotAttacked), behind), slotAttacked)
}

// countPawns counts pushes and captures; promotions are told by a branch.
func (q *quads) countPawns(v view) {
	q.comment("pawns")
	occ := q.slot(slotOcc)
	one := q.andNot(q.shift(q.slot(v.push), 8), occ)
	two := q.andNot(q.shift(q.and(q.quad(rank3), one), 8), occ)
	left, right := q.shiftAnd(q.slot(v.left), 7, notH), q.shiftAnd(q.slot(v.right), 9, notA)
	left, right = q.and(q.slot(slotThem), left), q.and(q.slot(slotThem), right)
	one = q.or(one, two)
	one = q.or(left, one)
	if v.masked {
		one, right = q.and(q.slot(slotMask), one), q.and(q.slot(slotMask), right)
	}
	q.tally(one, q.count)
	q.tally(right, q.count)
	none := q.label("noPromotion")
	q.skipUnless(q.quad(rank8), q.or(one, right), none)
	one, right = q.shift(one, -56), q.shift(right, -56)
	for range 3 {
		q.tally(one, q.count)
		q.tally(right, q.count)
	}
	q.place(none)
}

// countKnight counts the moves of a knight, whose square is the same in all lanes.
func (q *quads) countKnight(v view, square, attacks value) {
	gone := q.empty(q.and(q.slot(v.hops), square))
	q.tally(q.and(q.slot(slotTargets), q.andNot(attacks, gone)), q.count)
}

// countEast counts rook moves to the east and adds what theirs attack there:
// o^(o-2r) by bytes, as in lanes.
func (q *quads) countEast(v view) {
	q.comment("east")
	occ := q.slot(slotOcc)
	q.tally(q.and(q.slot(slotTargets), q.eastward(occ, q.slot(v.rank))), q.count)
	q.assign(q.attacked, q.or(q.attacked, q.eastward(occ, q.slot(slotTH))))
}

// countWest counts rook moves to the west on the board that is reversed, where that is
// fast.
func (q *quads) countWest(v view) {
	occ := q.reversed(q.slot(slotOcc))
	if occ == nil {
		q.countFill(geom.West, -1, notH, v.rank, slotTH)
		return
	}
	q.comment("west")
	q.tally(q.and(q.reversed(q.slot(slotTargets)), q.eastward(occ, q.reversed(q.slot(v.rank)))), q.count)
	q.assign(q.attacked, q.or(q.attacked, q.reversed(q.eastward(occ, q.reversed(q.slot(slotTH))))))
}

// countFill counts slider moves in one direction and adds what theirs attack, if one of
// them may come next to our king: one fill for each side, with the empty squares to go
// through shared. Source:
// CPW "Kogge-Stone Algorithm". A wrap of zero keeps all.
func (q *quads) countFill(dir, by int, wrap uint64, moves, enemy int) {
	q.comment("fill %d", dir)
	keep := wrap
	if keep == 0 {
		keep = ^uint64(0)
	}
	through := []value{q.andNot(q.quad(keep), q.slot(slotOcc))}
	for n := by; n != 4*by; n *= 2 {
		last := through[len(through)-1]
		through = append(through, q.and(last, q.shift(last, n)))
	}
	fill := func(set value) value {
		for i, empty := range through {
			set = q.or(q.and(empty, q.shift(set, by<<i)), set)
		}
		if set = q.shift(set, by); wrap != 0 {
			set = q.and(q.quad(wrap), set)
		}
		return set
	}
	q.tally(q.and(q.slot(slotTargets), fill(q.slot(moves))), q.count)
	far := q.label("far")
	q.skipUnless(q.slot(enemy), q.reach(dir), far)
	q.assign(q.attacked, q.or(q.attacked, fill(q.slot(enemy))))
	q.place(far)
}

// countPieces counts the moves of all but the king.
func (q *quads) countPieces(v view, eachKnight func(body func(square, attacks value))) {
	targets := q.quad(^uint64(0))
	if v.masked {
		targets = q.slot(slotMask)
	}
	q.put(q.andNot(targets, q.slot(slotUs)), slotTargets)
	q.assign(q.count, q.zero())
	q.countPawns(v)
	eachKnight(func(square, attacks value) { q.countKnight(v, square, attacks) })
	q.assign(q.attacked, q.slot(slotAttacked))
	q.sliders(slotH, slotTH, func() {
		q.countEast(v)
		q.countWest(v)
		q.countFill(geom.North, 8, 0, v.file, slotTH)
		q.countFill(geom.South, -8, 0, v.file, slotTH)
	})
	q.sliders(slotD, slotTD, func() {
		q.countFill(geom.NorthEast, 9, notA, v.rise, slotTD)
		q.countFill(geom.SouthWest, -9, notH, v.rise, slotTD)
		q.countFill(geom.NorthWest, 7, notH, v.fall, slotTD)
		q.countFill(geom.SouthEast, -7, notA, v.fall, slotTD)
	})
}

// sliders emits body for positions in which one of the sets holds sliders.
func (q *quads) sliders(ours, theirs int, body func()) {
	none, any := q.label("noSlider"), q.or(q.slot(ours), q.slot(theirs))
	q.skipUnless(any, any, none)
	body()
	q.place(none)
}

// countKing counts our king's steps.
func (q *quads) countKing() {
	q.comment("king")
	q.tally(q.andNot(q.kingWord(kingRing), q.or(q.slot(slotUs), q.attacked)), q.count)
}

// countCastling adds castling to a wing of ours for which the right stands to counts by
// lane. Word returns a word of the wing.
func (q *quads) countCastling(word func(offset int) value, counts value) {
	bar := q.and(q.slot(slotOcc), word(wingEmpty))
	bar = q.or(bar, q.and(q.attacked, word(wingSafe)))
	lost := q.or(q.slot(slotPinRank), q.slot(slotTo))
	bar = q.or(bar, q.and(lost, word(wingRook)))
	q.minus(counts, q.empty(bar))
}
