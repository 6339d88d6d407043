package tables

import (
	"unsafe"

	"github.com/tabula-chess/tabula/tables/index"
)

// BishopAttacks returns the squares a bishop on sq attacks on a board occupied
// by occ, by magic look-up.
func BishopAttacks(sq uint8, occ uint64) uint64 {
	// No bounds check, which gains 5 %: whatever occ is, the index is below
	// Offset + 2^(64-Shift), and TestMagics shows that this is inside the array
	// for every square.
	return *(*uint64)(unsafe.Add(unsafe.Pointer(&sliders), uintptr(bishopMagic[sq&63].Index(occ))*8))
}

// RookAttacks returns the squares a rook on sq attacks on a board occupied by
// occ, by magic look-up.
func RookAttacks(sq uint8, occ uint64) uint64 {
	// As in BishopAttacks.
	return *(*uint64)(unsafe.Add(unsafe.Pointer(&sliders), uintptr(rookMagic[sq&63].Index(occ))*8))
}

// PextSets returns all attack sets in the order of index.Pext.Index, read only.
func PextSets() *[index.SliderEntries]uint64 { return &pextSets }

// Rows returns what kernels look up, by square, and where PextSets has the
// attacks of its sliders; read only.
func Rows() *[64]index.Row { return &rows }
