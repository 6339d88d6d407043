package magic

import (
	"flag"
	"testing"

	"github.com/tabula-chess/tabula/internal/geom"
)

var seedLimit = flag.Uint64("seeds", 0, "look for the best seed of each rank below this number")

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

// BenchmarkSearchAll searches for the magics of all squares; the page cites it.
func BenchmarkSearchAll(b *testing.B) {
	for b.Loop() {
		for range All() {
		}
	}
}
