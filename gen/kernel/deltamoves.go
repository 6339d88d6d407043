package kernel

import (
	"github.com/tabula-chess/tabula/internal/geom"
)

// theirKing finds our checks and their pins. In check all their moves are full.
func (q *siblings) theirKing() {
	q.part("the lines of their king")
	king := q.theirs[kings]
	square := func(word int) value { return q.kingSquare(word) }
	z := q.zeros(5)
	copy(q.theirPins[:], z)
	q.theirPinned, q.mask = z[4], q.variable(q.all)
	leapers := q.or(q.and(q.ours[knights], square(squareKnight)), q.and(q.ours[pawns], square(squarePawns)))
	rooks := q.and(q.ours[straight], q.or(square(squareFile), square(squareRank)))
	bishops := q.and(q.ours[diagonal], q.or(square(squareRise), square(squareFall)))
	q.when(q.any(leapers, rooks, bishops), 0.4, func() {
		checkers, between := q.variable(leapers), q.zeros(1)[0]
		q.forDirections(func(dir int) {
			sliders, p := q.ours[sliding(dir)], q.passages[dir]
			q.when(q.and(sliders, square(squareRays+8*dir)), 0.2, func() {
				view := q.slide(king, p, dir)
				check := q.and(view, sliders)
				q.join(checkers, check)
				q.join(between, q.where(view, q.meet(check, check)))
				first := q.and(view, q.them)
				q.join(q.theirPins[dir&3], q.where(first, q.meet(q.slide(first, p, dir), sliders)))
			})
		})
		q.assign(q.theirPinned, q.any(q.theirPins[0], q.theirPins[1], q.theirPins[2], q.theirPins[3]))
		check := q.where(q.all, q.meet(checkers, checkers))
		several := q.and(checkers, q.sub(checkers, q.constant(1)))
		answers := q.any(between, checkers, q.xor(check, q.all))
		q.assign(q.mask, q.where(answers, q.without(several)))
		q.join(q.full.any, check)
	})
}

// watch counts our king's moves and finds what changes them.
func (q *siblings) watch() {
	q.part("what they attack near our king")
	king := q.ours[kings]
	ring := q.kingSteps(king)
	q.put(ring, q.slot(slotRing))
	once, twice := q.variable(q.kingSquare(squareKing)), q.zeros(1)[0]
	attack := func(a value) {
		q.join(twice, q.and(once, a))
		q.join(once, a)
	}
	attack(q.step(q.theirs[pawns], geom.SouthWest))
	attack(q.step(q.theirs[pawns], geom.SouthEast))
	q.eachMover(moverKnight, func(square squareWords, _ value) {
		attack(q.where(square(squareKnight), q.meet(q.theirs[knights], square(squareBit))))
	})
	var theirs [geom.Directions]set
	q.forDirections(func(dir int) {
		theirs[dir] = q.slide(q.theirs[sliding(dir)], q.passages[dir], dir)
		attack(theirs[dir])
	})

	watched := q.variable(q.andNot(ring, q.us))
	q.near.any, q.near.from = q.variable(ring), q.zeros(1)[0]
	q.king = q.variable(q.squares(q.andNot(q.andNot(ring, q.us), once)))
	for wing := range 2 {
		at := nodeOur + wing*wingSize
		q.whenWord(at+wingRook, 1, func() {
			word := func(of int) value { return q.word(at + of) }
			rook, way := word(wingRook), word(wingEmpty)
			barred := q.or(q.and(q.us, way), q.andNot(rook, q.rights))
			possible := q.without(barred)
			blocked := q.and(q.them, way)
			q.join(q.near.any, q.where(q.or(way, rook), possible))
			q.join(q.near.from, q.where(blocked, possible))
			barred = q.or(barred, blocked)
			q.join(watched, q.andNot(q.where(word(wingSafe), q.without(barred)), king))
			barred = q.any(barred, q.and(once, word(wingSafe)), q.and(q.pins[2], rook))
			q.assign(q.king, q.add(q.king, q.where(q.constant(1), q.without(barred))))
		})
	}
	attacked, safe := q.and(watched, once), q.andNot(watched, once)
	q.single = q.andNot(attacked, twice)
	z := q.zeros(2)
	q.near.diagonal, q.near.straight = z[0], z[1]
	q.forDirections(func(dir int) {
		back := (dir + 4) % geom.Directions
		sees := q.slide(safe, q.passages[back], back)
		zone := q.near.straight
		if dir&1 != 0 {
			zone = q.near.diagonal
		}
		q.join(zone, sees)
		q.join(q.near.from, q.and(q.and(theirs[dir], q.them), sees))
		path := q.slide(q.and(theirs[dir], attacked), q.passages[back], back)
		q.join(q.near.any, q.and(q.and(theirs[dir], q.empty), path))
	})
	q.near.knight, q.near.pawn = q.knightSteps(safe), q.upward(safe)
	q.near.king = q.or(q.kingSteps(safe), safe)
}

