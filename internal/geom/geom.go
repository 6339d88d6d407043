// Package geom is the slow, obvious geometry of a chessboard.
//
// It holds what both the generator of the tables and their readers and tests
// need: walks along rays, sets reached by each kind of piece, enumeration of
// the subsets of a mask, and the seeded random numbers that the magics and the
// Zobrist keys are drawn from. Everything is written to be read and checked by eye.
//
// Squares are numbers 0 to 63 with a1 = 0, h1 = 7, a8 = 56 and h8 = 63; sets of
// squares are uint64 with bit i standing for square i; colours are 0 for White and 1 for Black. A square,
// colour or direction out of range is the caller's mistake: results are then
// meaningless, but nothing panics and nothing loops for ever.
package geom

import "iter"

// The eight directions of the compass, clockwise from north. North points to
// the eighth rank, east to the h file. Even numbers are the directions of a
// rook, odd ones those of a bishop; d^4 is the opposite of d.
const (
	North = iota
	NorthEast
	East
	SouthEast
	South
	SouthWest
	West
	NorthWest
	Directions // the number of directions
)

// delta holds the file and rank step of each direction.
var delta = [Directions][2]int{
	North: {0, 1}, NorthEast: {1, 1}, East: {1, 0}, SouthEast: {1, -1},
	South: {0, -1}, SouthWest: {-1, -1}, West: {-1, 0}, NorthWest: {-1, 1},
}

// Square returns the square on file (0 = a) and rank (0 = first), and false
// if that is off the board.
func Square(file, rank int) (sq int, ok bool) {
	return rank*8 + file, file >= 0 && file < 8 && rank >= 0 && rank < 8
}

// Bit returns the set that holds only sq.
func Bit(sq int) uint64 { return 1 << (uint(sq) & 63) }

// Walk returns the squares met going from sq in direction dir, sq not
// included, up to and including the first one in occ or the last on the board.
func Walk(sq, dir int, occ uint64) uint64 {
	var set uint64
	d := delta[dir&7]
	file, rank := sq&7, sq>>3
	for {
		file, rank = file+d[0], rank+d[1]
		to, ok := Square(file, rank)
		if !ok {
			return set
		}
		set |= Bit(to)
		if occ&Bit(to) != 0 {
			return set
		}
	}
}

// Ray returns all squares from sq to the edge in direction dir, sq not
// included.
func Ray(dir, sq int) uint64 { return Walk(sq, dir, 0) }

// Rook returns the squares that a rook on sq attacks on a board where the
// squares in occ are occupied; sq itself may be in occ.
func Rook(sq int, occ uint64) uint64 {
	return Walk(sq, North, occ) | Walk(sq, East, occ) | Walk(sq, South, occ) | Walk(sq, West, occ)
}

// Bishop returns the squares that a bishop on sq attacks, like [Rook].
func Bishop(sq int, occ uint64) uint64 {
	return Walk(sq, NorthEast, occ) | Walk(sq, SouthEast, occ) | Walk(sq, SouthWest, occ) | Walk(sq, NorthWest, occ)
}

// Slider returns Bishop or Rook.
func Slider(bishop bool, sq int, occ uint64) uint64 {
	if bishop {
		return Bishop(sq, occ)
	}
	return Rook(sq, occ)
}

// Relevant returns the squares whose occupancy can change the attacks of a
// bishop or rook on sq: its rays without the last square of each, since a
// piece at the very end of a ray hides nothing. It has 5 to 9 squares for a
// bishop and 10 to 12 for a rook.
func Relevant(bishop bool, sq int) uint64 {
	first := North
	if bishop {
		first = NorthEast
	}
	var mask uint64
	for dir := first; dir < Directions; dir += 2 {
		ray := Ray(dir, sq)
		for to := range Squares(ray) {
			if Ray(dir, to) != 0 {
				mask |= Bit(to)
			}
		}
	}
	return mask
}

// Between returns the squares strictly between a and b, empty unless they
// share a rank, file or diagonal.
func Between(a, b int) uint64 {
	for dir := range Directions {
		if reached := Walk(a, dir, Bit(b)); reached&Bit(b) != 0 {
			return reached &^ Bit(b)
		}
	}
	return 0
}

// Line returns the whole line through a and b from edge to edge, both
// included; empty unless they differ and share a rank, file or diagonal.
func Line(a, b int) uint64 {
	for dir := range Directions {
		if Ray(dir, a)&Bit(b) != 0 {
			return Ray(dir, a) | Bit(a) | Ray(dir^4, a)
		}
	}
	return 0
}

// Squares iterates over a set from the lowest square up.
func Squares(set uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for sq := range 64 {
			if set&Bit(sq) != 0 && !yield(sq) {
				return
			}
		}
	}
}

// Subsets iterates over all subsets of mask, the empty one first and mask
// itself last, in ascending order. Source: the Carry-Rippler, CPW "Traversing
// Subsets of a Set".
func Subsets(mask uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for sub := uint64(0); yield(sub); {
			sub = (sub - mask) & mask
			if sub == 0 {
				return
			}
		}
	}
}
