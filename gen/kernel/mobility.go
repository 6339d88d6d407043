package kernel

import "github.com/tabula-chess/tabula/internal/geom"

// mobility counts our moves but the king's, and what squares change of them.
func (q *siblings) mobility() {
	q.part("our moves")
	free := func(set int) set { return q.andNot(q.ours[set], q.pinned) }
	// More on squares of theirs, less on others.
	more, less := q.counter(), q.counter()
	q.danger = q.variable(q.any(q.upward(q.ours[pawns]), q.kingSteps(q.ours[kings]), q.knightSteps(q.ours[knights])))

	p := free(pawns)
	push, left, right := q.shift(p, 8), q.step(p, geom.NorthWest), q.step(p, geom.NorthEast)
	one, block := q.and(push, q.empty), q.and(push, q.them)
	third := q.constant(rank3)
	far := q.shift(q.and(one, third), 8)
	two := q.and(far, q.empty)
	takeLeft, takeRight := q.and(left, q.them), q.and(right, q.them)
	frees := q.or(q.and(far, q.them), q.and(q.and(block, third), q.shift(q.empty, -8)))
	knightMore, knightLess := q.zeros(4), q.zeros(4)
	q.when(q.ours[knights], 0.8, func() {
		m, l := q.counter(), q.counter()
		to, by := q.jumps(free(knights))
		for i := range to {
			m.add(q.shift(q.andNot(to[i], q.us), -by[i]), 0)
			l.add(q.and(to[i], q.us), 0)
		}
		for i, bits := range m.sums(4) {
			q.assign(knightMore[i], bits)
		}
		for i, bits := range l.sums(4) {
			q.assign(knightLess[i], bits)
		}
	})
	for i := range 4 {
		more.add(knightMore[i], i)
		less.add(knightLess[i], i)
	}
	// On a square of theirs, a way that opens; on an empty one, a way that they block; on ours, the pawn's own moves.
	more.add(q.any(one, two, block, q.shift(one, -8)), 0)
	more.add(q.any(frees, q.shift(two, -8), q.shift(two, -16)), 0)
	more.add(q.shift(takeLeft, -7), 0)
	more.add(q.shift(takeRight, -9), 0)
	less.add(left, 0)
	less.add(right, 0)
	m, l := more.sums(6), less.sums(6)
	last := q.constant(rank8)
	q.when(q.and(q.any(push, left, right), last), 0.1, func() { // promotions count four times
		more, less := q.counterOf(m), q.counterOf(l)
		for _, a := range []set{q.and(q.or(one, block), last), q.shift(q.and(one, last), -8),
			q.shift(q.and(takeLeft, last), -7),
			q.shift(q.and(takeRight, last), -9)} {
			more.add(a, 0)
			more.add(a, 1)
		}
		for _, a := range []set{q.and(left, last), q.and(right, last)} {
			less.add(a, 0)
			less.add(a, 1)
		}
		more.into(m)
		less.into(l)
	})
	q.slidersOn(geom.North, nodeStraight, free(straight), m, l)
	q.slidersOn(geom.NorthEast, nodeDiagonal, free(diagonal), m, l)

	q.rest = q.variable(q.weighted(q.us, m[:5]))
	q.when(q.pinned, 0.2, q.bind)
	q.difference(m, l)
}

// counterOf returns a counter that holds numbers given by their bits.
func (q *siblings) counterOf(bits []set) *counter {
	c := q.counter()
	for power, b := range bits {
		c.add(b, power)
	}
	return c
}

// into assigns the numbers to variables.
func (c *counter) into(bits []set) {
	for i, b := range c.sums(len(bits)) {
		c.assign(bits[i], b)
	}
}

// slidersOn adds what squares change of our sliders on the lines of one kind.
func (q *siblings) slidersOn(first, word int, sliders set, more, less []set) {
	q.part("our sliders")
	for dir := first; dir < geom.Directions; dir += 2 {
		q.hit[dir] = q.zeros(1)[0]
	}
	for axis := first; axis < 4; axis += 2 {
		q.see[axis] = q.zeros(3)
	}
	q.whenWord(word, 1, func() {
		m, l := q.counterOf(more), q.counterOf(less)
		open := q.xor(q.us, q.all)
		for axis := first; axis < 4; axis += 2 {
			both := q.counter()
			for _, dir := range [2]int{axis, axis + 4} {
				grown := q.grown(sliders, q.passages[dir], dir)
				attacked := q.step(grown, dir)
				q.assign(q.hit[dir], q.and(attacked, q.them))
				q.join(q.danger, q.or(attacked, q.step(q.and(attacked, q.theirs[kings]), dir)))
				l.add(q.and(attacked, q.us), 0)
				reached := q.or(grown, q.hit[dir])
				for power, bit := range q.run(open, dir) {
					both.add(q.and(bit, reached), power)
				}
			}
			for power, bit := range both.sums(4) {
				m.add(bit, power)
				if power < 3 {
					q.assign(q.see[axis][power], q.and(bit, q.them))
				}
			}
		}
		m.into(more)
		l.into(less)
	})
}

