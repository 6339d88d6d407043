package perft

import (
	"context"

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
// to the perft of that ply. Positions are compared as a whole: no hash decides what is equal.
func unique(ctx context.Context, p *chess.Position, plies int) ([]place, perft.Geometry, error) {
	frame, geometry := perft.FrameOf(p)
	places := []place{{frame, 1}}
	for range plies {
		var next []place
		at := map[perft.Frame]int{} // indexes into next
		var steps perft.Steps
		var child perft.Frame
		for i := range places {
			if i%4096 == 0 && ctx.Err() != nil {
				return nil, geometry, ctx.Err()
			}
			from := &places[i]
			for _, s := range steps[:perft.List(&from.frame, &geometry, &steps)] {
				from.frame.Make(s, &geometry, &child)
				if known, ok := at[child]; ok {
					next[known].ways += from.ways
				} else {
					at[child] = len(next)
					next = append(next, place{child, from.ways})
				}
			}
		}
		places, geometry = next, geometry.Flip()
	}
	return places, geometry, nil
}
