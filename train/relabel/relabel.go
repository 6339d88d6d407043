// Package relabel gives positions new scores: [Distill] those near or inside the
// searches of recorded games, [Rescore] the games themselves.
package relabel

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/datagen"
	"github.com/tabula-chess/tabula/train/games"
	"github.com/tabula-chess/tabula/train/match"
)

// Teacher says how positions are chosen and scored.
type Teacher struct {
	Network *nnue.Network
	Seed    uint64 // of the choice
	Plies   int    // most random moves away from the game
	OneIn   int    // takes one of OneIn positions of the games, at random; 0 or 1 for all
	Inside  uint64 // takes a position that a search of this number of nodes meets instead; 0 for none
	Nodes   uint64 // soft limit of the search that gives the score, 0 for the static score
	Threads int    // at least 1; the result does not depend on them
}

const (
	chunk       = 1024 // positions that one engine searches one after the other
	hash        = 4    // MiB of each engine's table
	leastPieces = 3    // of positions met inside searches
)

// Distill writes positions with scores of a network: for each position of the files
// one that up to t.Plies random moves lead to, or one that a search meets there, each
// as a game of a single move without a result. A network fitted to them learns what
// the other knows, also where games never go. When ctx ends first nothing is written.
func Distill(ctx context.Context, names []string, out string, t Teacher) (written games.Counts, err error) {
	w, err := games.Create(out)
	if err != nil {
		return written, err
	}
	defer w.Abort()
	d := distiller{w: w, r: rand.New(rand.NewPCG(t.Seed, 1)), t: t}
	if d.labellers, err = labellers(&t); err != nil {
		return written, err
	}
	p := new(chess.Position)
	err = games.Blocks(ctx, names, nil, func(b *games.Block) error {
		for _, g := range b.Games() {
			if err := g.Verify(p, func(p *chess.Position, _ games.Ply) { d.stray(p) }); err != nil {
				return err
			}
			if err := d.flush(ctx, chunk*t.Threads*4); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = d.flush(ctx, 0)
	}
	if err == nil {
		err = w.Commit()
	}
	return w.Counts, err
}

// Rescore writes the games of the files with the scores of a network in place of
// theirs; moves and results stay. A position in check keeps its score where the new
// ones are static. When ctx ends first nothing is written.
func Rescore(ctx context.Context, names []string, out string, t Teacher) (written games.Counts, err error) {
	w, err := games.Create(out)
	if err != nil {
		return written, err
	}
	defer w.Abort()
	all, err := labellers(&t)
	if err != nil {
		return written, err
	}
	err = games.Blocks(ctx, names, nil, func(b *games.Block) error {
		var ids []games.ID
		var views []games.View
		for id, g := range b.Games() {
			ids, views = append(ids, id), append(views, g)
		}
		err := each(ctx, all, len(views), func(l *labeller, i int) (err error) {
			views[i], err = l.rescore(views[i])
			return err
		})
		for i := 0; i < len(ids) && err == nil; i++ {
			err = w.Add(ids[i], views[i])
		}
		return err
	})
	if err == nil {
		err = w.Commit()
	}
	return w.Counts, err
}

// each calls do with the numbers from 0 to n-1, each with one of the labellers.
func each(ctx context.Context, all []*labeller, n int, do func(l *labeller, i int) error) error {
	errs := make([]error, len(all))
	var next atomic.Int64
	var wg sync.WaitGroup
	for k, l := range all {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && errs[k] == nil; i = int(next.Add(1)) - 1 {
				if errs[k] = ctx.Err(); errs[k] == nil {
					errs[k] = do(l, i)
				}
			}
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// distiller is the work of Distill.
type distiller struct {
	w         *games.Writer
	r         *rand.Rand
	t         Teacher
	labellers []*labeller
	near      []games.Packed // that wait for scores
	chunks    uint64         // that are labelled
	buf       []byte
}

// stray adds a position near p, out of check and with a move, to those that
// wait, or none where p is not taken; p is as it was afterwards.
func (d *distiller) stray(p *chess.Position) {
	if d.t.OneIn > 1 && d.r.IntN(d.t.OneIn) > 0 {
		return
	}
	made := movegen.RandomWalk(p, d.r, d.r.IntN(d.t.Plies+1))
	if !p.InCheck() && p.Outcome() == chess.Ongoing {
		d.near = append(d.near, games.Pack(p, games.Draw))
	}
	for range made {
		p.Unmake()
	}
}

// flush scores the positions that wait, if there are more than atLeast, and writes
// them in order.
func (d *distiller) flush(ctx context.Context, atLeast int) error {
	if len(d.near) <= atLeast {
		return nil
	}
	// All but a last chunk that more positions may fill, so that chunks do not depend
	// on the threads.
	n := len(d.near)
	if atLeast > 0 {
		n -= n % chunk
	}
	plies := make([]games.Ply, n)
	chunks := (n + chunk - 1) / chunk
	err := each(ctx, d.labellers, chunks, func(l *labeller, i int) error {
		// A chunk depends on the seed and its number alone.
		r := rand.New(rand.NewPCG(d.t.Seed, 3+d.chunks+uint64(i)))
		from, to := i*chunk, min((i+1)*chunk, n)
		return l.label(r, d.near[from:to], plies[from:to])
	})
	if err != nil {
		return err
	}
	for i, ply := range plies {
		if ply.Move == 0 {
			continue
		}
		game := games.Game{Start: d.near[i], Plies: []games.Ply{ply}}
		d.buf = game.Append(d.buf[:0])
		if err := d.w.Add(games.ID{}, games.View(d.buf)); err != nil {
			return err
		}
	}
	d.chunks += uint64(chunks)
	d.near = append(d.near[:0], d.near[n:]...)
	return nil
}

// labellers returns one for each thread.
func labellers(t *Teacher) (all []*labeller, err error) {
	for range t.Threads {
		l := &labeller{nodes: t.Nodes, inside: t.Inside, static: nnue.NewEvaluator(t.Network)}
		if t.Nodes > 0 || t.Inside > 0 {
			if l.engine, err = datagen.NewLabeller(hash, t.Network); err != nil {
				return nil, err
			}
		}
		all = append(all, l)
	}
	return all, nil
}

// rescore returns a copy of a game with new scores.
func (l *labeller) rescore(g games.View) (games.View, error) {
	if l.engine != nil {
		l.engine.Clear()
	}
	again := games.Game{Start: *g.Start()}
	err := g.Verify(&l.position, func(p *chess.Position, ply games.Ply) {
		switch {
		case l.nodes > 0:
			score := l.engine.Search(p, search.Soft(l.nodes), search.Options{}, nil).Score
			ply.Score = games.WhiteScore(p.SideToMove(), int(score))
		case !p.InCheck():
			ply.Score = games.WhiteScore(p.SideToMove(), int(l.static.Evaluate(p)))
		}
		again.Plies = append(again.Plies, ply)
	})
	return again.Append(nil), err
}

// labeller scores positions.
type labeller struct {
	nodes    uint64          // of the search that gives a score, 0 for static scores
	inside   uint64          // of the search that meets the position, 0 for none
	static   *nnue.Evaluator // for static scores
	engine   *match.Engine   // for searches
	moves    [chess.MaxMoves]chess.Move
	position chess.Position
}

// label sets plies to the moves and values of near; no move where a position
// has no quiet one. Where positions inside searches are wanted, it puts them in
// the place of near; no move where a search meets none that has a move.
func (l *labeller) label(r *rand.Rand, near []games.Packed, plies []games.Ply) error {
	if l.engine != nil {
		l.engine.Clear()
	}
	for i := range near {
		p, err := near[i].Position()
		if err != nil {
			return fmt.Errorf("a position near a game: %w", err)
		}
		if l.inside > 0 {
			if p, err = Meet(l.engine.Engine, p, l.inside, leastPieces, r); err != nil {
				return fmt.Errorf("a position inside a search: %w", err)
			}
			if p == nil || p.InCheck() || p.Outcome() != chess.Ongoing {
				continue
			}
			near[i] = games.Pack(p, games.Draw)
		}
		move, score := l.value(p)
		if move != chess.NoMove {
			plies[i] = games.Ply{Move: games.MoveOf(move), Score: games.WhiteScore(p.SideToMove(), int(score))}
		}
	}
	return nil
}

// value returns a move and the value of p for the side to move. The best move
// may be a capture: loaders leave those out. With a static value goes any quiet
// move, or none.
func (l *labeller) value(p *chess.Position) (chess.Move, eval.Score) {
	if l.nodes == 0 {
		if quiets := movegen.Quiets(p, l.moves[:0]); len(quiets) > 0 {
			return quiets[0], l.static.Evaluate(p)
		}
		return chess.NoMove, 0
	}
	res := l.engine.Search(p, search.Soft(l.nodes), search.Options{}, nil)
	return res.Best, res.Score
}