// at returns where a move to a square is complex by what arrives there.
func (q *siblings) at(z *zones, kind int) value {
	switch kind {
	case moverKnight:
		return q.or(z.any, z.knight)
	case moverBishop:
		return q.or(z.any, z.diagonal)
	case moverRook:
		return q.or(z.any, z.straight)
	case moverQueen:
		return q.any(z.any, z.diagonal, z.straight)
	case moverPawn:
		return q.or(z.any, z.pawn)
	}
	return z.any
}

// movers adds up the answers to the moves of all pieces but pawns.
func (q *siblings) movers() {
	q.part("their pieces")
	q.way = q.and(q.ours[pawns], q.constant(rank1<<8))
	q.way = q.or(q.shift(q.way, 8), q.shift(q.way, 16))
	z := q.zeros(3)
	q.sum, q.moved, q.movedNear = z[0], z[1], z[2]
	q.touched = q.zeros(5)
	for i := range q.hits {
		q.hits[i] = q.any(q.hit[i], q.hit[i+2], q.hit[i+4], q.hit[i+6])
	}
	for kind := moverKnight; kind <= moverKing; kind++ {
		full, near := q.at(&q.full, kind), q.at(&q.near, kind)
		if kind == moverKing {
			near = q.or(q.near.any, q.near.king)
		}
		q.eachMover(kind, func(square squareWords, line value) { q.mover(kind, square, line, full, near) })
	}
}

// attacks returns the squares that a piece attacks. A slider's are found line by line, in both directions at once.
// Source: CPW "Hyperbola Quintessence".
func (q *siblings) attacks(kind int, square squareWords, occ value) value {
	var axes []int
	switch kind {
	case moverKnight:
		return square(squareKnight)
	case moverKing:
		return square(squareKing)
	case moverBishop:
		axes = []int{1, 3}
	case moverRook:
		axes = []int{0, 2}
	case moverQueen:
		axes = []int{0, 1, 2, 3}
	}
	var attacks value
	for _, axis := range axes {
		turned, own := q.swapped, squareSwapped
		if axis == 2 {
			turned, own = q.mirrored, squareMirrored
		}
		line := square(lineWords[axis])
		blockers := q.and(occ, line)
		up, down := q.sub(blockers, square(squareBit)), turned(q.sub(turned(blockers), square(own)))
		on := q.and(q.xor(up, down), line)
		if attacks == nil {
			attacks = on
		} else {
			attacks = q.or(attacks, on)
		}
	}
	return attacks
}

// setOf returns the set of a side that has a kind of movers.
var setOf = [...]int{moverKnight: knights, moverBishop: diagonal, moverRook: straight, moverQueen: diagonal,
	moverKing: kings}

// mover adds up the answers to the moves of a piece.
func (q *siblings) mover(kind int, square squareWords, line, zoneFull, zoneNear value) {
	bit := square(squareBit)
	attacks := q.attacks(kind, square, q.occ)
	to := q.variable(q.andNot(attacks, q.them))
	if kind == moverKing {
		q.assign(to, q.andNot(to, q.danger))
	} else {
		q.assign(to, q.and(to, q.mask))
		q.when(q.and(q.theirPinned, bit), 0.1, func() {
			q.assign(to, q.andNot(to, q.where(q.xor(line, q.all), q.meet(q.theirPinned, bit))))
		})
	}
	q.assign(to, q.where(to, q.meet(q.theirs[setOf[kind]], bit)))

	full := q.variable(q.any(zoneFull, q.and(q.ours[pawns], square(squareNear)), q.and(q.way, square(squareWay))))
	q.assign(full, q.orWhere(full, q.all, q.meet(q.full.from, bit)))
	held := q.and(q.holder, bit)
	q.when(held, 0.1, func() { q.join(full, q.where(q.bound, q.meet(held, held))) })
	near := q.orWhere(q.orWhere(zoneNear, q.all, q.meet(q.near.from, bit)), q.all, q.meet(attacks, q.single))
	simple := q.andNot(to, full)
	q.list(q.and(to, full), q.and(simple, near), func(targets set, to list) { q.append(to, targets, bit, 0, 0) })

	n := q.squares(simple)
	q.assign(q.moved, q.add(q.moved, n))
	q.countTouched(simple)
	for power, bits := range q.touched {
		q.assign(bits, q.orWhere(bits, bit, q.meet(n, q.constant(1<<power))))
	}
	q.when(held, 0.1, func() { q.assign(q.sum, q.add(q.sum, q.product(n, q.where(q.freed, q.meet(held, held))))) })
	if kind == moverBishop || kind == moverRook || kind == moverQueen {
		q.along(kind, square, simple)
	}
}

