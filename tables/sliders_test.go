package tables

import (
	"math/bits"
	"testing"

	"github.com/tabula-chess/tabula/tables/index"

	"github.com/tabula-chess/tabula/internal/geom"
)

// TestMagics checks that no occupancy whatever leads outside a square's
// entries, which BishopAttacks and RookAttacks rely on, and compares every
// entry with the slow walk.
func TestMagics(t *testing.T) {
	next := uint32(0)
	for _, piece := range []struct {
		bishop  bool
		magics  *[64]index.Magic
		attacks func(sq uint8, occ uint64) uint64
	}{{true, &bishopMagic, BishopAttacks}, {false, &rookMagic, RookAttacks}} {
		for sq, m := range piece.magics {
			// The index is Offset plus the top 64-Shift bits of a product.
			if m.Shift < 52 || m.Shift > 63 || m.Offset != next {
				t.Fatalf("bishop %v on %d: offset %d, shift %d; want offset %d", piece.bishop, sq, m.Offset, m.Shift, next)
			}
			next += 1 << (64 - m.Shift)
			for occ := range geom.Subsets(m.Mask) {
				want := geom.Slider(piece.bishop, sq, occ)
				for _, o := range []uint64{occ, occ | ^m.Mask} {
					if got := piece.attacks(uint8(sq), o); got != want {
						t.Fatalf("bishop %v on %d, occupancy %#x: %#x, want %#x", piece.bishop, sq, o, got, want)
					}
				}
				if got := sliders[m.Index(occ)]; got != want {
					t.Fatalf("bishop %v on %d, occupancy %#x: entry %#x, want %#x", piece.bishop, sq, occ, got, want)
				}
			}
		}
	}
	if next != index.SliderEntries {
		t.Errorf("%d entries, want %d", next, index.SliderEntries)
	}
}

// TestRows compares the rows of kernels with the tables of leapers.
func TestRows(t *testing.T) {
	for sq, r := range Rows() {
		s := uint8(sq)
		if got, want := [...]uint64{r.Knight, r.King, r.Pawn}, [...]uint64{Knight(s), King(s), Pawn(0, s)}; got != want {
			t.Errorf("square %d: knight, king and pawn %x, want %x", sq, got, want)
		}
	}
}

// TestPext compares every entry of both PEXT tables with the slow walk.
func TestPext(t *testing.T) {
	next := uint32(0)
	for _, bishop := range []bool{true, false} {
		for sq, r := range Rows() {
			p := index.Pext{Mask: r.RookMask, Rays: r.RookRays, Offset: r.RookAt}
			if bishop {
				p = index.Pext{Mask: r.BishopMask, Rays: r.BishopRays, Offset: r.BishopAt}
			}
			want := index.Pext{Mask: geom.Relevant(bishop, sq), Rays: geom.Slider(bishop, sq, 0), Offset: next}
			if p != want {
				t.Fatalf("bishop %v on %d: %+v, want %+v", bishop, sq, p, want)
			}
			next += 1 << bits.OnesCount64(p.Mask)
			for occ := range geom.Subsets(p.Mask) {
				want := geom.Slider(bishop, sq, occ)
				if got := PextSets()[p.Index(occ)]; got != want {
					t.Fatalf("bishop %v on %d, occupancy %#x: %#x, want %#x", bishop, sq, occ, got, want)
				}
			}
		}
	}
	if next != index.SliderEntries {
		t.Errorf("%d entries, want %d", next, index.SliderEntries)
	}
}
