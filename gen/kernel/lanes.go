package kernel

import "github.com/tabula-chess/tabula/internal/geom"

// machine has instructions over lanes of 64 bits, one position in each, beside those of sets.
type machine interface {
	constant(w uint64) value // in every lane
	word(offset int) value   // of the node, in every lane
	slot(i int) memory       // a vector in the node
	put(a value, to memory)

	shift(a value, by int) set
	add(a, b value) set
	sub(a, b value) set
	addBytes(a, b value) set
	subBytes(a, b value) set
	product(a, b value) set  // of numbers below 2^31
	squares(of ...value) set // how many there are in all these sets together
	swapped(a value) set     // the ranks in reverse order
	mirrored(a value) set    // the files in reverse order
	ranks(a value) set       // the ranks on which a has squares
	files(a value) set       // the file of the one square of a

	meet(a, b value) lanes                               // in which a and b share a square
	without(a value) lanes                               // in which a has none
	equal(a, b value) lanes                              // in which a is b
	where(a value, in lanes) set                         // a in some lanes, nothing in the others
	orWhere(a, b value, in lanes) set                    // a, and b too in some lanes
	when(a value, frequency float64, body func())        // runs body unless a is empty in all lanes
	whenWord(offset int, frequency float64, body func()) // runs body unless a word of the node is zero

	eachMover(kind int, body func(square func(word int) value, line value))
	kingSquare(word int) value                            // a word of the square of their king
	bits(numbers value) set                               // squares of numbers
	partial(body func(valid lanes))                       // runs body where lanes are left over
	append(to list, targets, from value, kind uint64)     // the squares of targets, which come from a set or shifted
	eachGroup(simple func(moves set) set, complex func()) // runs both for each vector of our moves
	eachChild(of list, body func(e entry) set)            // runs body for each vector of children
	newTally() set                                        // a variable that counts squares
	tally(counts set, a value)
	tallied(counts set) set
	weighted(within value, bits []set) set   // the squares in some, by the bits of how often they count
	downTo(part, blockers value, by int) set // part of a downward ray, up to the first of the blockers
}

// lanes are some of the lanes, as a machine has them.
type lanes any

// vectors emits steps that all machines have.
type vectors struct {
	*sets
	machine
}

// choose returns a where by has squares and b elsewhere.
func (q *vectors) choose(by, a, b value) set {
	if q.fuse {
		return q.logic(inA&inB|^inA&inC, by, a, b)
	}
	return q.xor(q.and(q.xor(a, b), by), b)
}

// adder returns the sum of three numbers of one bit at each square: how often the square is, in two sets.
func (q *vectors) adder(a, b, c value) (ones, twos set) {
	differ := q.xor(a, b)
	return q.xor(differ, c), q.choose(differ, c, a)
}

// counter adds up how often squares are in sets: by powers of two, up to two sets that are not yet added.
type counter struct {
	*vectors
	waiting [][]value
}

func (q *vectors) counter() *counter { return &counter{q, make([][]value, 8)} }

// add counts a set 2^power times.
func (c *counter) add(a value, power int) {
	w := append(c.waiting[power], a)
	if len(w) == 3 {
		ones, twos := c.adder(w[0], w[1], w[2])
		w = []value{ones}
		c.add(twos, power+1)
	}
	c.waiting[power] = w
}

// sums returns the squares by the bits of how often they are, n of them.
func (c *counter) sums(n int) (bits []set) {
	for power := range n {
		switch w := c.waiting[power]; len(w) {
		case 0:
			bits = append(bits, c.variable(c.constant(0)))
		case 1:
			bits = append(bits, c.variable(w[0]))
		default:
			bits = append(bits, c.xor(w[0], w[1]))
			if power+1 < n {
				c.add(c.and(w[0], w[1]), power+1)
			}
		}
	}
	return bits
}

// Steps in the directions of geom: by how much squares rise, and which squares they may end on.
var steps = [geom.Directions]struct {
	by   int
	onto uint64
}{
	geom.North: {8, ^uint64(0)}, geom.NorthEast: {9, notA}, geom.East: {1, notA}, geom.SouthEast: {-7, notA},
	geom.South: {-8, ^uint64(0)}, geom.SouthWest: {-9, notH}, geom.West: {-1, notH}, geom.NorthWest: {7, notH},
}

