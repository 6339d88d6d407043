package rewrite

import (
	"math/rand/v2"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/record"
)

// Distill writes positions with their static values instead of search scores:
// for each position of the files one that up to plies random moves lead to, as
// searches meet them, in a game of a single quiet move without a result. A
// network of another shape that begins with these knows what the network knew,
// also where no game ever goes.
func Distill(names []string, out string, network *nnue.Network, seed uint64, plies int) (*Outcome, error) {
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
	d := distiller{w: w, r: rand.New(rand.NewPCG(seed, 1)), e: nnue.NewEvaluator(network), plies: plies}
	err = s.each(func(b *block.Block) error {
		for _, g := range b.Games() {
			p, err := g.Start().Position()
			if err != nil {
				return err
			}
			var failed error
			err = g.Verify(p, func(p *chess.Position, _ record.Ply) {
				if failed == nil {
					failed = d.add(p)
				}
			})
			if err != nil {
				return err
			}
			if failed != nil {
				return failed
			}
		}
		return nil
	})
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
	w     *block.Writer
	r     *rand.Rand
	e     *nnue.Evaluator
	plies int
	moves [chess.MaxMoves]chess.Move
	buf   []byte
}

// add writes a position near p, which is as it was afterwards.
func (d *distiller) add(p *chess.Position) error {
	made := 0
	defer func() {
		for range made {
			p.Unmake()
		}
	}()
	for range d.r.IntN(d.plies + 1) {
		moves := movegen.Legal(p, d.moves[:0])
		if len(moves) == 0 {
			return nil
		}
		p.Make(moves[d.r.IntN(len(moves))])
		made++
	}
	quiets := movegen.Quiets(p, d.moves[:0])
	if p.InCheck() || len(quiets) == 0 {
		return nil
	}
	score := d.e.Evaluate(p)
	if p.SideToMove() == chess.Black {
		score = -score
	}
	game := record.Game{
		Start: record.Pack(p, record.Draw),
		Plies: []record.Ply{{Move: record.MoveOf(quiets[0]), Score: int16(score)}},
	}
	d.buf = game.Append(d.buf[:0])
	return d.w.Add(block.ID{}, record.View(d.buf))
}
