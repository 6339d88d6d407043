package index

import (
	"fmt"

	"github.com/tabula-chess/tabula/internal/geom"
)

// CuckooTable returns the table that finds, by the difference of the keys of two positions, the one move of a
// piece that leads from either to the other: the key of the move in each slot, 0 for an empty one, and its squares, the
// lower one in the low six bits. piece returns the key of a piece on a square, side that of Black being to move.
//
// Every key has two places, and one that is placed last drives out the other to its second. It fails where there
// is no place for a move. Source: Marcel van Kervinck, "The design and implementation of the Rookie 2.0 chess playing
// program", 2002; CPW "Repetitions".
func CuckooTable(piece func(piece, sq int) uint64, side uint64) (
	keys [CuckooSlots]uint64, moves [CuckooSlots]uint16, err error,
) {
	for p := 2; p < 12; p++ {
		for from := range 64 {
			for to := range geom.Squares(emptyBoard(p/2, from)) {
				if to < from {
					continue // the same move, the other way round
				}
				key := piece(p, from) ^ piece(p, to) ^ side
				move := uint16(from | to<<6)
				slot, _ := Cuckoo(key)
				for tries := 0; ; tries++ {
					keys[slot], key = key, keys[slot]
					moves[slot], move = move, moves[slot]
					if key == 0 {
						break
					}
					if tries == CuckooSlots {
						return keys, moves, fmt.Errorf("cuckoo table: no place for move %#04x", move)
					}
					first, second := Cuckoo(key)
					slot ^= first ^ second
				}
			}
		}
	}
	return keys, moves, nil
}

// emptyBoard returns the squares that a piece of kind (1 knight to 5 king) on
// sq reaches when it is alone.
func emptyBoard(kind, sq int) uint64 {
	switch kind {
	case 1:
		return geom.Knight(sq)
	case 2:
		return geom.Bishop(sq, 0)
	case 3:
		return geom.Rook(sq, 0)
	case 4:
		return geom.Bishop(sq, 0) | geom.Rook(sq, 0)
	}
	return geom.King(sq)
}
