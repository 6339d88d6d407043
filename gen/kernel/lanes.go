package kernel

import "github.com/tabula-chess/tabula/internal/geom"

// machine has instructions over lanes of 64 bits, one position in each, and on general registers. What it is asked for
// it records, but for places.
type machine interface {
	writer
	width() int                               // lanes of a vector
	begin() general                           // starts a function of a node, and returns that
	constant(w uint64) value                  // in every lane
	at(base general, offset int) memory       // a vector
	wordAt(base general, offset int) memory   // a word, in every lane
	put(a value, to memory)                   // writes to memory that others read
	moves(at general) set                     // as many chess.Move, one in each lane
	fetch(vector memory, lane value) set      // what the vector has in other lanes
	laneNumbers() (numbers value, offset int) // of the lanes, for fetch; a byte of each is where the lane is in a vector
	first(bytes general) lanes                // the first lanes, eight bytes each, or all
	pack(squares set) packing                 // brings together the lanes that have squares

	shift(a value, by int) set
	add(a, b value) set
	sub(a, b value) set
	product(a, b value) set                  // of numbers below 2^31
	bits(a value) set                        // the squares of numbers
	swapped(a value) set                     // the ranks in reverse order
	mirrored(a value) set                    // the files in reverse order
	ranks(a value) set                       // the ranks on which a has squares
	files(a value) set                       // the file of the one square of a
	downTo(part, blockers value, by int) set // part of a downward ray, up to the first of the blockers

	numbers(a value) set       // how many squares there are, in a form that can be added up 31 times
	addNumbers(a, b value) set // in this form
	total(numbers value) set   // and as a number

	meet(a, b value) lanes            // in which a and b share a square
	without(a value) lanes            // in which a has none
	equal(a, b value) lanes           // in which a is b
	where(a value, in lanes) set      // a in some lanes, nothing in the others
	orWhere(a, b value, in lanes) set // a, and b too in some lanes

	jumpUnless(a value, label string) // a has squares in any lane
	jumpIf(a value, label string)     // it has

	scope(body func()) // general registers that body asks for are its own
	general() general
	load64(to, base general, offset int)
	load8(to, base general, offset int)
	store64(from, base general, offset int)
	addTo(base general, offset int, n general) // adds to memory
	plus(to, a general, n int)
	plusBytes(to, a, b general)
	minus(to, a, b general)
	jump(label string)
	jumpZero(a general, label string)
	jumpMore(a general, label string) // than zero, signed
	jumpEqual(a, b general, label string)
	jumpLess(a, b general, label string)
	label(name string) string
	place(label string)
	comment(format string, args ...any)
}

// general is a general register, as a machine has it.
type general any

// packing is some lanes that are brought together.
type packing struct {
	bytes general // of them
	pack  func(a value) set
}

// lanes are some of the lanes, as a machine has them.
type lanes any

// vectors emits steps that all machines have.
type vectors struct {
	*sets
	machine
	node, memory, king general    // an index.CountingNode, its Sets, and what it says about their king's square
	group              general    // where in Leaves the results of a group go
	ends               [2]general // of the lists
	numbered, sum      set        // laneNumbers; the leaves
}

func (q *vectors) word(offset int) value     { return q.wordAt(q.node, offset) }
func (q *vectors) kingSquare(word int) value { return q.wordAt(q.king, word) }
func (q *vectors) slot(i int) memory         { return q.at(q.memory, i*8*q.width()) }

// squares returns how many squares some sets have together.
func (q *vectors) squares(of ...value) set {
	n := q.numbers(of[0])
	for _, a := range of[1:] {
		n = q.addNumbers(n, q.numbers(a))
	}
	return q.total(n)
}

// weighted returns how many squares some sets have within another, those of each counting twice as much as the last's.
func (q *vectors) weighted(within value, of []set) set {
	n := q.numbers(q.and(of[len(of)-1], within))
	for i := len(of) - 2; i >= 0; i-- {
		n = q.addNumbers(q.addNumbers(n, n), q.numbers(q.and(of[i], within)))
	}
	return q.total(n)
}

// tally adds the squares of a set to a variable of numbers.
func (q *vectors) tally(numbers set, a value) { q.assign(numbers, q.addNumbers(numbers, q.numbers(a))) }

// mark records a label.
func (q *vectors) mark(label string) {
	q.record(instruction{out: noSet, direct: -1, label: label, emit: func(int, []place) { q.place(label) }})
}

// part records a comment.
func (q *vectors) part(text string) {
	q.record(instruction{out: noSet, direct: -1, emit: func(int, []place) { q.comment("%s", text) }})
}

// when emits body, which runs so often, unless a has no squares in any lane.
func (q *vectors) when(a value, frequency float64, body func()) {
	end := q.label("skip")
	q.jumpUnless(a, end)
	q.with(frequency, body)
	q.mark(end)
}

// whenWord emits body, which runs unless a word of the node is zero.
func (q *vectors) whenWord(offset int, frequency float64, body func()) {
	end := q.label("skip")
	q.scope(func() {
		word := q.general()
		q.load64(word, q.node, offset)
		q.jumpZero(word, end)
	})
	q.with(frequency, body)
	q.mark(end)
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

// slide returns the squares that a set's squares see in a direction, up to the first piece.
func (q *vectors) slide(a value, p passage, dir int) set { return q.step(q.grown(a, p, dir), dir) }

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
