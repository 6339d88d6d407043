package datagen

import (
	"context"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/train/games"
	"github.com/tabula-chess/tabula/train/match"
)

// everyMove is a value of search.Params.LatePV with which no node has enough moves for
// some to be left out.
const everyMove = 2048

// NewLabeller returns an engine for searches of few nodes whose scores networks are
// fitted to. Near the horizon the engine in play leaves out late replies, also on the
// principal variation, and one of those refutes many a move: a search of 120 nodes
// then overrates the side to move, and its score is worth less than the static
// evaluation.
func NewLabeller(hash int, n *nnue.Network) (*match.Engine, error) {
	e, err := match.NewEngine(hash, n)
	if err == nil {
		err = e.SetParam("LatePV", everyMove)
	}
	return e, err
}

// Player plays games one after the other.
type Player struct {
	config *Config
	engine *match.Engine
	rules  match.Rules
}

// NewPlayer returns a player with an engine of its own.
func NewPlayer(c *Config) (*Player, error) {
	e, err := NewLabeller(c.Hash, c.Network)
	return &Player{c, e, match.Rules{Nodes: c.Nodes, Tables: c.Tables}}, err
}

// Play plays the game that id seeds. It returns nil where ctx ends first.
func (p *Player) Play(ctx context.Context, id games.ID) (games.View, error) {
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
	record := g.Record()
	return games.View(record.Append(nil)), nil
}

// Close gives the memory of the engine back.
func (p *Player) Close() { p.engine.Engine.Close() }
