package perft

import (
	"context"
	"math/bits"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// place is a position some plies below the root, and the number of ways there.
type place struct {
	frame perft.Frame
	ways  uint64
}

// unique returns the different positions at a ply below p, in the order in which
// a walk first meets them, and the geometry of castling there. The ways add up
// to the perft of that ply.
func unique(ctx context.Context, p *chess.Position, plies int) ([]place, perft.Geometry, error) {
	frame, geometry := perft.FrameOf(p)
	places := []place{{frame, 1}}
	for range plies {
		next := newSet(len(places) * 8)
		var steps perft.Steps
		var child perft.Frame
		for i := range places {
			if i%4096 == 0 && ctx.Err() != nil {
				return nil, geometry, ctx.Err()
			}
			at := &places[i]
			for _, s := range steps[:perft.List(&at.frame, &geometry, &steps)] {
				at.frame.Make(s, &geometry, &child)
				next.add(&child, at.ways)
			}
		}
		places, geometry = next.places, geometry.Flip()
	}
	return places, geometry, nil
}

// set is a set of positions with the ways to them. Positions are compared as a
// whole: no hash decides what is equal.
type set struct {
	places []place
	slots  []uint32 // 1 + index into places, 0 for none; open addressing
}

func newSet(expected int) *set {
	return &set{slots: make([]uint32, 1<<bits.Len(uint(max(expected, 512))))}
}

// add adds ways to a position.
func (s *set) add(f *perft.Frame, ways uint64) {
	if 2*len(s.places) >= len(s.slots) {
		s.grow()
	}
	slot := s.find(f)
	if at := s.slots[slot]; at != 0 {
		s.places[at-1].ways += ways
		return
	}
	s.places = append(s.places, place{*f, ways})
	s.slots[slot] = uint32(len(s.places))
}

// find returns the slot of a position, or the empty one where it belongs.
func (s *set) find(f *perft.Frame) uint64 {
	mask := uint64(len(s.slots) - 1)
	for slot := spread(f) & mask; ; slot = (slot + 1) & mask {
		if at := s.slots[slot]; at == 0 || s.places[at-1].frame == *f {
			return slot
		}
	}
}

func (s *set) grow() {
	s.slots = make([]uint32, 2*len(s.slots))
	for i := range s.places {
		s.slots[s.find(&s.places[i].frame)] = uint32(i + 1)
	}
}

// spread maps a position to where the search for it begins.
func spread(f *perft.Frame) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, word := range [...]uint64{f.P, f.N, f.D, f.H, f.K, f.TP, f.TN, f.TD, f.TH, f.TK, f.Castle, f.EnPassant} {
		high, low := bits.Mul64(h^word, 0xd6e8feb86659fd93)
		h = high ^ low
	}
	return h ^ h>>29
}
