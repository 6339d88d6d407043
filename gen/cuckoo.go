package main

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/gen/source"
	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/tables/index"
)

// cuckoo emits the table that finds, by the difference of the keys of two
// positions, the one move of a piece that leads from either to the other.
// Every key has two places, and one that is placed last drives out the other
// to its second. Source: Marcel van Kervinck, "The design and implementation of
// the Rookie 2.0 chess playing program", 2002; CPW "Repetitions".
func cuckoo() ([]byte, error) {
	z := drawZobrist()
	keys := make([]uint64, index.CuckooSlots)
	moves := make([]uint16, index.CuckooSlots)
	for piece := 2; piece < 12; piece++ {
		for from := range 64 {
			for to := range geom.Squares(emptyBoard(piece/2, from)) {
				if to < from {
					continue // the same move, the other way round
				}
				key := z.pieces[piece][from] ^ z.pieces[piece][to] ^ z.side
				move := uint16(from | to<<6)
				slot, _ := index.Cuckoo(key)
				for tries := 0; ; tries++ {
					keys[slot], key = key, keys[slot]
					moves[slot], move = move, moves[slot]
					if key == 0 {
						break
					}
					if tries == index.CuckooSlots {
						return nil, fmt.Errorf("cuckoo table: no place for move %#04x", move)
					}
					first, second := index.Cuckoo(key)
					slot ^= first ^ second
				}
			}
		}
	}
	f := source.NewFile(source.Gen, "tables")
	source.Array(f, "cuckooKey", "cuckooKey holds the key of the move in each slot, 0 for an empty one.",
		[]int{index.CuckooSlots}, jen.Uint64(), source.Words("", 4, keys))
	source.Array(f, "cuckooMove", "cuckooMove holds the squares of the move in each slot: the lower one in the low\n"+
		"six bits, the other above.",
		[]int{index.CuckooSlots}, jen.Uint16(), source.Words("", 8, moves))
	return source.Render(f)
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
