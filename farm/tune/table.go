package tune

import (
	"context"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/train/match"
)

// table is where two engines meet, before a referee of openings.
type table struct{ plus, minus, referee *match.Engine }

// newTable returns a table with its engines, each with hash MiB.
func newTable(hash int, n *nnue.Network) (t *table, err error) {
	t = new(table)
	if t.plus, err = match.NewEngine(hash, n); err != nil {
		return nil, err
	}
	if t.minus, err = match.NewEngine(hash, n); err != nil {
		return nil, err
	}
	t.referee, err = match.NewEngine(1, nil)
	return t, err
}

// play plays one pair, which its number, the seed and the values of s decide, and counts
// the games from the view of the steps added. The error may be ctx's.
func (t *table) play(ctx context.Context, s *spsa, p *Params, number int) (tally match.Tally, err error) {
	r := source(p.Seed, number)
	flips := s.flips(r)
	for _, side := range []struct {
		engine *match.Engine
		sign   float64
	}{{t.plus, 1}, {t.minus, -1}} {
		params, err := s.params(r, number, flips, side.sign)
		if err != nil {
			return tally, err
		}
		if err := side.engine.SetParams(params); err != nil {
			return tally, err
		}
	}
	t.referee.Clear()
	opening, err := match.Opening(r, t.referee.Engine, p.Chess960)
	if err == nil {
		_, tally, err = match.PlayPair(ctx, opening, t.plus, t.minus, &p.Rules, uint64(number), nil)
	}
	return tally, err
}