// list lists complex children: full ones, and near ones, which are counted.
func (q *siblings) list(full, near set, add func(targets set, to list)) {
	q.when(full, 0.3, func() { add(full, listFull) })
	q.when(near, 0.2, func() {
		q.assign(q.movedNear, q.add(q.movedNear, q.squares(near)))
		add(near, listNear)
	})
}

// countTouched adds squares that are reached, or left, to the numbers in touched.
func (q *siblings) countTouched(squares set) {
	carry := squares
	for power, bits := range q.touched {
		next := q.and(bits, carry)
		q.assign(bits, q.xor(bits, carry))
		if power < len(q.touched)-1 {
			carry = q.variable(next)
		}
	}
}

// along corrects the answers to moves along the line on which a slider of ours attacks the piece: the slider sees as
// far as it goes, and never beyond.
func (q *siblings) along(kind int, square squareWords, simple set) {
	bit := square(squareBit)
	first, step, hit := 0, 2, q.hits[0]
	switch kind {
	case moverBishop:
		first, hit = 1, q.hits[1]
	case moverQueen:
		step, hit = 1, q.or(q.hits[0], q.hits[1])
	}
	q.when(q.and(hit, bit), 0.2, func() {
		away := q.zeros(1)[0]
		for axis := first; axis < 4; axis += step {
			on := q.and(simple, square(lineWords[axis]))
			n := q.squares(on)
			up := q.and(on, square(squareAbove))
			toward := [2]set{up, q.xor(on, up)}
			if steps[axis].by < 0 {
				toward[0], toward[1] = toward[1], toward[0]
			}
			for i, dir := range [2]int{axis, axis + 4} {
				q.assign(away, q.orWhere(away, toward[i], q.meet(q.hit[dir], bit)))
			}
			for power, bits := range q.see[axis] {
				more := value(n)
				if power > 0 {
					more = q.shift(n, power)
				}
				q.assign(q.sum, q.sub(q.sum, q.where(more, q.meet(bits, bit))))
			}
		}
		var far []set
		for power := range 3 {
			far = append(far, q.and(away, square(squareFar+8*power)))
		}
		q.assign(q.sum, q.add(q.sum, q.weighted(q.all, far)))
	})
}

// pawnMoves adds up the answers to the moves of pawns, all pawns together.
func (q *siblings) pawnMoves() {
	q.part("their pawns")
	free := func(axis int) set { return q.andNot(q.theirs[pawns], q.andNot(q.theirPinned, q.theirPins[axis])) }
	one := q.and(q.shift(free(0), -8), q.empty)
	two := q.and(q.and(q.shift(q.and(one, q.constant(rank6)), -8), q.empty), q.mask)
	one = q.and(one, q.mask)
	targets := q.and(q.us, q.mask)
	west := q.and(q.step(free(1), geom.SouthWest), targets)
	east := q.and(q.step(free(3), geom.SouthEast), targets)

	// Pawns that alone attack a square by our king, and those that a slider of ours attacks along their way.
	near := q.or(q.near.from, q.and(q.theirs[pawns], q.upward(q.single)))
	hit := func(axis int) set { return q.or(q.full.from, q.or(q.hit[axis], q.hit[axis+4])) }
	steps := []pawnStep{
		{8, q.variable(one), q.or(hit(0), q.and(q.way, q.constant(rank3<<8)))},
		{9, q.variable(west), hit(1)},
		{7, q.variable(east), hit(3)},
	}
	first := q.constant(rank1)
	q.when(q.and(q.any(one, west, east), first), 0.1, func() {
		for kind := moverKnight; kind <= moverQueen; kind++ {
			full, zone := q.at(&q.full, kind), q.at(&q.near, kind)
			for _, s := range steps {
				// What the pawn hides from where it arrives, a slider sees when it has gone.
				s.targets, s.full = q.and(s.targets, first), q.or(s.full, full)
				q.pawnStep(s, full, zone, q.or(near, zone), promotions+uint64(kind))
			}
		}
		for _, s := range steps {
			q.assign(s.targets, q.andNot(s.targets, first))
		}
	})
	full, zone := q.at(&q.full, moverPawn), q.at(&q.near, moverPawn)
	for _, s := range append(steps, pawnStep{16, two, hit(0)}) {
		q.pawnStep(s, full, zone, near, 0)
	}
	q.enPassantAnswers(two)
}

// pawnStep is moves of pawns to targets from squares as much higher. A move from one of the squares full is full.
type pawnStep struct {
	by      int
	targets set
	full    set
}

