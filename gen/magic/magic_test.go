package magic

import (
	"flag"
	"math/bits"
	"testing"

	"github.com/tabula-chess/tabula/tables/index"

	"github.com/tabula-chess/tabula/internal/geom"
)

var seedLimit = flag.Uint64("seeds", 0, "look for the best seed of each rank below this number")

// TestSearchAll checks every magic against the slow walk for every subset of
// its mask, and that the squares' entries lie side by side.
func TestSearchAll(t *testing.T) {
	set := SearchAll()
	next := uint32(0)
	for _, tt := range []struct {
		name   string
		bishop bool
		magics [64]index.Magic
	}{{"bishop", true, set.Bishop}, {"rook", false, set.Rook}} {
		for sq, m := range tt.magics {
			if want := geom.Relevant(tt.bishop, sq); m.Mask != want {
				t.Fatalf("%s on %d: mask %#x, want %#x", tt.name, sq, m.Mask, want)
			}
			size := uint32(1) << bits.OnesCount64(m.Mask)
			if m.Offset != next || uint32(1)<<(64-m.Shift) != size {
				t.Fatalf("%s on %d: offset %d, shift %d; want offset %d for %d entries",
					tt.name, sq, m.Offset, m.Shift, next, size)
			}
			next += size
			entries := map[uint32]uint64{}
			for occ := range geom.Subsets(m.Mask) {
				attacks := geom.Slider(tt.bishop, sq, occ)
				index := m.Index(occ)
				if index < m.Offset || index >= next {
					t.Fatalf("%s on %d, occupancy %#x: index %d outside [%d, %d)", tt.name, sq, occ, index, m.Offset, next)
				}
				if other, ok := entries[index]; ok && other != attacks {
					t.Fatalf("%s on %d, occupancy %#x: index %d holds %#x, want %#x", tt.name, sq, occ, index, other, attacks)
				}
				entries[index] = attacks
			}
		}
	}
	if next != index.SliderEntries {
		t.Errorf("%d entries, want %d", next, index.SliderEntries)
	}
}

func TestSearchAllIsDeterministic(t *testing.T) {
	first, second := SearchAll(), SearchAll()
	if first != second {
		t.Error("two searches gave different magics")
	}
}

// TestFitsRejects shows that the trial would notice a bad number.
func TestFitsRejects(t *testing.T) {
	set := SearchAll()
	tr := new(trial)
	for sq := range 64 {
		tr.prepare(false, sq)
		m := set.Rook[sq]
		m.Offset = 0
		clear(tr.epoch[:])
		if !tr.fits(m, 1) {
			t.Errorf("rook on %d: the magic %#x is refused", sq, m.Factor)
		}
		for _, factor := range []uint64{0, 1, ^uint64(0), 1 << 63, m.Factor << 1} {
			m.Factor = factor
			entries, good := map[uint32]uint64{}, true
			for occ := range geom.Subsets(m.Mask) {
				attacks := geom.Rook(sq, occ)
				if other, ok := entries[m.Index(occ)]; ok && other != attacks {
					good = false
				}
				entries[m.Index(occ)] = attacks
			}
			clear(tr.epoch[:])
			if got := tr.fits(m, 1); got != good {
				t.Errorf("rook on %d, factor %#x: fits = %v, want %v", sq, factor, got, good)
			}
		}
	}
}

// TestSeeds looks for the seeds that are written in magic.go.
func TestSeeds(t *testing.T) {
	if *seedLimit == 0 {
		t.Skip("runs with -seeds N")
	}
	var trials [8]trial
	for piece, name := range []string{"bishop", "rook"} {
		for rank := range 8 {
			for file := range trials {
				trials[file].prepare(piece == 0, rank*8+file)
			}
			var best, fewest = uint64(0), 1 << 62
			for seed := range *seedLimit {
				c := newCandidates(seed)
				for file := 0; file < 8 && c.count < fewest; file++ {
					trials[file].search(c)
				}
				if c.count < fewest {
					best, fewest = seed, c.count
				}
			}
			t.Logf("%s, rank %d: seed %d, %d candidates", name, rank+1, best, fewest)
			if *seedLimit == 1000 && seeds[piece][rank] != best {
				t.Errorf("%s, rank %d: seed %d is written, want %d", name, rank+1, seeds[piece][rank], best)
			}
		}
	}
}
