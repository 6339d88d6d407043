package tune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/match"
)

// Constants of the method that are seldom changed. Source: Spall, "Implementation
// of the simultaneous perturbation algorithm", 1998.
const (
	alpha     = 0.602 // decay of the gain
	gamma     = 0.101 // decay of the steps
	stability = 0.1   // share of the pairs by which the decay of the gain is delayed
)

// spsa moves the numbers of the search by the results of pairs of games: each pair is
// played between the present values with a random step added and the same with it taken
// away, and all values then move towards the winner. Source: Spall 1992; CPW "SPSA".
type spsa struct {
	all    []search.Tunable
	chosen []bool
	values []float64
	steps  []float64 // at the end
	pairs  float64   // in all
	rate   float64   // gain at the end
}

// newSPSA returns the method at the defaults of the search.
func newSPSA(p *Params, chosen []bool) *spsa {
	s := &spsa{all: search.Tunables(), chosen: chosen, pairs: float64(p.Pairs), rate: p.Rate}
	start := search.DefaultParams()
	for i, v := range start.Values() {
		s.values = append(s.values, float64(v))
		s.steps = append(s.steps, max(0.5, p.Step*float64(s.all[i].Max-s.all[i].Min)))
	}
	return s
}

// step returns the step of parameter i in the given pair.
func (s *spsa) step(i, pair int) float64 {
	return s.steps[i] * math.Pow(s.pairs/float64(pair+1), gamma)
}

// gain returns the part of a step by which a pair won by one game moves a
// parameter.
func (s *spsa) gain(pair int) float64 {
	a := stability * s.pairs
	decay := math.Pow((a+s.pairs)/(a+float64(pair+1)), alpha)
	return s.rate * decay * math.Pow(float64(pair+1)/s.pairs, 2*gamma)
}

// flips returns the direction of each parameter's step in a pair, 0 for those
// that stay.
func (s *spsa) flips(r *rand.Rand) []float64 {
	all := make([]float64, len(s.values))
	for i := range all {
		if s.chosen[i] {
			all[i] = float64(2*r.IntN(2) - 1)
		}
	}
	return all
}

// params returns the values with the steps of a pair added or, for sign -1,
// taken away. A value between two whole numbers becomes either of them, so that
// parameters of few values are not stuck.
func (s *spsa) params(r *rand.Rand, pair int, flips []float64, sign float64) (p search.Params, err error) {
	whole := make([]int, len(s.values))
	for i, v := range s.values {
		if v += sign * flips[i] * s.step(i, pair); s.chosen[i] {
			v = math.Floor(v + r.Float64())
		}
		whole[i] = int(s.clamp(i, v))
	}
	err = p.SetValues(whole)
	return p, err
}

// setValues goes on from values that another had, in JSON. An error names the first value out
// of range.
func (s *spsa) setValues(text []byte) error {
	var values []float64
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	if len(values) != len(s.values) {
		return fmt.Errorf("%d values of parameters: want %d", len(values), len(s.values))
	}
	for i, v := range values {
		if s.clamp(i, v) != v { // which no NaN equals
			return fmt.Errorf("value %v of %s: want %d to %d", v, s.all[i].Name, s.all[i].Min, s.all[i].Max)
		}
	}
	copy(s.values, values)
	return nil
}

// learn moves the values after the pair with a number of a run with a seed; result
// is the games won by the steps added less those lost, -2 to 2.
func (s *spsa) learn(seed uint64, number, result int) {
	gain, flips := s.gain(number), s.flips(source(seed, number))
	for i := range s.values {
		s.values[i] = s.clamp(i, s.values[i]+float64(result)*gain*flips[i]*s.step(i, number))
	}
}

// source returns what decides a pair's steps and opening.
func source(seed uint64, number int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(number))) }

// clamp returns v within the range of parameter i.
func (s *spsa) clamp(i int, v float64) float64 {
	return max(float64(s.all[i].Min), min(float64(s.all[i].Max), v))
}

// rounded returns the values as parameters.
func (s *spsa) rounded() (p search.Params, err error) {
	whole := make([]int, len(s.values))
	for i, v := range s.values {
		whole[i] = int(math.Round(v))
	}
	err = p.SetValues(whole)
	return p, err
}

// choose returns which parameters names are; none means all.
func choose(names []string) ([]bool, error) {
	all := search.Tunables()
	chosen := make([]bool, len(all))
	for i := range chosen {
		chosen[i] = len(names) == 0
	}
	for _, name := range names {
		i := slices.IndexFunc(all, func(t search.Tunable) bool { return t.Name == name })
		if i < 0 {
			return nil, exit.WrongUsef("parameter %q: the search has none of that name", name)
		}
		chosen[i] = true
	}
	return chosen, nil
}

// table is where two engines meet, before a referee of openings.
type table struct{ plus, minus, referee *match.Engine }

// newTable returns a table with its engines, each with hash MiB.
func newTable(hash int, n *nnue.Network) (*table, error) {
	plus, err := match.NewEngine(hash, n)
	minus, bad := match.NewEngine(hash, n)
	referee, worse := match.NewEngine(1, nil)
	return &table{plus, minus, referee}, errors.Join(err, bad, worse)
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
		_, tally, err = match.PlayPair(ctx, opening, t.plus, t.minus, &match.Rules{Nodes: p.Nodes}, uint64(number), nil)
	}
	return tally, err
}