// run returns the bits of how far a slider of ours could go from each square in a direction. It doubles the distance: a
// number of squares that are not all open is final.
func (q *siblings) run(open value, dir int) [3]set {
	by, back := -steps[dir].by, (dir+4)%geom.Directions
	next, free := q.step(open, back), q.step(q.empty, back)
	two := q.and(free, q.shift(next, by))
	one := q.xor(next, two)
	free2 := q.and(free, q.shift(free, by))
	four := q.and(free2, q.shift(two, 2*by))
	one = q.or(one, q.and(free2, q.shift(one, 2*by)))
	two = q.andNot(two, four)
	free4 := q.and(free2, q.shift(free2, 2*by))
	two = q.or(two, q.and(free4, q.shift(two, 4*by)))
	one = q.or(one, q.and(free4, q.shift(one, 4*by)))
	return [3]set{one, two, four}
}

// bind counts the moves of our pinned pieces along their pins, and those that they lack.
func (q *siblings) bind() {
	attacks := q.variable(q.knightSteps(q.and(q.ours[knights], q.pinned)))
	q.assign(q.freed, q.squares(q.andNot(attacks, q.us)))
	p := q.and(q.ours[pawns], q.pinned)
	push := q.shift(p, 8)
	q.join(attacks, q.any(push, q.shift(q.and(push, q.constant(rank3)), 8), q.upward(p)))
	along := func(axis int) set { return q.and(p, q.pins[axis]) }
	q.assign(q.rest, q.add(q.rest, q.countPawns(along(0), along(3), along(1))))
	q.assign(q.freed, q.add(q.freed, q.countPawns(q.xor(p, along(0)), q.xor(p, along(3)), q.xor(p, along(1)))))

	sliders := q.and(q.pinned, q.or(q.ours[diagonal], q.ours[straight]))
	q.when(sliders, 0.5, func() {
		q.forDirections(func(dir int) {
			bound := q.and(q.ours[sliding(dir)], q.pinned)
			reached := q.slide(bound, q.passages[dir], dir)
			q.join(attacks, reached)
			q.join(q.danger, q.or(reached, q.step(q.and(reached, q.theirs[kings]), dir)))
			along := q.and(bound, q.pins[dir&3])
			on := q.andNot(q.slide(along, q.passages[dir], dir), q.us)
			q.assign(q.rest, q.add(q.rest, q.squares(on)))
			q.assign(q.freed, q.add(q.freed, q.squares(q.andNot(q.andNot(reached, q.us), on))))
		})
	})
	q.join(q.full.from, q.and(q.holder, attacks))
	q.join(q.bound, attacks)
}

// countPawns returns the number of moves of our pawns that may push, capture to the left and capture to the right.
func (q *siblings) countPawns(push, left, right set) set {
	one := q.and(q.shift(push, 8), q.empty)
	two := q.and(q.shift(q.and(one, q.constant(rank3)), 8), q.empty)
	l, r := q.and(q.step(left, geom.NorthWest), q.them), q.and(q.step(right, geom.NorthEast), q.them)
	some := q.any(one, two, l)
	last := q.constant(rank8)
	a, b := q.and(some, last), q.and(r, last)
	return q.squares(some, r, a, a, a, b, b, b)
}

// difference computes by bits what a move that leaves or reaches a square changes, less one for a square that is
// reached: the complement of a number is its negative less one.
func (q *siblings) difference(more, less []set) {
	q.part("what squares change")
	flip := q.xor(q.them, q.all)
	borrow := value(nil)
	for i := range more {
		differ := q.xor(more[i], less[i])
		bit := differ
		if borrow != nil {
			bit = q.xor(differ, borrow)
		}
		q.change = append(q.change, q.xor(bit, flip))
		if borrow == nil {
			borrow = q.andNot(less[i], more[i])
		} else {
			borrow = q.choose(differ, less[i], borrow)
		}
	}
}
