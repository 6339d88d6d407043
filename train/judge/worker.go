package judge

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/loader"
	"github.com/tabula-chess/tabula/train/record"
)

const (
	hashMiB = 8  // of each engine
	probe   = 10 // the searches to look into have so many times fewer nodes
)

// worker makes chunks. It owns its memory; each thread has one.
type worker struct {
	config *Config
	filter loader.Filter
	engine *search.Engine
	block  block.Block
}

// newWorker returns a worker.
func newWorker(c *Config) (*worker, error) {
	e, err := search.NewEngine(hashMiB)
	if err != nil {
		return nil, err
	}
	e.SetNetwork(c.Network)
	return &worker{config: c, filter: loader.DefaultFilter(), engine: e}, nil
}

// gamePly is a ply of a game of the block.
type gamePly struct {
	game record.View
	at   int
}

// chunk returns the n records of the chunk with a number, from the block in hand:
// plies of its games and positions inside searches of others of them in turn. The error
// says that there are too few, or is that of ctx.
func (w *worker) chunk(ctx context.Context, number, n int) ([]string, error) {
	plies, err := w.plies()
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(w.config.Seed, uint64(number)+1))
	seen := make(map[chess.Key]bool)
	records := make([]string, 0, n)
	for left := len(plies); len(records) < n; left-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if left == 0 {
			return nil, fmt.Errorf("%d of %d positions to judge by found; want more games", len(records), n)
		}
		i := r.IntN(left)
		p, err := position(plies[i])
		if err != nil {
			return nil, err
		}
		plies[i] = plies[left-1]
		from := FromGame
		if len(records)%2 == 1 {
			from = FromSearch
			if p, err = w.meet(p, r); err != nil {
				return nil, err
			}
		}
		if p == nil || seen[p.Key()] {
			continue
		}
		if score, ok := w.label(p); ok {
			seen[p.Key()] = true
			records = append(records, line(p, score, from))
		}
	}
	return records, nil
}

// plies returns the plies of the block in hand that a fit would take.
func (w *worker) plies() ([]gamePly, error) {
	var all []gamePly
	var board record.Board
	number := -1
	for _, g := range w.block.Games() {
		number++
		if err := board.Start(g.Start()); err != nil {
			return nil, fmt.Errorf("game %d: %w", number, err)
		}
		for i := range g.Plies() {
			if w.filter.Keep(&board, g.Ply(i)) {
				all = append(all, gamePly{g, i})
			}
			if !board.Apply(g.Ply(i).Move) {
				return nil, fmt.Errorf("game %d: ply %d: illegal move", number, i)
			}
		}
	}
	return all, nil
}

// position returns the position of a ply, without the moves before.
func position(at gamePly) (*chess.Position, error) {
	p, err := at.game.Start().Position()
	if err != nil {
		return nil, err
	}
	for i := range at.at {
		m := at.game.Ply(i).Move.Chess()
		if !p.IsLegal(m) {
			return nil, fmt.Errorf("ply %d: illegal move %v", i, m)
		}
		p.Make(m)
	}
	return chess.ParseFEN(p.FEN())
}

// meet returns one of the positions that a search of p asks the network about,
// each with the same chance; nil where it asks about none with enough pieces.
func (w *worker) meet(p *chess.Position, r *rand.Rand) (*chess.Position, error) {
	met, fen := 0, ""
	see := func(q *chess.Position) {
		if q.Occupied().Count() < w.filter.MinPieces {
			return
		}
		met++
		if r.IntN(met) == 0 {
			fen = q.FEN()
		}
	}
	w.engine.Clear()
	w.engine.Search(p, search.Limits{Nodes: max(1, w.config.Nodes/probe)}, search.Options{Evaluated: see}, nil)
	if met == 0 {
		return nil, nil
	}
	return chess.ParseFEN(fen)
}

// label returns the score of p by a search. ok is false for a position that no
// static score can be asked of.
func (w *worker) label(p *chess.Position) (score eval.Score, ok bool) {
	if p.InCheck() || p.Outcome() != chess.Ongoing {
		return 0, false
	}
	w.engine.Clear()
	res := w.engine.Search(p, search.Limits{Nodes: w.config.Nodes}, search.Options{}, nil)
	if p.IsTactical(res.Best) || res.Score > eval.Limit || res.Score < -eval.Limit {
		return 0, false
	}
	return res.Score, true
}
