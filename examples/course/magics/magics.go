// Package magics is the generator of chapter 6. A table holds the attacks of a slider for every arrangement of
// pieces on its lines. A multiplication by a magic number turns the arrangement into an index; a search by trial
// and error finds the number. All else is as in chapter 5, and comes from there.
//
// Sources: Chess Programming Wiki, "Magic Bitboards", "Looking for Magics": Lasse Hansen, Pradu Kannan.
package magics

import (
	"math/bits"
	"math/rand/v2"
	"sync"

	"github.com/tabula-chess/tabula/examples/course/rays"
)

// Walk returns the squares that a slider attacks, step by step. With inner, the walk ends before the edge: that
// is the mask of the squares where a piece makes a difference.
func Walk(rook bool, from int, occupied uint64, inner bool) (set uint64) {
	steps := [4][2]int{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}}
	if rook {
		steps = [4][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
	}
	on := func(n int) bool { return n >= 0 && n < 8 }
	for _, s := range steps {
		for file, rank := from%8+s[0], from/8+s[1]; on(file) && on(rank); file, rank = file+s[0], rank+s[1] {
			if inner && !(on(file+s[0]) && on(rank+s[1])) {
				break
			}
			set |= 1 << (8*rank + file)
			if occupied>>(8*rank+file)&1 != 0 {
				break
			}
		}
	}
	return set
}

// A Magic turns the pieces in a slider's way into an index of its attacks.
type Magic struct {
	Mask    uint64 // the squares where a piece makes a difference
	Factor  uint64
	Shift   int      // 64 less the number of squares in Mask
	Attacks []uint64 // by index
	Tries   int      // factors that the search looked at
}

// Index returns the index of an arrangement of pieces.
func (m *Magic) Index(occupied uint64) uint64 { return occupied & m.Mask * m.Factor >> m.Shift }

// Search finds the magic of a slider on a square: it tries random factors with few bits until no index stands for two
// arrangements with different attacks.
func Search(rook bool, from int) Magic {
	mask := Walk(rook, from, 0, true)
	size := 1 << bits.OnesCount64(mask)
	m := Magic{Mask: mask, Shift: 64 - bits.OnesCount64(mask), Attacks: make([]uint64, size)}
	var subsets, attacks []uint64
	for subset, more := uint64(0), true; more; more = subset != 0 {
		subsets, attacks = append(subsets, subset), append(attacks, Walk(rook, from, subset, false))
		subset = (subset - mask) & mask // the next one counts up in the bits of the mask
	}
	random := rand.New(rand.NewPCG(uint64(from), 1))
	for filled := 0; filled < size; {
		m.Tries++
		if m.Factor = random.Uint64() & random.Uint64() & random.Uint64(); bits.OnesCount64(mask*m.Factor>>56) < 6 {
			continue // too few bits reach the top
		}
		clear(m.Attacks)
		for filled = 0; filled < size; filled++ {
			entry := &m.Attacks[m.Index(subsets[filled])]
			if *entry != 0 && *entry != attacks[filled] {
				break
			}
			*entry = attacks[filled]
		}
	}
	return m
}

// all holds the magics of all squares, bishops first.
var all = sync.OnceValue(func() *[2][64]Magic {
	t := new([2][64]Magic)
	for from := range 64 {
		t[0][from], t[1][from] = Search(false, from), Search(true, from)
	}
	return t
})

// look returns the attacks of an arrangement of pieces.
func (m *Magic) look(occupied uint64) uint64 { return m.Attacks[m.Index(occupied)] }

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
