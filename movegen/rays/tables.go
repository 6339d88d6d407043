package rays

import (
	"math/bits"
	"sync"
)

// A direction of the compass. The first four lead to higher bits, the others
// to lower ones; d ^ 4 is the opposite of d; even ones are straight and odd
// ones diagonal.
type direction int

const (
	north direction = iota
	northEast
	east
	northWest
	south
	southWest
	west
	southEast
)

// compass holds the file and rank step of each direction.
var compass = [8][2]int{
	north: {0, 1}, northEast: {1, 1}, east: {1, 0}, northWest: {-1, 1},
	south: {0, -1}, southWest: {-1, -1}, west: {-1, 0}, southEast: {1, -1},
}

// tables holds every set that depends on squares alone.
type tables struct {
	ray     [8][64]uint64  // from the square, which is excluded, to the edge
	knight  [64]uint64     // attacks of a knight
	king    [64]uint64     // attacks of a king
	pawn    [2][64]uint64  // captures of a pawn of the colour
	between [64][64]uint64 // strictly between two squares on a line, or empty
	line    [64][64]uint64 // the whole line through two squares, or empty
}

// newTables computes the tables once for all boards, at the first need.
var newTables = sync.OnceValue(func() *tables {
	t := &tables{}
	for s := range 64 {
		for d, step := range compass {
			for at, ok := hop(s, step[0], step[1]); ok; at, ok = hop(at, step[0], step[1]) {
				t.ray[d][s] |= 1 << at
			}
			t.king[s] |= jump(s, step[0], step[1])
		}
		for _, sign := range [2]int{-1, 1} {
			for _, way := range [2]int{-1, 1} {
				t.knight[s] |= jump(s, sign, 2*way) | jump(s, 2*sign, way)
			}
			t.pawn[0][s] |= jump(s, sign, 1)
			t.pawn[1][s] |= jump(s, sign, -1)
		}
	}
	for s := range 64 {
		for d := range direction(8) {
			whole := t.ray[d][s] | t.ray[d^4][s] | 1<<s
			for rest := t.ray[d][s]; rest != 0; rest &= rest - 1 {
				to := bits.TrailingZeros64(rest)
				t.line[s][to] = whole
				t.between[s][to] = t.ray[d][s] & t.ray[d^4][to]
			}
		}
	}
	return t
})

// hop returns the square so many files and ranks away and whether it is on
// the board, jump the set that holds it or nothing.
func hop(s, files, ranks int) (int, bool) {
	file, rank := s&7+files, s>>3+ranks
	return rank<<3 | file, file >= 0 && file < 8 && rank >= 0 && rank < 8
}

func jump(s, files, ranks int) uint64 {
	to, ok := hop(s, files, ranks)
	if !ok {
		return 0
	}
	return 1 << to
}

// first returns the lowest square of a set that is not empty.
func first(set uint64) int { return bits.TrailingZeros64(set) & 63 }

// forward returns what a slider attacks in a positive direction. The extra
// bit stands for "no blocker": h8 has no ray in any positive direction.
func (t *tables) forward(d direction, s int, occupied uint64) uint64 {
	ray := t.ray[d][s]
	return ray ^ t.ray[d][first(ray&occupied|1<<63)]
}

// backward is forward for the negative directions, with a1 for h8.
func (t *tables) backward(d direction, s int, occupied uint64) uint64 {
	ray := t.ray[d][s]
	return ray ^ t.ray[d][63-bits.LeadingZeros64(ray&occupied|1)]
}

// along is forward or backward, as the direction demands.
func (t *tables) along(d direction, s int, occupied uint64) uint64 {
	if d < south {
		return t.forward(d, s, occupied)
	}
	return t.backward(d, s, occupied)
}

func (t *tables) rook(s int, occupied uint64) uint64 {
	return t.forward(north, s, occupied) | t.forward(east, s, occupied) |
		t.backward(south, s, occupied) | t.backward(west, s, occupied)
}

func (t *tables) bishop(s int, occupied uint64) uint64 {
	return t.forward(northEast, s, occupied) | t.forward(northWest, s, occupied) |
		t.backward(southWest, s, occupied) | t.backward(southEast, s, occupied)
}
