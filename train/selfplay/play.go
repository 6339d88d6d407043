package selfplay

import (
	"context"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/record"
)

// NewEngine returns an engine with a table of hashMiB MiB that evaluates with
// n, nil for the embedded network.
func NewEngine(hashMiB int, n *nnue.Network) (*search.Engine, error) {
	e, err := search.NewEngine(hashMiB)
	if err == nil && n != nil {
		e.SetNetwork(n)
	}
	return e, err
}

// Play plays a game from p, each engine with its colour, which may be the same
// one; p is at the end of the game afterwards. ok is false where ctx ended
// first.
func Play(ctx context.Context, p *chess.Position, engines [2]*search.Engine, l search.Limits) (game record.Game, ok bool) {
	game.Start = record.Pack(p, record.Draw)
	first := 2*(p.FullmoveNumber()-1) + int(p.SideToMove())
	var j Judge
	for len(game.Plies) < maxPlies {
		result, over := Ended(p)
		if !over {
			if ctx.Err() != nil {
				return game, false
			}
			us := p.SideToMove()
			res := engines[us].Search(p, l, search.Options{}, nil)
			score := record.WhiteScore(us, int(res.Score))
			result, over = j.See(first+len(game.Plies), eval.Score(score))
			game.Plies = append(game.Plies, record.Ply{Move: record.MoveOf(res.Best), Score: score})
			p.Make(res.Best)
		}
		if over {
			game.Start.SetResult(result)
			break
		}
	}
	return game, true
}
