package datagen

import (
	"context"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/train/selfplay"
)

// Player plays games one after the other.
type Player struct {
	config *Config
	engine *search.Engine
}

// NewPlayer returns a player with an engine of its own.
func NewPlayer(c *Config) (*Player, error) {
	e, err := selfplay.NewLabeller(c.Hash, c.Network)
	return &Player{config: c, engine: e}, err
}

// Play plays the game that id seeds and appends it to buf. It returns nil where
// ctx ends first.
func (p *Player) Play(ctx context.Context, id block.ID, buf []byte) (record.View, error) {
	p.engine.Clear()
	r := rand.New(rand.NewPCG(id.Run, uint64(id.Number)))
	pos, err := selfplay.Opening(r, p.engine, p.config.Chess960)
	if err != nil {
		return nil, err
	}
	game, ok := selfplay.Play(ctx, pos, [2]*search.Engine{p.engine, p.engine}, search.Soft(p.config.Nodes), p.config.Tables)
	if !ok {
		return nil, nil
	}
	return record.View(game.Append(buf)), nil
}
