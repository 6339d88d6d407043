package tables

import "github.com/tabula-chess/tabula/tables/index"

// cuckooKey and cuckooMove are the arrays of zcuckoo.go. A browser downloads the program, and keys do not pack: so the
// arrays are not in it but are filled at start.
var cuckooKey, cuckooMove = fillCuckoo()

// fillCuckoo makes the table as the generator does, which has seen that each move finds its place.
func fillCuckoo() (keys [index.CuckooSlots]uint64, moves [index.CuckooSlots]uint16) {
	keys, moves, _ = index.CuckooTable(func(piece, sq int) uint64 { return zobristPiece[piece][sq] }, zobristSide)
	return keys, moves
}
