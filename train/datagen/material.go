package datagen

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/record"
)

// Where positions with material scores come from: as many random moves after a start.
const (
	leastWalk = 16
	mostWalk  = 80
)

// pieceValues holds centipawns by piece type, pawn to king.
var pieceValues = [...]int{100, 300, 300, 500, 900, 0}

// material makes "games" of one quiet move from a random position, with the material as score. A network fitted
// to them knows the values of the pieces, which is enough for the first games.
type material struct{ chess960 float64 }

// Play returns the position that id seeds.
func (m *material) Play(_ context.Context, id record.ID) (*record.ScoredGame, error) {
	r := rand.New(rand.NewPCG(id.Run, uint64(id.Number)))
	for {
		p, err := match.RandomStart(r, m.chess960)
		if err != nil {
			return nil, err
		}
		movegen.RandomWalk(p, r, leastWalk+r.IntN(mostWalk-leastWalk+1))
		if p.InCheck() || p.Outcome() != chess.Ongoing {
			continue
		}
		moves := slices.DeleteFunc(movegen.Legal(p, nil), p.IsTactical)
		if len(moves) == 0 {
			continue
		}
		slices.Sort(moves)
		score := 0
		for t := chess.Pawn; t <= chess.King; t++ {
			score += pieceValues[t-chess.Pawn] * (p.Pieces(chess.White, t).Count() - p.Pieces(chess.Black, t).Count())
		}
		played := moves[r.IntN(len(moves))]
		ply := record.Ply{Move: played, Score: record.WhiteScore(chess.White, score)}
		return &record.ScoredGame{Start: record.Pack(p, record.Draw), Plies: []record.Ply{ply}}, nil
	}
}

// Close does nothing: there is no engine.
func (m *material) Close() {}
