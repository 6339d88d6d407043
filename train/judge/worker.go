package judge

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/loader"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/train/selfplay"
	"github.com/tabula-chess/tabula/uci/client"
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
	other  *client.Engine // that labels instead, nil for none
	block  block.Block
}

// newWorker returns a worker, which has to be closed, also after an error.
func newWorker(ctx context.Context, c *Config) (*worker, error) {
	w := &worker{config: c, filter: loader.DefaultFilter()}
	e, err := search.NewEngine(hashMiB)
	if err != nil {
		return w, err
	}
	e.SetNetwork(c.Network)
	w.engine = e
	if len(c.Engine) > 0 {
		w.other, err = startEngine(ctx, c.Engine)
	}
	return w, err
}

// close ends the engine that labels, if there is one.
func (w *worker) close() {
	if w.other != nil {
		_ = w.other.Close() // it never fails
	}
}

// startEngine starts the engine of a command.
func startEngine(ctx context.Context, command []string) (*client.Engine, error) {
	e, err := client.Start(ctx, client.Config{Path: command[0], Args: command[1:], Timeout: time.Minute})
	if err != nil {
		return nil, fmt.Errorf("engine %s: %w", command[0], err)
	}
	return e, nil
}

// engineName returns what the engine of a command calls itself.
func engineName(ctx context.Context, command []string) (string, error) {
	e, err := startEngine(ctx, command)
	if err != nil {
		return "", err
	}
	defer e.Close()
	return e.Name(), nil
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
		score, ok, err := w.label(ctx, p)
		if err != nil {
			return nil, err
		}
		if ok {
			seen[p.Key()] = true
			records = append(records, line(p, score, from))
		}
	}
	return records, nil
}

// familyScore bounds the scores of the games at positions whose moves make a
// family, in centipawns: in won positions all moves are much the same.
const familyScore = 300

// families returns the records of the n families from the number first on, from the
// block in hand. The error is that of chunk.
func (w *worker) families(ctx context.Context, number, first, n int) ([]string, error) {
	plies, err := w.plies()
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(w.config.Seed, uint64(number)+1))
	r.Shuffle(len(plies), func(i, j int) { plies[i], plies[j] = plies[j], plies[i] })
	records, done := []string{}, 0
	for _, at := range plies {
		if done == n {
			break
		}
		if score := at.game.Ply(at.at).Score; score > familyScore || score < -familyScore {
			continue
		}
		p, err := position(at)
		if err != nil {
			return nil, err
		}
		family, err := w.family(ctx, p, first+done)
		if err != nil {
			return nil, err
		}
		if len(family) > 1 {
			records = append(records, family...)
			done++
		}
	}
	if done < n {
		return nil, fmt.Errorf("%d of %d positions whose moves make a family found; want more games", done, n)
	}
	return records, nil
}

// family returns the records of what p comes to by its moves, those that can be
// labelled, as the family with a number.
func (w *worker) family(ctx context.Context, p *chess.Position, number int) ([]string, error) {
	var records []string
	for _, m := range movegen.Legal(p, nil) {
		p.Make(m)
		child, err := chess.ParseFEN(p.FEN())
		p.Unmake()
		if err != nil {
			return nil, err
		}
		score, ok, err := w.label(ctx, child)
		if err != nil {
			return nil, err
		}
		if ok {
			records = append(records, member(child, score, number))
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
	w.engine.Clear()
	return selfplay.Meet(w.engine, p, max(1, w.config.Nodes/probe), w.filter.MinPieces, r)
}

// label returns the score of p by a search. ok is false for a position that no
// static score can be asked of.
func (w *worker) label(ctx context.Context, p *chess.Position) (score eval.Score, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return 0, false, err
	}
	if p.InCheck() || p.Outcome() != chess.Ongoing {
		return 0, false, nil
	}
	best, score, ok, err := w.search(ctx, p)
	if err != nil || !ok || p.IsTactical(best) || score > eval.Limit || score < -eval.Limit {
		return 0, false, err
	}
	return score, true, nil
}

// search returns the best move of p and its score. ok is false for a score that is
// none in centipawns.
func (w *worker) search(ctx context.Context, p *chess.Position) (best chess.Move, score eval.Score, ok bool, err error) {
	if w.other == nil {
		w.engine.Clear()
		res := w.engine.Search(p, search.Limits{Nodes: w.config.Nodes}, search.Options{}, nil)
		return res.Best, res.Score, true, nil
	}
	if err := w.other.NewGame(ctx); err != nil {
		return 0, 0, false, err
	}
	res, err := w.other.Search(ctx, p, client.Limits{Nodes: w.config.Nodes}, nil)
	if err != nil {
		return 0, 0, false, err
	}
	s := res.Info().Score
	most := int(eval.Limit) + 1
	return res.Move, eval.Score(min(max(s.Value, -most), most)), s.Kind == client.Centipawns, nil
}
