package kernel

import (
	"unsafe"

	"github.com/tabula-chess/tabula/tables/index"
)

// Offsets of the words of a wing.
const (
	wingRook, wingEmpty = int(unsafe.Offsetof(index.Wing{}.Rook)), int(unsafe.Offsetof(index.Wing{}.Empty))
	wingSafe, wingKing  = int(unsafe.Offsetof(index.Wing{}.Safe)), int(unsafe.Offsetof(index.Wing{}.King))
	wingTower, wingBoth = int(unsafe.Offsetof(index.Wing{}.Tower)), int(unsafe.Offsetof(index.Wing{}.Both))
	wingSize            = int(unsafe.Sizeof(index.Wing{}))
)

// list is one of a node's lists.
type list int

const (
	listNear list = iota
	listFull
)

// offset returns where a list begins.
func (l list) offset() int {
	return [...]int{int(unsafe.Offsetof(index.Node{}.Near)), int(unsafe.Offsetof(index.Node{}.Full))}[l]
}

// shifted is where a move comes from that leaves a square so much higher than its target.
type shifted int

// leaves emits the count of a node: group by group of our moves, first the simple moves of theirs, then the others.
func (q *vectors) leaves() {
	q.eachGroup(func(moves set) set {
		s := &siblings{vectors: q}
		s.move(moves)
		return s.countSimple()
	}, func() {
		q.eachChild(listNear, func(e entry) set {
			c := &children{vectors: q}
			c.move(e)
			return c.countNear()
		})
		q.eachChild(listFull, func(e entry) set {
			c := &children{vectors: q}
			c.move(e)
			return c.countFull()
		})
	})
}

// move makes the siblings by moves of ours, which are chess.Move.
func (q *siblings) move(moves set) {
	number := func(shift int) value {
		n := value(moves)
		if shift > 0 {
			n = q.shift(moves, -shift)
		}
		return q.xor(q.and(n, q.constant(63)), q.word(int(unsafe.Offsetof(index.Node{}.Flip))))
	}
	from, to := q.variable(q.bits(number(6))), q.variable(q.bits(number(0)))
	kind := q.shift(moves, -12)
	rook := q.variable(to)
	var ours, theirs [sideSets]value
	for i := range sideSets {
		ours[i] = q.word(int(unsafe.Offsetof(index.Node{}.We)) + 8*i)
		theirs[i] = q.word(int(unsafe.Offsetof(index.Node{}.They)) + 8*i)
	}
	lost := q.any(from, to, q.where(q.constant(rank1), q.meet(from, ours[kings])))
	q.rights = q.andNot(q.word(int(unsafe.Offsetof(index.Node{}.Rights))), lost)
	q.when(kind, 0.2, func() { q.liftCastling(kind, from, to) })

	all := func(of [sideSets]value) set { return q.any(of[0], of[1:]...) }
	q.ours, q.theirs, q.us, q.them = q.made(ours, theirs, all(ours), all(theirs), from, to)
	q.theirs[kings] = q.variable(theirs[kings])
	for _, s := range []*set{&q.us, &q.them} {
		*s = q.variable(*s)
	}
	for i := range sideSets {
		q.ours[i], q.theirs[i] = q.variable(q.ours[i]), q.variable(q.theirs[i])
	}
	double := q.and(q.and(q.shift(from, 16), to), q.shift(ours[pawns], 16))
	target := q.and(q.shift(double, -8), q.downward(theirs[pawns]))
	q.enPassant = q.variable(q.or(target, q.word(int(unsafe.Offsetof(index.Node{}.EnPassant)))))
	q.when(kind, 0.2, func() {
		q.makeSpecial(kind, rook, &q.ours, &q.us, int(unsafe.Offsetof(index.Node{}.Our)))
		taken := q.where(q.shift(to, -8), q.equal(kind, q.constant(enPassantKind)))
		q.assign(q.theirs[pawns], q.andNot(q.theirs[pawns], taken))
		q.assign(q.them, q.andNot(q.them, taken))
	})
	q.partial(func(valid lanes) { // the others have no pieces of theirs, and so no moves
		for i := range sideSets {
			q.assign(q.theirs[i], q.where(q.theirs[i], valid))
		}
		q.assign(q.them, q.where(q.them, valid))
	})
	for i := range sideSets {
		q.keep(q.ours[i], q.slot(slotOurs+i))
		q.keep(q.theirs[i], q.slot(slotTheirs+i))
	}
	q.keep(q.us, q.slot(slotUs))
	q.keep(q.them, q.slot(slotThem))
	q.keep(q.rights, q.slot(slotRights))
}
