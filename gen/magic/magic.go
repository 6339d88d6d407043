// Package magic finds magic numbers for the attacks of bishops and rooks.
//
// A magic number turns the relevant occupancy of a square into an index: the
// top bits of occupancy times number. It serves if no two occupancies with
// different attack sets share an index. The search is brute force: candidates
// are drawn from the seeds below, so that the result is the same on every
// machine, and tried one after the other. Four things make it quick:
//
//   - candidates are sparse, and each costs one draw (see candidates.next);
//   - one whose product with the mask has few bits in its top byte is dropped
//     before any occupancy is looked at;
//   - occupancies are tried in the order of their number of pieces: the small
//     ones collide soonest, after ten of them on average instead of eighty in
//     the order of their values;
//   - entries of the trial table carry the number of the candidate that wrote
//     them, so that nothing is cleared between candidates.
package magic

import (
	"iter"
	"math/bits"
	"sync"

	"github.com/tabula-chess/tabula/tables/index"

	"github.com/tabula-chess/tabula/internal/geom"
)

// seeds holds the seed of the random numbers for each rank, bishops first.
// Each is the one below 1000 that needs the fewest candidates for its rank;
// `go test ./gen/magic -run TestSeeds -seeds 1000 -v` finds them again.
var seeds = [2][8]uint64{
	{297, 932, 751, 227, 422, 314, 285, 695},
	{544, 456, 25, 47, 972, 446, 294, 803},
}

// minTopBits is how many bits the product of a candidate and the mask must have
// in its top byte. Fewer spread the occupancies badly, more are rare. Over 40
// seeds, all rooks took 88, 94, 84, 81 and 115 ms on average for 3 to 7.
const minTopBits = 6

// Magics holds the magics of all squares. Offsets count from the bishops on a1 to
// the rook on h8, without gaps: index.SliderEntries entries in all.
type Magics struct {
	Bishop, Rook [64]index.Magic
}

// SearchAll returns the magics of all 64 squares for bishops and for rooks. Two files have them, but only the first
// call searches.
func SearchAll() Magics { return searched() }

var searched = sync.OnceValue(func() (set Magics) {
	for f := range All() {
		if f.Bishop {
			set.Bishop[f.Square] = f.Magic
		} else {
			set.Rook[f.Square] = f.Magic
		}
	}
	return set
})

// Found is a magic, with the number of candidates that it took.
type Found struct {
	Bishop bool
	Square int
	Magic  index.Magic
	Tries  int
}

// All finds the magics of all squares one after the other, bishops first.
func All() iter.Seq[Found] {
	return func(yield func(Found) bool) {
		t := new(trial)
		offset := uint32(0)
		for piece := range seeds {
			for rank, seed := range seeds[piece] {
				c := newCandidates(seed)
				for sq := rank * 8; sq < rank*8+8; sq++ {
					t.prepare(piece == 0, sq)
					before := c.count
					m := t.search(c)
					m.Offset = offset
					offset += uint32(t.n)
					if !yield(Found{piece == 0, sq, m, c.count - before}) {
						return
					}
				}
			}
		}
	}
}

// candidates is a sequence of sparse random numbers.
type candidates struct {
	random *geom.Random
	a, b   uint64 // the two latest draws
	count  int    // how many numbers next has returned
}

func newCandidates(seed uint64) *candidates {
	r := geom.NewRandom(seed)
	return &candidates{random: r, a: r.Next(), b: r.Next()}
}

// next returns three consecutive draws and-ed, which leaves about eight bits.
// Neighbours share two of their draws; that costs a third of the work of fresh
// draws and finds magics as often.
func (c *candidates) next() uint64 {
	x := c.random.Next()
	f := x & c.a & c.b
	c.a, c.b = x, c.a
	c.count++
	return f
}

// maxSubsets is the number of subsets of the largest mask, of 12 squares.
const maxSubsets = 1 << 12

// trial holds one square's occupancies and the table they are tried in.
type trial struct {
	mask     uint64
	n        int                // number of subsets of mask
	occupied [maxSubsets]uint64 // the subsets, those of few squares first
	attacks  [maxSubsets]uint64 // the attack set of each
	entry    [maxSubsets]uint64 // the attack set at each index …
	epoch    [maxSubsets]uint32 // … valid if the current candidate wrote it
}

// prepare fills in the occupancies of a square and their attack sets.
func (t *trial) prepare(bishop bool, sq int) {
	t.mask = geom.Relevant(bishop, sq)
	squares := bits.OnesCount64(t.mask)
	t.n = 1 << squares

	// place[k] is where the next subset of k squares goes.
	var place [13]int
	binomial := 1
	for k := range squares {
		place[k+1] = place[k] + binomial
		binomial = binomial * (squares - k) / (k + 1)
	}
	for occ := range geom.Subsets(t.mask) {
		k := bits.OnesCount64(occ)
		t.occupied[place[k]] = occ
		t.attacks[place[k]] = geom.Slider(bishop, sq, occ)
		place[k]++
	}
}

// search tries candidates until one is a magic for the prepared square. Its
// offset is left 0.
func (t *trial) search(c *candidates) index.Magic {
	m := index.Magic{Mask: t.mask, Shift: uint32(64 - bits.OnesCount64(t.mask))}
	clear(t.epoch[:])
	for epoch := uint32(1); ; epoch++ {
		m.Factor = c.next()
		for bits.OnesCount64(t.mask*m.Factor>>56) < minTopBits {
			m.Factor = c.next()
		}
		if epoch == 0 { // 2^32 candidates later: never seen, but right
			clear(t.epoch[:])
			epoch = 1
		}
		if t.fits(m, epoch) {
			return m
		}
	}
}

// fits reports whether m tells all occupancies apart that have different
// attack sets.
func (t *trial) fits(m index.Magic, epoch uint32) bool {
	attacks := t.attacks[:t.n]
	for i, occ := range t.occupied[:t.n] {
		index := m.Index(occ) % maxSubsets
		if t.epoch[index] != epoch {
			t.epoch[index] = epoch
			t.entry[index] = attacks[i]
		} else if t.entry[index] != attacks[i] {
			return false
		}
	}
	return true
}
