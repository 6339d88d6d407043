package kernel

import (
	"unsafe"

	"github.com/tabula-chess/tabula/tables/index"
)

// Offsets of a node.
const (
	nodeWe, nodeThey   = int(unsafe.Offsetof(index.CountingNode{}.We)), int(unsafe.Offsetof(index.CountingNode{}.They))
	nodeOur, nodeTheir = int(unsafe.Offsetof(index.CountingNode{}.Our)), int(unsafe.Offsetof(index.CountingNode{}.Their))
	nodeMovers         = int(unsafe.Offsetof(index.CountingNode{}.Movers))
	nodeRights         = int(unsafe.Offsetof(index.CountingNode{}.Rights))
	nodeEnPassant      = int(unsafe.Offsetof(index.CountingNode{}.EnPassant))
	nodeFlip           = int(unsafe.Offsetof(index.CountingNode{}.Flip))
	nodeStraight       = int(unsafe.Offsetof(index.CountingNode{}.Straight))
	nodeDiagonal       = int(unsafe.Offsetof(index.CountingNode{}.Diagonal))
	nodeMoves, nodeSum = int(unsafe.Offsetof(index.CountingNode{}.Moves)), int(unsafe.Offsetof(index.CountingNode{}.Sum))
	nodeLeft, nodeEach = int(unsafe.Offsetof(index.CountingNode{}.Left)), int(unsafe.Offsetof(index.CountingNode{}.Each))
	nodeLeaves         = int(unsafe.Offsetof(index.CountingNode{}.Leaves))
	nodeSets           = int(unsafe.Offsetof(index.CountingNode{}.Sets))
	moverSize          = int(unsafe.Sizeof(index.Mover{}))
	moverLine          = int(unsafe.Offsetof(index.Mover{}.Line))
)

// Offsets of the words of a wing.
const (
	wingRook, wingEmpty = int(unsafe.Offsetof(index.Wing{}.Rook)), int(unsafe.Offsetof(index.Wing{}.Empty))
	wingSafe, wingKing  = int(unsafe.Offsetof(index.Wing{}.Safe)), int(unsafe.Offsetof(index.Wing{}.King))
	wingTower, wingBoth = int(unsafe.Offsetof(index.Wing{}.Tower)), int(unsafe.Offsetof(index.Wing{}.Both))
	wingSize            = int(unsafe.Sizeof(index.Wing{}))
)

// Rows of a list.
const (
	rowFrom = int(unsafe.Offsetof(index.List{}.From))
	rowTo   = int(unsafe.Offsetof(index.List{}.To))
	rowKind = int(unsafe.Offsetof(index.List{}.Kind))
	rowLane = int(unsafe.Offsetof(index.List{}.Lane))
)

// roomFor returns how many vectors of so many lanes a node has besides those that children fetch.
func roomFor(lanes int) int { return len(index.CountingNode{}.Sets)/lanes - slots }

// list is one of a node's lists.
type list int

const (
	listNear list = iota
	listFull
)

// listAt says where the lists are.
var listAt = [2]int{int(unsafe.Offsetof(index.CountingNode{}.Near)), int(unsafe.Offsetof(index.CountingNode{}.Full))}

