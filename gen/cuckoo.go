package main

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/internal/geom"
)

// cuckooSlots is the size of the cuckoo table: less than half of it is used.
const cuckooSlots = 8192

// cuckoo emits the table that finds, by the difference of the keys of two
// positions, the one move of a piece that leads from either to the other.
// Every key has two places, and one that is placed last drives out the other
// to its second. Source: Marcel van Kervinck, "The design and implementation of
// the Rookie 2.0 chess playing program", 2002; CPW "Repetitions".
func cuckoo() ([]byte, error) {
	z := drawZobrist()
	keys := make([]uint64, cuckooSlots)
	moves := make([]uint16, cuckooSlots)
	for piece := 2; piece < 12; piece++ {
		for from := range 64 {
			for to := range geom.Squares(emptyBoard(piece/2, from)) {
				if to < from {
					continue // the same move, the other way round
				}
				key := z.pieces[piece][from] ^ z.pieces[piece][to] ^ z.side
				move := uint16(from | to<<6)
				slot := cuckooFirst(key)
				for tries := 0; ; tries++ {
					keys[slot], key = key, keys[slot]
					moves[slot], move = move, moves[slot]
					if key == 0 {
						break
					}
					if tries == cuckooSlots {
						return nil, fmt.Errorf("cuckoo table: no place for move %#04x", move)
					}
					slot ^= cuckooFirst(key) ^ cuckooSecond(key)
				}
			}
		}
	}
	f := newTables()
	array(f, "cuckooKey", "cuckooKey holds the key of the move in each slot, 0 for an empty one.",
		[]int{cuckooSlots}, jen.Uint64(), words("", 4, keys))
	array(f, "cuckooMove", "cuckooMove holds the squares of the move in each slot: the lower one in the low\n"+
		"six bits, the other above.",
		[]int{cuckooSlots}, jen.Uint16(), words("", 8, moves))
	return render(f)
}

// The two places of a key: Reversal in tables looks there.
func cuckooFirst(key uint64) int  { return int(key % cuckooSlots) }
func cuckooSecond(key uint64) int { return int(key >> 16 % cuckooSlots) }

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
