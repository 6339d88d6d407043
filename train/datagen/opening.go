package datagen

import (
	"math/rand/v2"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
)

const (
	randomPlies    = 8    // or one more, so that both sides begin
	openingNodes   = 1000 // soft limit of the search that checks an opening
	openingBalance = 250  // centipawns; an opening beyond is not played
)

// opening returns the position a game starts from: a few random moves after a
// start position, about even. Source: the habit of most engines with networks,
// as told by the documentation of bullet.
func (p *player) opening(r *rand.Rand) (*chess.Position, error) {
	for {
		pos, err := p.start(r)
		if err != nil {
			return nil, err
		}
		if n := randomPlies + r.IntN(2); movegen.RandomWalk(pos, r, n) < n || pos.Outcome() != chess.Ongoing {
			continue
		}
		res := p.engine.Search(pos, search.Soft(openingNodes), search.Options{}, nil)
		if res.Score >= -openingBalance && res.Score <= openingBalance {
			return pos, nil
		}
	}
}

// start returns a start position: standard chess, or for the share of Chess960
// one of its starts, half of the time a different one for each side.
func (p *player) start(r *rand.Rand) (*chess.Position, error) {
	if r.Float64() >= p.config.Chess960 {
		return chess.NewPosition(), nil
	}
	white := r.IntN(chess.Chess960Starts)
	black := white
	if r.IntN(2) == 0 {
		black = r.IntN(chess.Chess960Starts)
	}
	return chess.NewDoubleChess960(white, black)
}
