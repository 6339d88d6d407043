package kernel

import (
	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/tables/index"
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

// value is a vector of lanes, a register or memory of a machine.
type value any

// machine emits operations on lanes of 64 bits, one position in each.
type machine interface {
	pairwise
	// or3, and3, orAnd and xorAnd do not keep b. A c of nil is the whole board.
	or3(a, b, c value) value
	and3(a, b, c value) value
	orAnd(a, b, c value) value  // a | b&c
	xorAnd(a, b, c value) value // (a^b) & c

	join(to, a value)       // to |= a
	joinAnd(to, a, b value) // to |= a & b; a b of nil is the whole board

	meet(a, b value) value                      // the lanes in which a and b share a square, for where
	where(x, lanes value) value                 // x in some lanes
	whereEqual(x, a, b value) value             // x in the lanes in which a is b
	whereEmpty(x, a value) value                // x in the lanes in which a holds no square
	countEmpty(a, counts value)                 // adds one to counts in the lanes in which a holds no square
	downTo(part, blockers value, by int) value  // part of a ray, each step by squares lower, to the first of the blockers
	eastward(occ, sliders, targets value) value // which targets sliders attack to the east; nil: all squares
}

// pairwise is what every machine has. Operations return new registers, but for assign and put.
type pairwise interface {
	and(a, b value) value
	or(a, b value) value
	xor(a, b value) value
	andNot(a, b value) value // a without the squares of b
	shift(a value, by int) value
	lowered(a value) value // a - 1
	zero() value
	assign(to, a value)

	slot(i int) value
	held(i int) value // a slot that is read more than once, in a register where there are enough
	put(a value, slot int)
	quad(w uint64) value  // a constant in every lane
	kingWord(w int) value // a word of our king's row in every lane
	reach(dir int) value  // from where sliders matter to our king or castling
	// turns returns how to turn a board: every rank from right to left, files as ranks so that
	// south becomes east; nil for what takes long. Each is its own inverse.
	turns() (reversed, mirrored func(a value) value)
	tally(a, counts value)               // adds the squares of a to counts
	skipUnless(a, b value, label string) // jumps to label if a and b share no square in any lane

	label(name string) string
	place(label string)
	jump(label string)
	comment(format string, args ...any)
}

// composed is a machine made of one without operations on three sets and masks.
type composed struct{ twoSets }

// twoSets is what composed makes a machine of.
type twoSets interface {
	pairwise
	empty(a value) value    // all ones in the lanes in which a holds no square
	equal(a, b value) value // all ones in the lanes in which a is b
	minus(from, a value)    // from -= a
	attacksEast(occ, sliders value) value
}

func (m composed) or3(a, b, c value) value { return m.or(a, m.or(b, c)) }

func (m composed) and3(a, b, c value) value {
	if c != nil {
		b = m.and(c, b)
	}
	return m.and(a, b)
}

func (m composed) orAnd(a, b, c value) value {
	if c != nil {
		b = m.and(c, b)
	}
	return m.or(a, b)
}

func (m composed) xorAnd(a, b, c value) value { return m.and(c, m.xor(a, b)) }
func (m composed) join(to, a value)           { m.assign(to, m.or(to, a)) }
func (m composed) joinAnd(to, a, b value)     { m.assign(to, m.orAnd(to, a, b)) }

func (m composed) meet(a, b value) value {
	if a != b {
		a = m.and(a, b)
	}
	return m.empty(a)
}

func (m composed) where(x, lanes value) value     { return m.andNot(x, lanes) }
func (m composed) whereEqual(x, a, b value) value { return m.and(x, m.equal(a, b)) }
func (m composed) whereEmpty(x, a value) value    { return m.and(x, m.empty(a)) }
func (m composed) countEmpty(a, counts value)     { m.minus(counts, m.empty(a)) }

func (m composed) eastward(occ, sliders, targets value) value {
	attacked := m.attacksEast(occ, sliders)
	if targets == nil {
		return attacked
	}
	return m.and(targets, attacked)
}

func (m composed) downTo(part, blockers value, by int) value {
	beyond := m.shift(blockers, -by)
	for _, n := range []int{by, 2 * by, 4 * by} {
		beyond = m.or(beyond, m.shift(beyond, -n))
	}
	return m.andNot(part, beyond)
}

// lanes emits steps on some children of one position, one in each lane. The side to move in
// the children is "ours"; its king and, but for a captured one, its pieces are the same in
// all of them. Sets live in the slots below.
type lanes struct {
	machine
	count    value // of legal moves, by byte of the board
	attacked value // by them, as far as our king and castling care
}

// Slots of lanes, one vector each.
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

// split returns the square that a move of theirs leaves and the one that it reaches.
func (q *lanes) split(move value) (from, to value) {
	themAll := q.held(slotThemAll)
	return q.and(move, themAll), q.andNot(move, themAll)
}

// make builds the children: the squares that the moving piece leaves and
// reaches change in the sets that hold it, and what stood on the target goes.
func (q *lanes) make(move, from, to value) {
	q.comment("make: the children in lanes, each from the parent and two squares")
	q.put(to, slotTo)
	q.put(q.xor(move, q.held(slotThemAll)), slotThem)
	for i := range 5 {
		parent := q.held(slotParent + i)
		q.put(q.xor(parent, q.where(move, q.meet(parent, from))), slotTP+i)
	}
	for i := range 4 {
		q.put(q.andNot(q.slot(slotParent+5+i), to), slotP+i)
	}
	q.put(q.andNot(q.slot(slotUsAll), to), slotUs)
}

// makeSpecial corrects promotions, castling and en passant, which make has
// taken for pawn moves and for no move. Castle returns the king's two squares, the rook's
// two and all of a wing.
func (q *lanes) makeSpecial(kinds value, castle func(wing, word int) value) {
	q.comment("promotions, castling, en passant")
	toggle := func(kind int, bits value, sets ...int) {
		change := q.whereEqual(bits, q.quad(uint64(kind)), kinds)
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
func (q *lanes) shiftAnd(a value, by int, wrap uint64) value {
	return q.and(q.quad(wrap), q.shift(a, by))
}

// leapers starts the set of attacked squares with pawns, knights and king, and
// returns the pawns and knights that give check.
func (q *lanes) leapers() (checkers value) {
	q.comment("attacked by pawns, knights and king")
	tp := q.held(slotTP)
	a := q.orAnd(q.shiftAnd(tp, -7, notA), q.shift(tp, -9), q.quad(notH))
	tn := q.held(slotTN)
	one := q.orAnd(q.shiftAnd(tn, 1, notA), q.shift(tn, -1), q.quad(notH))
	two := q.orAnd(q.shiftAnd(tn, 2, notAB), q.shift(tn, -2), q.quad(notGH))
	a = q.or3(a, q.shift(one, 16), q.shift(one, -16))
	a = q.or3(a, q.shift(two, 8), q.shift(two, -8))
	tk := q.held(slotTK)
	row := q.orAnd(q.shiftAnd(tk, 1, notA), q.shift(tk, -1), q.quad(notH))
	rows := q.or(row, tk)
	a = q.or3(q.or(a, row), q.shift(rows, 8), q.shift(rows, -8))
	q.assign(q.attacked, a)
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
func (q *lanes) guard(checkers value, calm string) {
	q.comment("guard: is a slider on a line of our king, or is there a check?")
	straight := q.and(q.slot(slotTH), q.kingWord(kingRookRays))
	oblique := q.and(q.slot(slotTD), q.kingWord(kingBishopRays))
	any := q.or(checkers, q.or(straight, oblique))
	q.skipUnless(any, any, calm)

	mask := q.zero()
	pins := [4]value{q.zero(), q.zero(), q.zero(), q.zero()} // by direction mod 4
	none := q.label("noRook")
	q.skipUnless(straight, straight, none)
	for _, dir := range []int{geom.North, geom.East, geom.South, geom.West} {
		q.line(dir, slotTH, mask, checkers, pins[dir&3])
	}
	q.place(none)
	none = q.label("noBishop")
	q.skipUnless(oblique, oblique, none)
	for _, dir := range []int{geom.NorthEast, geom.SouthEast, geom.SouthWest, geom.NorthWest} {
		q.line(dir, slotTD, mask, checkers, pins[dir&3])
	}
	q.place(none)

	q.comment("check mask: all without a check, none in double check")
	mask = q.or(q.or(mask, checkers), q.whereEmpty(q.quad(^uint64(0)), checkers))
	rest := q.and(checkers, q.lowered(checkers))
	q.put(q.whereEmpty(mask, rest), slotMask)

	q.comment("pinned pieces move along the axis of their pin only")
	q.put(pins[2], slotPinRank)
	pinned := q.or(q.or(pins[0], pins[1]), q.or(pins[2], pins[3]))
	off := [4]value{} // what may not move along an axis
	for axis, pin := range pins {
		off[axis] = q.xor(pin, pinned)
	}
	for _, m := range []struct{ all, free, axis int }{
		{slotH, slotFile, 0}, {slotD, slotRise, 1}, {slotH, slotRank, 2}, {slotD, slotFall, 3},
		{slotP, slotPush, 0}, {slotP, slotRight, 1}, {slotP, slotLeft, 3},
	} {
		q.put(q.andNot(q.slot(m.all), off[m.axis]), m.free)
	}
	q.put(q.andNot(q.slot(slotN), pinned), slotHops)
}

// line looks along one ray of our king: a slider met first gives check, one
// met second pins what was met first.
func (q *lanes) line(dir, sliders int, mask, checkers, pins value) {
	q.comment("line %d", dir)
	ray, none := q.kingWord(kingRays+dir), q.label("noLine")
	q.skipUnless(q.slot(sliders), ray, none)
	defer q.place(none)
	blockers := q.and(q.slot(slotOcc), ray)
	by := map[int]int{geom.East: 1, geom.NorthWest: 7, geom.North: 8, geom.NorthEast: 9}[dir^4]
	// upTo returns what of a part of the ray lies up to the first of the blockers.
	upTo := func(blockers, part value) value {
		if by == 0 {
			return q.xorAnd(blockers, q.lowered(blockers), part)
		}
		return q.downTo(part, blockers, by)
	}
	seen := upTo(blockers, ray)
	first := q.and(seen, blockers)
	rest := q.xor(first, blockers)
	q.join(pins, q.where(first, q.meet(q.slot(sliders), upTo(rest, rest))))

	checker := q.and(q.slot(sliders), seen)
	q.join(checkers, checker)
	check := q.meet(checker, checker)
	q.join(mask, q.where(seen, check))
	q.comment("the checker also attacks the square behind our king")
	q.join(q.attacked, q.where(q.kingWord(kingNeighbours+dir^4), check))
}

// countPawns counts pushes and captures; promotions are told by a branch.
func (q *lanes) countPawns(v view) {
	q.comment("pawns")
	occ := q.slot(slotOcc)
	one := q.andNot(q.shift(q.slot(v.push), 8), occ)
	two := q.andNot(q.shift(q.and(q.quad(rank3), one), 8), occ)
	left := q.and3(q.slot(slotThem), q.shift(q.slot(v.left), 7), q.quad(notH))
	right := q.and3(q.slot(slotThem), q.shift(q.slot(v.right), 9), q.quad(notA))
	one = q.or3(left, one, two)
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
func (q *lanes) countKnight(v view, square, attacks value) {
	q.tally(q.and(q.slot(slotTargets), q.where(attacks, q.meet(q.slot(v.hops), square))), q.count)
}

// countStraight counts rook moves and adds what theirs attack. Other directions become east
// on boards that are turned, where that is fast.
func (q *lanes) countStraight(v view) {
	q.comment("east")
	q.join(q.attacked, q.countEast(q.slot, v.rank))

	reversed, mirrored := q.turns()
	if reversed == nil {
		q.countFill(geom.West, -1, notH, v.rank, slotTH)
	} else {
		q.comment("west")
		west := q.countEast(func(slot int) value { return reversed(q.slot(slot)) }, v.rank)
		q.join(q.attacked, reversed(west))
	}

	if mirrored == nil {
		q.countFill(geom.North, 8, 0, v.file, slotTH)
		q.countFill(geom.South, -8, 0, v.file, slotTH)
		return
	}
	q.comment("south and north")
	sets := map[int]value{}
	for _, slot := range []int{slotOcc, v.file, slotTH, slotTargets} {
		sets[slot] = mirrored(q.slot(slot))
	}
	south := q.countEast(func(slot int) value { return sets[slot] }, v.file)
	north := q.countEast(func(slot int) value { return reversed(sets[slot]) }, v.file)
	q.join(q.attacked, mirrored(q.or(south, reversed(north))))
}

// countEast counts rook moves to the east on a board whose sets of returns, and returns what
// theirs attack there. Source: CPW "Subtracting a Rook from a Blocking Piece", o^(o-2r), here
// in bytes and for all rooks of a rank together, each borrow ending at the next piece.
func (q *lanes) countEast(of func(slot int) value, rooks int) (attacked value) {
	occ := of(slotOcc)
	q.tally(q.eastward(occ, of(rooks), of(slotTargets)), q.count)
	return q.eastward(occ, of(slotTH), nil)
}

// countFill counts slider moves in one direction and adds what theirs attack, if one of
// them may come next to our king: one fill for each side, with the empty squares to go
// through shared. Source:
// CPW "Kogge-Stone Algorithm". A wrap of zero keeps all.
func (q *lanes) countFill(dir, by int, wrap uint64, moves, enemy int) {
	q.comment("fill %d", dir)
	keep, within := ^uint64(0), value(nil)
	if wrap != 0 {
		keep, within = wrap, q.quad(wrap)
	}
	through := []value{q.andNot(q.quad(keep), q.slot(slotOcc))}
	for n := by; n != 4*by; n *= 2 {
		last := through[len(through)-1]
		through = append(through, q.and(last, q.shift(last, n)))
	}
	fill := func(set value) value {
		for i, empty := range through {
			set = q.orAnd(set, q.shift(set, by<<i), empty)
		}
		return q.shift(set, by)
	}
	q.tally(q.and3(q.slot(slotTargets), fill(q.slot(moves)), within), q.count)
	far := q.label("far")
	q.skipUnless(q.slot(enemy), q.reach(dir), far)
	q.joinAnd(q.attacked, fill(q.slot(enemy)), within)
	q.place(far)
}

// countPieces counts the moves of all but the king.
func (q *lanes) countPieces(v view, eachKnight func(body func(square, attacks value))) {
	targets := q.quad(^uint64(0))
	if v.masked {
		targets = q.slot(slotMask)
	}
	q.put(q.andNot(targets, q.slot(slotUs)), slotTargets)
	q.assign(q.count, q.zero())
	q.countPawns(v)
	eachKnight(func(square, attacks value) { q.countKnight(v, square, attacks) })
	q.sliders(slotH, slotTH, func() { q.countStraight(v) })
	q.sliders(slotD, slotTD, func() {
		q.countFill(geom.NorthEast, 9, notA, v.rise, slotTD)
		q.countFill(geom.SouthWest, -9, notH, v.rise, slotTD)
		q.countFill(geom.NorthWest, 7, notH, v.fall, slotTD)
		q.countFill(geom.SouthEast, -7, notA, v.fall, slotTD)
	})
}

// sliders emits body for positions in which one of the sets holds sliders.
func (q *lanes) sliders(ours, theirs int, body func()) {
	none, any := q.label("noSlider"), q.or(q.slot(ours), q.slot(theirs))
	q.skipUnless(any, any, none)
	body()
	q.place(none)
}

// countMoves counts the moves of the children that make has built. EachKnight emits body for
// our knights.
func (q *lanes) countMoves(eachKnight func(body func(square, attacks value))) {
	q.put(q.or(q.slot(slotUs), q.slot(slotThem)), slotOcc)
	calm, counted := q.label("calm"), q.label("counted")
	q.guard(q.leapers(), calm)
	q.countPieces(tenseView, eachKnight)
	q.jump(counted)
	q.place(calm)
	q.put(q.zero(), slotPinRank)
	q.countPieces(calmView, eachKnight)
	q.place(counted)
	q.countKing()
}

// countKing counts our king's steps.
func (q *lanes) countKing() {
	q.comment("king")
	q.tally(q.andNot(q.kingWord(kingRing), q.or(q.slot(slotUs), q.attacked)), q.count)
}

// countCastling adds castling to a wing of ours for which the right stands to counts by
// lane. Word returns a word of the wing.
func (q *lanes) countCastling(word func(offset int) value, counts value) {
	bar := q.and(q.slot(slotOcc), word(wingEmpty))
	bar = q.or(bar, q.and(q.attacked, word(wingSafe)))
	lost := q.or(q.slot(slotPinRank), q.slot(slotTo))
	bar = q.or(bar, q.and(lost, word(wingRook)))
	q.countEmpty(bar, counts)
}
