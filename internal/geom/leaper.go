package geom

// Knight returns the squares that a knight on sq attacks.
func Knight(sq int) uint64 {
	return leaps(sq, [][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}})
}

// King returns the squares that a king on sq attacks.
func King(sq int) uint64 { return leaps(sq, delta[:]) }

// Pawn returns the squares that a pawn of the given colour on sq attacks, also
// for the first and last rank, where no pawn stands: the tables are asked from
// there when looking for the pawns that attack a square.
func Pawn(color, sq int) uint64 {
	if color == 0 {
		return leaps(sq, [][2]int{{-1, 1}, {1, 1}})
	}
	return leaps(sq, [][2]int{{-1, -1}, {1, -1}})
}

// leaps returns the squares of the board that lie the given file and rank
// steps away from sq.
func leaps(sq int, steps [][2]int) uint64 {
	var set uint64
	for _, d := range steps {
		if to, ok := Square(sq&7+d[0], sq>>3+d[1]); ok {
			set |= Bit(to)
		}
	}
	return set
}