// step moves a set in a direction.
func (q *vectors) step(a value, dir int) set { return q.within(q.shift(a, steps[dir].by), dir) }

// within takes from a set what a step in the direction cannot reach.
func (q *vectors) within(a value, dir int) set {
	if steps[dir].onto == ^uint64(0) {
		return a.(set)
	}
	return q.and(a, q.constant(steps[dir].onto))
}

// passage is where one can go on in a direction: from one, two and four squares back over empty squares.
type passage [3]value

func (q *vectors) passage(empty value, dir int) (p passage) {
	p[0] = empty
	if steps[dir].onto != ^uint64(0) {
		p[0] = q.within(empty, dir)
	}
	for i := range 2 {
		p[i+1] = q.and(p[i], q.shift(p[i], steps[dir].by<<i))
	}
	return p
}

// grown returns a set and the empty squares that its squares see in a direction. Source: CPW "Kogge-Stone Algorithm".
func (q *vectors) grown(a value, p passage, dir int) set {
	for i, through := range p {
		a = q.or(a, q.and(through, q.shift(a, steps[dir].by<<i)))
	}
	return a.(set)
}

// seen returns the squares that a set's squares see in a direction, up to the first piece.
func (q *vectors) seen(a value, p passage, dir int) set { return q.step(q.grown(a, p, dir), dir) }

// knightSteps returns the squares that knights attack.
func (q *vectors) knightSteps(n value) set {
	one := q.or(q.and(q.shift(n, 1), q.constant(notA)), q.and(q.shift(n, -1), q.constant(notH)))
	two := q.or(q.and(q.shift(n, 2), q.constant(notAB)), q.and(q.shift(n, -2), q.constant(notGH)))
	return q.any(q.shift(one, 16), q.shift(one, -16), q.shift(two, 8), q.shift(two, -8))
}

// jumps returns the squares that knights reach by each of their eight jumps, and by how much these rise.
func (q *vectors) jumps(n value) (to [8]set, by [8]int) {
	east, west := q.and(n, q.constant(notH)), q.and(n, q.constant(notA))
	farEast, farWest := q.and(n, q.constant(notGH)), q.and(n, q.constant(notAB))
	by = [8]int{17, 15, -15, -17, 10, 6, -6, -10}
	for i, from := range [8]set{east, west, east, west, farEast, farWest, farEast, farWest} {
		to[i] = q.shift(from, by[i])
	}
	return to, by
}

// kingSteps returns the squares next to a king.
func (q *vectors) kingSteps(k value) set {
	row := q.or(q.and(q.shift(k, 1), q.constant(notA)), q.and(q.shift(k, -1), q.constant(notH)))
	rows := q.or(row, k)
	return q.any(row, q.shift(rows, 8), q.shift(rows, -8))
}

// upward and downward return what pawns attack that play up, or down.
func (q *vectors) upward(p value) set {
	return q.or(q.step(p, geom.NorthWest), q.step(p, geom.NorthEast))
}
func (q *vectors) downward(p value) set {
	return q.or(q.step(p, geom.SouthWest), q.step(p, geom.SouthEast))
}

// Kinds of sets of a side.
const (
	pawns = iota
	knights
	diagonal
	straight
	kings
	sideSets
)

// board is the positions in lanes as we see them, who play up.
type board struct {
	ours, theirs         [sideSets]set
	us, them, occ, empty set
}

// sliding returns which of a side's sets moves in a direction.
func sliding(dir int) int {
	if dir&1 != 0 {
		return diagonal
	}
	return straight
}

// made returns boards after a move: of the mover's sets, those with the square that is left change on both squares, and
// the other side loses what stood on the square reached. All is all pieces of a side.
func (q *vectors) made(mover, other [sideSets]value, all, rest, from, to value) (m, o [sideSets]set, a, r set) {
	move := q.or(from, to)
	for i := range mover {
		m[i] = q.xor(mover[i], q.where(move, q.meet(mover[i], from)))
		if i != kings {
			o[i] = q.andNot(other[i], to)
		}
	}
	return m, o, q.xor(all, move), q.andNot(rest, to)
}
