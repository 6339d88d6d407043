// Package gather is the generator of chapter 7. The instruction PEXT of x86 processors gathers the bits of a word
// that a mask selects, so that a slider's table needs no magic number. Without the instruction, a loop does the
// same. All else is as in chapters 5 and 6, and comes from there.
//
// Sources: Chess Programming Wiki, "BMI2", "PEXT Bitboards".
package gather

import (
	"sync"

	"github.com/tabula-chess/tabula/examples/course/magics"
	"github.com/tabula-chess/tabula/examples/course/rays"
)

// A Table holds the attacks of a slider on a square by the gathered pieces in its way.
type Table struct {
	Mask    uint64 // the squares where a piece makes a difference
	Attacks []uint64
}

// Loop is PEXT without the instruction: a round for each bit of the mask.
func Loop(word, mask uint64) (index uint64) {
	for bit := uint64(1); mask != 0; mask, bit = mask&(mask-1), bit<<1 {
		if word&mask&-mask != 0 {
			index |= bit
		}
	}
	return index
}

// all holds the tables of all squares, bishops first.
var all = sync.OnceValue(func() *[2][64]Table {
	t := new([2][64]Table)
	for i := range 128 {
		from, rook := i/2, i%2 == 1
		table := &t[i%2][from]
		table.Mask = magics.Walk(rook, from, 0, true)
		for subset, more := uint64(0), true; more; more = subset != 0 {
			// Counted up in the bits of the mask, the subsets come in the order of their indexes.
			table.Attacks = append(table.Attacks, magics.Walk(rook, from, subset, false))
			subset = (subset - table.Mask) & table.Mask
		}
	}
	return t
})

// look returns the attacks of an arrangement of pieces.
func (t *Table) look(occupied uint64) uint64 { return t.Attacks[Pext(occupied, t.Mask)] }

// Sliders returns the look-ups. The first call makes the tables.
func Sliders() *rays.Sliders {
	t := all()
	return &rays.Sliders{
		Bishop: func(from int, occupied uint64) uint64 { return t[0][from].look(occupied) },
		Rook:   func(from int, occupied uint64) uint64 { return t[1][from].look(occupied) },
	}
}

// Moves returns the legal moves of a position in UCI text, nil for an invalid FEN.
func Moves(fen string) []string { return Sliders().Moves(fen) }

// Perft counts the leaves of the tree of legal moves of a depth, 0 for an invalid FEN.
func Perft(fen string, depth int) uint64 { return Sliders().Perft(fen, depth) }
