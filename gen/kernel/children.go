package kernel

import (
	"github.com/tabula-chess/tabula/internal/geom"
)

// Vectors in index.CountingNode.Sets that children fetch by the lane of their parent.
const (
	slotOurs        = 0
	slotTheirs      = slotOurs + sideSets
	slotUs          = slotTheirs + sideSets
	slotThem        = slotUs + 1
	slotRights      = slotThem + 1
	slotKnight      = slotRights + 1 // what a knight, a pawn and a king would attack from our king's square
	slotPawn        = slotKnight + 1
	slotRing        = slotPawn + 1
	slotRays        = slotRing + 1 // from our king, by direction
	slotRookLines   = slotRays + geom.Directions
	slotBishopLines = slotRookLines + 1
	slotRankPins    = slotBishopLines + 1 // ours that are pinned on a rank
	slotCounts      = slotRankPins + 1    // of children
	slots           = slotCounts + 1
)

// Kinds of moves: the upper four bits of a chess.Move, 0 for most.
const (
	promotions    = 4 // to a knight; what other pieces have follows
	enPassantKind = 8
	castling      = 12
)

// childVector is a vector of children in a list.
type childVector struct {
	from, to, kind value
	parent         func(slot int) set
}

// children emits the count of what siblings list: a vector of children in lanes.
type children struct {
	*vectors
	board
	childVector
	attacked set // by them, as far as our king and castling care
	targets  set
	pinned   [4]set // ours, by axis
}

// move makes the children.
func (c *children) move(e childVector) {
	c.part("children in lanes")
	c.childVector = e
	from, to := c.variable(e.from), c.variable(e.to)
	var ours, theirs [sideSets]value
	for i := range sideSets {
		ours[i], theirs[i] = e.parent(slotOurs+i), e.parent(slotTheirs+i)
	}
	special := func() { c.liftCastling(e.kind, from, to) }
	c.when(e.kind, 0.1, special)
	c.theirs, c.ours, c.them, c.us = c.made(theirs, ours, e.parent(slotThem), e.parent(slotUs), from, to)
	c.ours[kings] = ours[kings].(set)
	for i := range sideSets {
		c.theirs[i] = c.variable(c.theirs[i])
	}
	c.ours[pawns], c.us, c.them = c.variable(c.ours[pawns]), c.variable(c.us), c.variable(c.them)
	c.when(e.kind, 0.1, func() {
		c.makeSpecial(e.kind, e.to, &c.theirs, &c.them, nodeTheir)
		taken := c.where(c.shift(to, 8), c.equal(e.kind, c.constant(enPassantKind)))
		c.assign(c.ours[pawns], c.andNot(c.ours[pawns], taken))
		c.assign(c.us, c.andNot(c.us, taken))
	})
	c.occ = c.or(c.us, c.them)
	c.empty = c.xor(c.occ, c.constant(^uint64(0)))
}

// liftCastling takes the squares away from moves that are castling.
func (q *vectors) liftCastling(kind value, from, to set) {
	castles := q.equal(kind, q.constant(castling))
	q.assign(from, q.andNot(from, q.where(from, castles)))
	q.assign(to, q.andNot(to, q.where(to, castles)))
}

// makeSpecial corrects the mover's sets for promotions and castling, whose rook's square is to.
func (q *vectors) makeSpecial(kind, to value, mover *[sideSets]set, all *set, wings int) {
	toggle := func(squares value, in lanes, sets ...set) {
		for _, s := range sets {
			q.assign(s, q.xor(s, q.where(squares, in)))
		}
	}
	for i, sets := range [][]set{moverKnight: {mover[knights]}, moverBishop: {mover[diagonal]},
		moverRook: {mover[straight]}, moverQueen: {mover[diagonal], mover[straight]}} {
		toggle(to, q.equal(kind, q.constant(promotions+uint64(i))), append(sets, mover[pawns])...)
	}
	rook := q.where(to, q.equal(kind, q.constant(castling)))
	for wing := range 2 {
		word := func(of int) value { return q.word(wings + wing*wingSize + of) }
		in := q.meet(rook, word(wingRook))
		toggle(word(wingKing), in, mover[kings])
		toggle(word(wingTower), in, mover[straight])
		toggle(word(wingBoth), in, *all)
	}
}

// leapers returns what their pawns, knights and king attack.
func (c *children) leapers() set {
	return c.any(c.downward(c.theirs[pawns]), c.knightSteps(c.theirs[knights]), c.kingSteps(c.theirs[kings]))
}

// countNear returns the number of moves of our king.
func (c *children) countNear() set {
	c.part("the moves of our king")
	c.attacked = c.variable(c.leapers())
	c.eachSlider(func(dir int, p passage) {
		c.join(c.attacked, c.slide(c.theirs[sliding(dir)], p, dir))
	}, func(set int) value { return c.theirs[set] })
	moves := c.variable(c.squares(c.andNot(c.parent(slotRing), c.or(c.us, c.attacked))))
	c.castlings(moves, c.parent(slotRankPins))
	return moves
}

// eachSlider emits body for all directions, those of a kind of line where of returns any slider.
func (c *children) eachSlider(body func(dir int, p passage), of func(set int) value) {
	for first, set := range [2]int{straight, diagonal} {
		c.when(of(set), 0.9, func() {
			for dir := first; dir < geom.Directions; dir += 2 {
				body(dir, c.passage(c.empty, dir))
			}
		})
	}
}

