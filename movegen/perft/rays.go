package perft

import (
	"math/bits"

	"github.com/tabula-chess/tabula/tables"
)

// reach returns the squares from sq in a direction, up to the first of occ.
func reach(sq, dir uint8, occ uint64) uint64 {
	ray := tables.Ray(dir, sq)
	if blockers := ray & occ; blockers != 0 {
		ray &^= tables.Ray(dir, nearest(blockers, dir))
	}
	return ray
}

// nearest returns the first of some squares on a ray.
func nearest(set uint64, dir uint8) uint8 {
	if dir < 3 || dir == 7 { // towards higher squares
		return square(set)
	}
	return uint8(bits.Len64(set) - 1)
}

// attacks returns what a piece attacks, a pawn of theirs if it is one.
func attacks(kind int, sq uint8, occ uint64) uint64 {
	switch kind {
	case pawn:
		return pawnSources(1 << sq)
	case knight:
		return tables.Knight(sq)
	case bishop:
		return tables.BishopAttacks(sq, occ)
	case rook:
		return tables.RookAttacks(sq, occ)
	case queen:
		return tables.BishopAttacks(sq, occ) | tables.RookAttacks(sq, occ)
	}
	return tables.King(sq)
}

// after returns the frame after a move of theirs that is no castling or en passant.
func (f *Frame) after(from, to uint64, kind, arrives int) Frame {
	c := *f
	c.P &^= to
	c.N &^= to
	c.D &^= to
	c.H &^= to
	c.Castle &^= from | to
	if kind == king {
		c.Castle &= rank1
	}
	c.EnPassant = 0
	if target := to << 8; kind == pawn && from == to<<16 && pawnSources(target)&c.P != 0 {
		c.EnPassant = target
	}
	c.theirs(kind, from)
	c.theirs(arrives, to)
	return c
}

// theirs toggles a piece of theirs.
func (f *Frame) theirs(kind int, square uint64) {
	switch kind {
	case pawn:
		f.TP ^= square
	case knight:
		f.TN ^= square
	case bishop:
		f.TD ^= square
	case rook:
		f.TH ^= square
	case queen:
		f.TD ^= square
		f.TH ^= square
	case king:
		f.TK ^= square
	}
}