// leaves records the count of a node and writes it: group by group of our moves, first the answers to simple moves of
// theirs, then those to the others.
func leaves(s *sets, m machine) error {
	q := &vectors{sets: s, machine: m, node: m.begin()}
	q.memory, q.king, q.group = q.general(), q.general(), q.general()
	q.plus(q.memory, q.node, nodeSets)
	q.load64(q.king, q.node, int(unsafe.Offsetof(index.CountingNode{}.King)))
	q.plus(q.group, q.node, nodeLeaves)
	q.ends = [2]general{q.general(), q.general()}
	numbers, _ := q.laneNumbers()
	q.numbered = q.variable(numbers)
	q.sum = q.variable(q.constant(0))

	moves, left, top := q.general(), q.general(), q.label("group")
	q.load64(moves, q.node, nodeMoves)
	q.mark(top)
	for i, end := range q.ends {
		q.plus(end, q.node, listAt[i])
	}
	siblings := &siblings{vectors: q}
	siblings.move(q.moves(moves))
	answers := siblings.countSimple()
	q.put(answers, q.at(q.group, 0))
	q.assign(q.sum, q.add(q.sum, answers))
	for of, count := range []func(c *children) set{(*children).countNear, (*children).countFull} {
		q.eachChild(list(of), func(e childVector) set {
			c := &children{vectors: q}
			c.move(e)
			return count(c)
		})
	}
	q.plus(moves, moves, 2*q.width())
	q.plus(q.group, q.group, 8*q.width())
	q.load64(left, q.node, nodeLeft)
	q.plus(left, left, -8*q.width())
	q.store64(left, q.node, nodeLeft)
	q.jumpMore(left, top)

	q.put(q.sum, q.slot(0))
	lane := q.general()
	for i := 1; i < q.width(); i++ {
		q.load64(lane, q.memory, 8*i)
		q.addTo(q.memory, 0, lane)
	}
	q.load64(lane, q.memory, 0)
	q.store64(lane, q.node, nodeSum)
	return s.write(m)
}

// eachMover records body for the pieces of theirs of a kind.
func (q *vectors) eachMover(kind int, body func(square squareWords, line value)) {
	top, end := q.label("mover"), q.label("movers")
	q.scope(func() {
		at, square := q.general(), q.general()
		q.plus(at, q.node, nodeMovers+kind*int(unsafe.Sizeof(index.CountingNode{}.Movers[0])))
		q.mark(top)
		q.load64(square, at, 0)
		q.jumpZero(square, end)
		q.with(1.5, func() {
			body(func(word int) value { return q.wordAt(square, word) }, q.wordAt(at, moverLine))
		})
		q.plus(at, at, moverSize)
		q.jump(top)
		q.mark(end)
	})
}

// append adds squares to a list, one of each lane at a time. They are left from squares that have a lane each, or so
// much higher.
func (q *vectors) append(to list, squares, from value, by int, kind uint64) {
	end, top, left := q.ends[to], q.label("append"), q.variable(squares)
	q.mark(top)
	q.with(1.5, func() {
		q.scope(func() {
			rest := q.and(left, q.add(left, q.constant(^uint64(0))))
			first := q.xor(left, rest)
			p := q.pack(first)
			square := p.pack(first)
			q.put(square, q.at(end, rowTo))
			if by != 0 {
				q.put(q.shift(square, by), q.at(end, rowFrom))
			} else {
				q.put(p.pack(from), q.at(end, rowFrom))
			}
			q.put(p.pack(q.numbered), q.at(end, rowLane))
			if kind != 0 {
				q.put(q.where(q.constant(kind), q.first(p.bytes)), q.at(end, rowKind))
			}
			q.plusBytes(end, end, p.bytes)
			q.assign(left, rest)
		})
	})
	q.jumpIf(left, top)
}

// eachChild records body for the children of a list, and adds the moves that it counts to the leaves of their parents.
func (q *vectors) eachChild(of list, body func(e childVector) set) {
	end, top, done := q.ends[of], q.label("children"), q.label("counted")
	q.scope(func() {
		at, left := q.general(), q.general()
		q.plus(at, q.node, listAt[of])
		q.jumpEqual(at, end, done)
		zero := q.variable(q.constant(0))
		for _, row := range []int{rowFrom, rowTo, rowLane} {
			q.put(zero, q.at(end, row))
		}
		q.mark(top)
		q.with(3, func() {
			lane, kind := q.variable(q.at(at, rowLane)), q.variable(q.at(at, rowKind))
			q.minus(left, end, at)
			moves := q.where(body(childVector{
				from: q.variable(q.at(at, rowFrom)), to: q.variable(q.at(at, rowTo)), kind: kind,
				parent: func(slot int) set { return q.fetch(q.slot(slot), lane) },
			}), q.first(left))
			q.assign(q.sum, q.add(q.sum, moves))
			q.whenWord(nodeEach, 0.1, func() { q.distribute(moves, at) })
			q.when(kind, 0.1, func() { q.put(q.constant(0), q.at(at, rowKind)) }) // for the next group
		})
		q.plus(at, at, 8*q.width())
		q.jumpLess(at, end, top)
		q.mark(done)
	})
}

