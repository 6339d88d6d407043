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
