package testset

import (
	"math/rand/v2"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/search"
)

// meet searches p with e for a number of nodes and returns a random position that the search evaluated, uniformly
// among those with at least the given number of pieces, without its history. It returns nil if there is none.
func meet(e *search.Engine, p *chess.Position, nodes uint64, pieces int, r *rand.Rand) (*chess.Position, error) {
	met, fen := 0, ""
	see := func(q *chess.Position) {
		if q.Occupied().Count() < pieces {
			return
		}
		met++
		if r.IntN(met) == 0 {
			fen = q.FEN()
		}
	}
	e.Search(p, search.Limits{Nodes: nodes}, search.Options{Evaluated: see}, nil)
	if met == 0 {
		return nil, nil
	}
	return chess.ParseFEN(fen)
}