// distribute adds the moves of children to the leaves of their parents.
func (q *vectors) distribute(moves set, at general) {
	q.put(moves, q.slot(slotCounts))
	_, offset := q.laneNumbers()
	q.scope(func() {
		lane, n := q.general(), q.general()
		for i := range q.width() {
			q.load8(lane, at, rowLane+8*i+offset)
			q.load64(n, q.memory, 8*(slotCounts*q.width()+i))
			q.plusBytes(lane, lane, q.group)
			q.addTo(lane, 0, n)
		}
	})
}

// move makes the siblings by moves of ours, which are chess.Move.
func (q *siblings) move(moves set) {
	q.part("our moves in lanes")
	number := func(shift int) value {
		n := value(moves)
		if shift > 0 {
			n = q.shift(moves, -shift)
		}
		return q.xor(q.and(n, q.constant(63)), q.word(nodeFlip))
	}
	from, to := q.variable(q.bits(number(6))), q.variable(q.bits(number(0)))
	kind := q.shift(moves, -12)
	rook := q.variable(to)
	var ours, theirs [sideSets]value
	for i := range sideSets {
		ours[i], theirs[i] = q.word(nodeWe+8*i), q.word(nodeThey+8*i)
	}
	lost := q.any(from, to, q.where(q.constant(rank1), q.meet(from, ours[kings])))
	q.rights = q.andNot(q.word(nodeRights), lost)
	q.when(kind, 0.2, func() { q.liftCastling(kind, from, to) })

	all := func(of [sideSets]value) set { return q.any(of[0], of[1:]...) }
	q.ours, q.theirs, q.us, q.them = q.made(ours, theirs, all(ours), all(theirs), from, to)
	q.us, q.them = q.variable(q.us), q.variable(q.them)
	q.theirs[kings] = q.variable(theirs[kings])
	for i := range sideSets {
		q.ours[i], q.theirs[i] = q.variable(q.ours[i]), q.variable(q.theirs[i])
	}
	double := q.and(q.and(q.shift(from, 16), to), q.shift(ours[pawns], 16))
	target := q.and(q.shift(double, -8), q.downward(theirs[pawns]))
	q.enPassant = q.variable(q.or(target, q.word(nodeEnPassant)))
	q.when(kind, 0.2, func() {
		q.makeSpecial(kind, rook, &q.ours, &q.us, nodeOur)
		taken := q.where(q.shift(to, -8), q.equal(kind, q.constant(enPassantKind)))
		q.assign(q.theirs[pawns], q.andNot(q.theirs[pawns], taken))
		q.assign(q.them, q.andNot(q.them, taken))
	})
	q.fade()
	for i := range sideSets {
		q.keep(q.ours[i], q.slot(slotOurs+i))
		q.keep(q.theirs[i], q.slot(slotTheirs+i))
	}
	q.keep(q.us, q.slot(slotUs))
	q.keep(q.them, q.slot(slotThem))
	q.keep(q.rights, q.slot(slotRights))
}

// fade takes their pieces, and with them all moves, from lanes beyond the last of our moves.
func (q *siblings) fade() {
	full := q.label("full")
	q.scope(func() {
		left, some := q.general(), q.general()
		q.load64(left, q.node, nodeLeft)
		q.plus(some, left, 1-8*q.width())
		q.jumpMore(some, full)
		q.with(0.3, func() {
			valid := q.first(left)
			for i := range sideSets {
				q.assign(q.theirs[i], q.where(q.theirs[i], valid))
			}
			q.assign(q.them, q.where(q.them, valid))
		})
		q.mark(full)
	})
}
