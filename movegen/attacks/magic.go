// Package attacks computes the attacks of bishops, rooks and queens.
//
// This file is the portable back end: magic look-ups in pure Go, small enough
// to be inlined into their callers. Squares are 0 to 63 with a1 = 0, h1 = 7 and
// a8 = 56; only the low six bits of a square count. Sets of squares are uint64
// with bit i for square i. An attack set holds the empty squares reached and
// the first occupied one in each direction, of whatever colour.
//
// The package imports tables and internal/geom.
package attacks

import "github.com/tabula-chess/tabula/tables"

// Bishop returns the squares a bishop on sq attacks on a board occupied by occ.
func Bishop(sq uint8, occ uint64) uint64 { return tables.BishopAttacks(sq, occ) }

// Rook returns the squares a rook on sq attacks on a board occupied by occ.
func Rook(sq uint8, occ uint64) uint64 { return tables.RookAttacks(sq, occ) }

// Queen returns the squares a queen on sq attacks on a board occupied by occ.
func Queen(sq uint8, occ uint64) uint64 {
	return tables.BishopAttacks(sq, occ) | tables.RookAttacks(sq, occ)
}
