package datagen

import (
	"context"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/record"
)

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
	limits := search.Soft(p.config.Nodes)
	first := 2*(pos.FullmoveNumber()-1) + int(pos.SideToMove())
	var j judge
	for len(game.Plies) < maxPlies {
		result, over := ended(pos)
		if !over {
			if ctx.Err() != nil {
				return nil, nil
			}
			res := p.engine.Search(pos, limits, search.Options{}, nil)
			score := record.WhiteScore(pos.SideToMove(), int(res.Score))
			result, over = j.see(first+len(game.Plies), eval.Score(score))
			game.Plies = append(game.Plies, record.Ply{Move: record.MoveOf(res.Best), Score: score})
			pos.Make(res.Best)
		}
		if over {
			game.Start.SetResult(result)
			break
		}
	}
	return record.View(game.Append(buf)), nil
}