// castlings adds our castling to numbers of moves. Pinned are our pieces that are pinned on their rank.
func (c *children) castlings(moves set, pinned value) {
	for wing := range 2 {
		at := nodeOur + wing*wingSize
		c.whenWord(at+wingRook, 1, func() {
			rook := c.word(at + wingRook)
			lost := c.or(c.andNot(rook, c.parent(slotRights)), c.and(rook, c.or(c.to, pinned)))
			barred := c.any(lost, c.and(c.occ, c.word(at+wingEmpty)), c.and(c.attacked, c.word(at+wingSafe)))
			c.assign(moves, c.add(moves, c.where(c.constant(1), c.without(barred))))
		})
	}
}

// countFull returns the number of our moves.
func (c *children) countFull() set {
	c.part("all our moves")
	c.attacked = c.variable(c.leapers())
	c.targets = c.variable(c.constant(^uint64(0)))
	for i := range c.pinned {
		c.pinned[i] = c.variable(c.constant(0))
	}
	checkers := c.variable(c.or(c.and(c.parent(slotKnight), c.theirs[knights]),
		c.and(c.parent(slotPawn), c.theirs[pawns])))
	rooks := c.and(c.theirs[straight], c.parent(slotRookLines))
	bishops := c.and(c.theirs[diagonal], c.parent(slotBishopLines))
	off := [4]set{}
	for i := range off {
		off[i] = c.variable(c.constant(0))
	}
	pinned := c.variable(c.constant(0))
	c.when(c.any(checkers, rooks, bishops), 0.8, func() {
		between := c.variable(c.constant(0))
		c.when(rooks, 0.7, func() {
			for _, dir := range []int{geom.North, geom.East, geom.South, geom.West} {
				c.line(dir, checkers, between)
			}
		})
		c.when(bishops, 0.7, func() {
			for _, dir := range []int{geom.NorthEast, geom.SouthEast, geom.SouthWest, geom.NorthWest} {
				c.line(dir, checkers, between)
			}
		})
		all := c.constant(^uint64(0))
		answers := c.or(c.or(between, checkers), c.where(all, c.without(checkers)))
		several := c.and(checkers, c.sub(checkers, c.constant(1)))
		c.assign(c.targets, c.where(answers, c.without(several)))
		c.assign(pinned, c.any(c.pinned[0], c.pinned[1], c.pinned[2], c.pinned[3]))
		for axis := range off {
			c.assign(off[axis], c.xor(c.pinned[axis], pinned))
		}
	})
	along := func(set, axis int) value { return c.andNot(c.ours[set], off[axis]) }
	mask := c.targets
	moves := c.variable(c.numbers(c.constant(0)))
	c.pawnMoves(along(pawns, 0), along(pawns, 3), along(pawns, 1), mask, moves)
	targets := c.andNot(mask, c.us)
	n := c.andNot(c.ours[knights], pinned)
	c.when(n, 0.8, func() {
		to, _ := c.jumps(n)
		for _, to := range to {
			c.tally(moves, c.and(to, targets))
		}
	})
	c.eachSlider(func(dir int, p passage) {
		c.tally(moves, c.and(targets, c.slide(along(sliding(dir), dir&3), p, dir)))
		c.join(c.attacked, c.slide(c.theirs[sliding(dir)], p, dir))
	}, func(set int) value { return c.or(c.ours[set], c.theirs[set]) })
	c.tally(moves, c.andNot(c.parent(slotRing), c.or(c.us, c.attacked)))
	sum := c.variable(c.total(moves))
	c.castlings(sum, c.pinned[2])
	return sum
}

// line looks along a ray of our king: a slider met first gives check, one met second pins what was met first.
func (c *children) line(dir int, checkers, between set) {
	ray, sliders := c.parent(slotRays+dir), c.theirs[sliding(dir)]
	c.when(c.and(ray, sliders), 0.4, func() {
		blockers := c.and(c.occ, ray)
		view := c.upTo(ray, blockers, dir)
		first := c.and(view, blockers)
		rest := c.xor(blockers, first)
		next := c.upTo(rest, rest, dir)
		c.join(c.pinned[dir&3], c.where(first, c.meet(next, sliders)))
		check := c.and(view, sliders)
		c.join(checkers, check)
		given := c.meet(check, check)
		c.join(between, c.where(view, given))
		back := (dir + 4) % geom.Directions
		c.join(c.attacked, c.where(c.step(c.ours[kings], back), given)) // behind our king
	})
}

// upTo returns what of a part of a ray lies up to the first of the blockers.
func (c *children) upTo(part, blockers value, dir int) set {
	if by := steps[dir].by; by < 0 {
		return c.downTo(part, blockers, -by)
	}
	return c.and(part, c.xor(blockers, c.sub(blockers, c.constant(1))))
}

// pawnMoves counts moves of our pawns that may push, capture to the left and capture to the right.
func (c *children) pawnMoves(push, left, right, mask value, moves set) {
	one := c.and(c.shift(push, 8), c.empty)
	two := c.and(c.shift(c.and(one, c.constant(rank3)), 8), c.empty)
	l, r := c.and(c.step(left, geom.NorthWest), c.them), c.and(c.step(right, geom.NorthEast), c.them)
	some := c.variable(c.and(c.any(one, two, l), mask))
	r = c.variable(c.and(r, mask))
	c.tally(moves, some)
	c.tally(moves, r)
	c.when(c.and(c.or(some, r), c.constant(rank8)), 0.1, func() {
		a, b := c.and(some, c.constant(rank8)), c.and(r, c.constant(rank8))
		for range 3 {
			c.tally(moves, a)
			c.tally(moves, b)
		}
	})
}
