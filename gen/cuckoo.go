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
			for to := from + 1; to < 64; to++ {
				if !reaches(piece/2, from, to) {
					continue
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

// reaches reports whether a piece of kind (1 knight to 5 king) moves from a to
// b on an empty board.
func reaches(kind, a, b int) bool {
	files, ranks := abs(a&7-b&7), abs(a>>3-b>>3)
	switch kind {
	case 1:
		return files*ranks == 2
	case 2:
		return files == ranks
	case 3:
		return files*ranks == 0
	case 4:
		return files == ranks || files*ranks == 0
	}
	return geom.Distance(a, b) == 1
}

func abs(x int) int { return max(x, -x) }
