package datagen

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/work"
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

// mostRepeated is the number of games of a file that are played again before it is continued.
const mostRepeated = 8

// repeats reports whether the last games of the run in a file come out the same: with the same search, network, tables
// and share of Chess960, all of which the file does not name.
func (g *Games) repeats(ctx context.Context, name string, in work.Inputs) (bool, error) {
	last, err := lastGames(name, g.Run, min(mostRepeated, g.PerJob()))
	if err != nil || len(last) == 0 {
		return true, err
	}
	w, err := g.Open(ctx, in)
	if err != nil {
		return false, err
	}
	p := w.(*gameWorker)
	defer p.Close()
	for id, game := range last {
		again, err := p.Play(ctx, id)
		if err != nil {
			return false, err
		}
		sameMove := func(a, b record.Ply) bool { return a.Move == b.Move } // scores are rounded in files
		if again.Start != game.Start || !slices.EqualFunc(again.Plies, game.Plies, sameMove) {
			return false, nil
		}
	}
	return true, nil
}

// lastGames returns the last games of a run in a file, at most n. Damaged blocks have none.
func lastGames(name string, run uint64, n int) (map[record.ID]*record.ScoredGame, error) {
	f, err := record.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	last := map[record.ID]*record.ScoredGame{}
	for i := len(f.Entries) - 1; i >= 0 && len(last) < n; i-- {
		var b record.Block
		if f.Read(i, &b) != nil {
			continue
		}
		for id, game := range b.Games() {
			if id.Run == run && len(last) < n {
				last[id] = game
			}
		}
	}
	return last, nil
}

// Close frees the memory of the engine.
func (e *selfPlayer) Close() { e.InProcess.Engine.Close() }