// pawnStep adds up the answers to moves of pawns.
func (q *siblings) pawnStep(s pawnStep, zoneFull, zoneNear, near value, kind uint64) {
	q.when(s.targets, 0.8, func() {
		full := q.or(zoneFull, q.shift(s.full, -s.by))
		simple := q.andNot(s.targets, full)
		q.list(q.and(s.targets, full), q.and(simple, q.or(zoneNear, q.shift(near, -s.by))), func(targets set, to list) {
			q.append(to, targets, nil, s.by, kind)
		})
		q.assign(q.moved, q.add(q.moved, q.squares(simple)))
		q.countTouched(simple)
		q.countTouched(q.shift(simple, s.by))
		if s.by == 7 || s.by == 9 { // both squares count the capture of the taker that we lose
			q.assign(q.sum, q.add(q.sum, q.squares(q.and(simple, q.ours[pawns]))))
		}
	})
}

// enPassantAnswers adds our captures en passant after double pushes to squares, full ones too.
func (q *siblings) enPassantAnswers(two set) {
	p := q.ours[pawns]
	beside := q.or(q.step(p, geom.West), q.step(p, geom.East))
	q.when(q.and(two, beside), 0.2, func() {
		target := q.shift(q.andNot(two, q.shift(q.opens, -16)), 8)
		free := func(axis int) set { return q.andNot(p, q.andNot(q.pinned, q.pins[axis])) }
		left, right := q.step(free(3), geom.NorthWest), q.step(free(1), geom.NorthEast)
		q.assign(q.sum, q.add(q.sum, q.squares(q.and(left, target), q.and(right, target))))
	})
}

// specialMoves lists their captures en passant and castling.
func (q *siblings) specialMoves() {
	q.part("en passant and castling")
	squares := q.or(q.enPassant, q.nothing)
	q.when(squares, 0.1, func() {
		for _, dir := range []int{geom.NorthEast, geom.NorthWest} {
			captor := q.and(q.step(q.enPassant, dir), q.theirs[pawns])
			q.when(captor, 0.5, func() { q.captureEnPassant(captor) })
		}
	})
	for wing := range 2 {
		at := nodeTheir + wing*wingSize
		q.whenWord(at+wingRook, 1, func() {
			rook := q.word(at + wingRook)
			barred := q.any(q.and(q.occ, q.word(at+wingEmpty)), q.and(q.danger, q.word(at+wingSafe)),
				q.andNot(rook, q.andNot(q.and(q.rights, q.theirs[straight]), q.theirPins[2])))
			castles := q.where(rook, q.without(barred))
			q.when(castles, 0.3, func() { q.append(listFull, castles, castles, 0, castling) })
		})
	}
}

// captureEnPassant lists captures by pawns, at most one in a lane, where they do not leave their king in check.
func (q *siblings) captureEnPassant(captor set) {
	taken := q.shift(q.enPassant, 8)
	occ := q.or(q.andNot(q.andNot(q.occ, captor), taken), q.enPassant)
	square := squareWords(q.kingSquare)
	checks := q.any(q.and(q.attacks(moverBishop, square, occ), q.ours[diagonal]),
		q.and(q.attacks(moverRook, square, occ), q.ours[straight]), q.and(q.ours[knights], square(squareKnight)),
		q.andNot(q.and(q.ours[pawns], square(squarePawns)), taken))
	to := q.where(q.where(q.enPassant, q.meet(captor, captor)), q.without(checks))
	q.when(to, 0.5, func() { q.append(listFull, to, captor, 0, enPassantKind) })
}

// total returns the number of answers to simple moves.
func (q *siblings) total() (sum set) {
	q.part("the answers to simple moves")
	sum = q.any(q.add(q.sum, q.moved))
	sum = q.add(sum, q.product(q.moved, q.rest))
	sum = q.add(sum, q.product(q.sub(q.moved, q.movedNear), q.king))
	for power := range len(q.touched) + len(q.change) - 1 {
		var more []value
		for i, often := range q.touched {
			if bit := power - i; bit >= 0 && bit < len(q.change)-1 {
				more = append(more, q.and(often, q.change[bit]))
			}
		}
		if more != nil {
			sum = q.add(sum, q.times(q.squares(more...), power))
		}
		if sign := power - (len(q.change) - 1); sign >= 0 {
			sum = q.sub(sum, q.times(q.squares(q.and(q.touched[sign], q.change[len(q.change)-1])), power))
		}
	}
	return sum
}

// times returns a number times a power of two.
func (q *siblings) times(n set, power int) set {
	if power == 0 {
		return n
	}
	return q.shift(n, power)
}
