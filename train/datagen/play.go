package datagen

import (
	"context"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/record"
)

// hash is the transposition table of an engine in MiB. More does not help short searches.
const hash = 2

// everyMove is a value of search.Params.LatePV with which no node has enough moves for
// some to be left out.
const everyMove = 2048

// NewLabeller returns an engine for short searches whose scores are training targets. Near the horizon the normal
// search skips late replies, also on the principal variation, and so misses refutations. A search of 120 nodes
// then overrates the side to move, and its score is less accurate than the static evaluation.
func NewLabeller(n *nnue.Network) (*match.InProcess, error) {
	e, err := match.NewEngine(hash, n)
	if err == nil {
		err = e.SetParam("LatePV", everyMove)
	}
	return e, err
}

// selfPlayer plays one game after another.
type selfPlayer struct {
	*match.InProcess
	chess960 float64
	rules    match.Rules
}

// Play implements [player].
func (e *selfPlayer) Play(ctx context.Context, id record.ID) (*record.ScoredGame, error) {
	e.Clear()
	r := rand.New(rand.NewPCG(id.Run, uint64(id.Number)))
	opening, err := match.Opening(r, e.InProcess.Engine, e.chess960)
	if err != nil {
		return nil, err
	}
	g, err := match.Play(ctx, opening, [2]match.Player{e.InProcess, e.InProcess}, &e.rules)
	if err != nil {
		return nil, err // of ctx
	}
	return g.Record(), nil
}

// Close frees the memory of the engine.
func (e *selfPlayer) Close() { e.InProcess.Engine.Close() }
