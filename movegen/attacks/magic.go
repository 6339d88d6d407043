// Package attacks computes the attacks of bishops, rooks and queens.
//
// This file holds the portable way, magic look-ups. Squares are 0 to 63 with
// a1 = 0, sets of squares are uint64 with bit i for square i.
//
// The package imports tables and internal/geom.
package attacks

import "github.com/tabula-chess/tabula/tables"

// Bishop returns the squares a bishop on sq attacks on a board occupied by occ.
func Bishop(sq uint8, occ uint64) uint64 { return tables.Slider(tables.BishopMagic(sq).Index(occ)) }

// Rook returns the squares a rook on sq attacks on a board occupied by occ.
func Rook(sq uint8, occ uint64) uint64 { return tables.Slider(tables.RookMagic(sq).Index(occ)) }

// Queen returns the squares a queen on sq attacks on a board occupied by occ.
func Queen(sq uint8, occ uint64) uint64 { return Bishop(sq, occ) | Rook(sq, occ) }
