package rewrite

import (
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
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/train/selfplay"
)

// Teacher says what Distill asks of a network.
type Teacher struct {
	Network *nnue.Network
	Seed    uint64 // of the random moves
	Plies   int    // most random moves away from the game
	OneIn   int    // of so many positions of the games one is taken, at random; 0 or 1 for all
	Inside  uint64 // nodes of a search of each, inside which a position is met and taken instead; 0 for none
	Nodes   uint64 // soft limit of the search that gives the value, 0 for the static value
	Threads int    // at work, at least 1; the result does not depend on them
}

const (
	chunk       = 1024 // positions that one engine searches one after the other
	distillHash = 4    // MiB of each engine
	leastPieces = 3    // of positions met inside searches
)

// Distill writes positions with values that a network gives them: for each
// position of the files one that up to t.Plies random moves lead to, or one that
// a search meets there, in a game of a single move without a result. The values
// are static or those of short searches. A network that begins with these
// knows what the other knew, also where no game ever goes. When ctx ends first nothing is written.
func Distill(ctx context.Context, names []string, out string, t Teacher) (*Outcome, error) {
	s, err := openAll(names, false)
	if err != nil {
		return nil, err
	}
	defer s.close()
	w, err := block.Create(out)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	d := distiller{w: w, r: rand.New(rand.NewPCG(t.Seed, 1)), t: t}
	for range t.Threads {
		l := &labeller{nodes: t.Nodes, inside: t.Inside, static: nnue.NewEvaluator(t.Network)}
		if t.Nodes > 0 || t.Inside > 0 {
			if l.engine, err = selfplay.NewLabeller(distillHash, t.Network); err != nil {
				return nil, err
			}
		}
		d.labellers = append(d.labellers, l)
	}
	err = s.each(ctx, func(b *block.Block) error {
		for _, g := range b.Games() {
			p, err := g.Start().Position()
			if err != nil {
				return err
			}
			if err := g.Verify(p, func(p *chess.Position, _ record.Ply) { d.stray(p) }); err != nil {
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
	if err != nil {
		return nil, err
	}
	if err := w.Commit(); err != nil {
		return nil, err
	}
	return &Outcome{Totals: w.Totals}, nil
}

// distiller is the work of Distill.
type distiller struct {
	w         *block.Writer
	r         *rand.Rand
	t         Teacher
	labellers []*labeller
	near      []record.Packed // that wait for values
	chunks    uint64          // that are labelled
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
		d.near = append(d.near, record.Pack(p, record.Draw))
	}
	for range made {
		p.Unmake()
	}
}

// flush finds the values of the positions that wait, if more than atLeast do,
// and writes them in order.
func (d *distiller) flush(ctx context.Context, atLeast int) error {
	if len(d.near) <= atLeast {
		return nil
	}
	// All but a last chunk that more positions may fill, so that chunks do
	// not depend on the threads.
	n := len(d.near)
	if atLeast > 0 {
		n -= n % chunk
	}
	plies := make([]record.Ply, n)
	errs := make([]error, len(d.labellers))
	var next atomic.Int64
	var wg sync.WaitGroup
	for i, l := range d.labellers {
		wg.Go(func() {
			for errs[i] == nil {
				if errs[i] = ctx.Err(); errs[i] != nil {
					return
				}
				end := int(next.Add(chunk))
				if end-chunk >= n {
					return
				}
				// A chunk depends on the seed and its number alone.
				r := rand.New(rand.NewPCG(d.t.Seed, 2+d.chunks+uint64(end/chunk)))
				errs[i] = l.label(r, d.near[end-chunk:min(end, n)], plies[end-chunk:min(end, n)])
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	for i, ply := range plies {
		if ply.Move == 0 {
			continue
		}
		game := record.Game{Start: d.near[i], Plies: []record.Ply{ply}}
		d.buf = game.Append(d.buf[:0])
		if err := d.w.Add(block.ID{}, record.View(d.buf)); err != nil {
			return err
		}
	}
	d.chunks += uint64((n + chunk - 1) / chunk)
	d.near = append(d.near[:0], d.near[n:]...)
	return nil
}

// labeller gives positions their values.
type labeller struct {
	nodes  uint64          // of the search that gives a value, 0 for static values
	inside uint64          // of the search that meets the position, 0 for none
	static *nnue.Evaluator // for static values
	engine *search.Engine  // for searches
	moves  [chess.MaxMoves]chess.Move
}

// label sets plies to the moves and values of near; no move where a position
// has no quiet one. Where positions inside searches are wanted, it puts them in
// the place of near; no move where a search meets none that has a move.
func (l *labeller) label(r *rand.Rand, near []record.Packed, plies []record.Ply) error {
	if l.engine != nil {
		l.engine.Clear()
	}
	for i := range near {
		p, err := near[i].Position()
		if err != nil {
			return fmt.Errorf("a position near a game: %w", err)
		}
		if l.inside > 0 {
			if p, err = selfplay.Meet(l.engine, p, l.inside, leastPieces, r); err != nil {
				return fmt.Errorf("a position inside a search: %w", err)
			}
			if p == nil || p.InCheck() || p.Outcome() != chess.Ongoing {
				continue
			}
			near[i] = record.Pack(p, record.Draw)
		}
		move, score := l.value(p)
		if move != chess.NoMove {
			plies[i] = record.Ply{Move: record.MoveOf(move), Score: record.WhiteScore(p.SideToMove(), int(score))}
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
