package datagen

import (
	"context"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/record"
)

// hardFactor is how far a search may run over its soft limit, which counts
// only between iterations.
const hardFactor = 2

// player plays games one after the other.
type player struct {
	config *Config
	engine *search.Engine
}

// newPlayer returns a player with an engine of its own.
func newPlayer(c *Config) (*player, error) {
	e, err := search.NewEngine(c.Hash)
	if err != nil {
		return nil, err
	}
	if c.Network != nil {
		e.SetNetwork(c.Network)
	}
	return &player{config: c, engine: e}, nil
}

// play plays the game that id seeds and appends it to buf. It returns nil where
// ctx ends first.
func (p *player) play(ctx context.Context, id block.ID, buf []byte) (record.View, error) {
	p.engine.Clear()
	r := rand.New(rand.NewPCG(id.Run, uint64(id.Number)))
	pos, err := p.opening(r)
	if err != nil {
		return nil, err
	}
	game := record.Game{Start: record.Pack(pos, record.Draw)}
	limits := search.Limits{SoftNodes: p.config.Nodes, Nodes: p.config.Nodes * hardFactor}
	first := 2*(pos.FullmoveNumber()-1) + int(pos.SideToMove())
	var j judge
	for len(game.Plies) < maxPlies {
		result, over := ended(pos)
		if !over {
			if ctx.Err() != nil {
				return nil, nil
			}
			res := p.engine.Search(pos, limits, search.Options{}, nil)
			score := whiteScore(pos, res.Score)
			result, over = j.see(first+len(game.Plies), score)
			game.Plies = append(game.Plies, record.Ply{Move: record.MoveOf(res.Best), Score: int16(score)})
			pos.Make(res.Best)
		}
		if over {
			game.Start.SetResult(result)
			break
		}
	}
	return record.View(game.Append(buf)), nil
}

// whiteScore returns s as White sees it, within 16 bits.
func whiteScore(p *chess.Position, s eval.Score) eval.Score {
	if p.SideToMove() == chess.Black {
		s = -s
	}
	return max(-32767, min(s, 32767))
}
