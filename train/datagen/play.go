package datagen

import (
	"context"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/record"
)

// everyMove is a value of search.Params.LatePV with which no node has enough moves for
// some to be left out.
const everyMove = 2048

// NewLabeller returns an engine for short searches whose scores are training targets. Near the horizon the normal
// search skips late replies, also on the principal variation, and so misses refutations. A search of 120 nodes
// then overrates the side to move, and its score is less accurate than the static evaluation.
func NewLabeller(hash int, n *nnue.Network) (*match.Engine, error) {
	e, err := match.NewEngine(hash, n)
	if err == nil {
		err = e.SetParam("LatePV", everyMove)
	}
	return e, err
}

// Player plays one game after another.
type Player struct {
	config *Config
	engine *match.Engine
	rules  match.Rules
}

// NewPlayer returns a player with an engine of its own.
func NewPlayer(c *Config) (*Player, error) {
	e, err := NewLabeller(c.Hash, c.Network)
	if err == nil {
		err = e.SetParamsByName(c.Params)
	}
	return &Player{c, e, match.Rules{Nodes: c.Nodes, Tables: c.Tables}}, err
}

// Play plays the game seeded by id. It returns nil if ctx ends first.
func (p *Player) Play(ctx context.Context, id record.ID) (*record.Game, error) {
	p.engine.Clear()
	r := rand.New(rand.NewPCG(id.Run, uint64(id.Number)))
	opening, err := match.Opening(r, p.engine.Engine, p.config.Chess960)
	if err != nil {
		return nil, err
	}
	g, err := match.Play(ctx, opening, [2]match.Player{p.engine, p.engine}, &p.rules)
	if err != nil {
		return nil, nil // ctx has ended
	}
	return g.Record(), nil
}

// Close frees the memory of the engine.
func (p *Player) Close() { p.engine.Engine.Close() }
