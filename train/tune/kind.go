// Package tune fits the numbers of the search to games by simultaneous perturbation (SPSA): each pair of games is
// played between the present values with a random step added and the same with it taken away, and all values then move
// towards the winner. Sources: Spall, "Multivariate stochastic approximation using a simultaneous perturbation gradient
// approximation" (1992); CPW "SPSA".
package tune

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/work"
)

// Tune is the kind of work that fits parameters. A job is a pair of games between the parameters of its input, and
// comes to the games won by the steps added less those lost. The fold moves the values in the order of the pairs,
// whatever came first. A pair is played around the values that Lag pairs before it have led to at least, so that many
// can be played at a time: that is how stale its values can be, and it is the same for any number of threads.
type Tune struct {
	Names    []string `json:",omitempty"` // parameters to fit; all without
	Pairs    int      // steps and gain fall with them
	Nodes    uint64   // of a search, soft
	Seed     uint64
	Chess960 float64 `json:",omitempty"` // share of openings, 0 to 1
	Step     float64 // step at the end, as a share of each parameter's range
	Rate     float64 // part of a step by which a game moves a parameter at the end
	Network  int     `json:",omitempty"` // number of the input that holds the network, 0 for the embedded one
	Lag      int     // pairs that may be under way

	networks match.Networks
	all      []search.Tunable
	chosen   []bool
	values   []float64
	mean     []float64   // of the values over the second half of the pairs, which is less noisy than the last ones
	before   [][]float64 // values when n pairs had been folded, at n % Lag
	folded   int
	won      int       // games by the steps added, less those lost
	effects  []float64 // of the steps up: the games that they won less those that they lost
	squares  float64   // of the results of all pairs
}

// Type returns the kind of work.
func Type() *work.Type {
	return &work.Type{Name: "tune", Version: 2, Exact: true, New: func(work.Env) work.Kind { return new(Tune) }}
}

// maxLag bounds the values that are kept.
const maxLag = 1 << 16

// Check implements [work.Kind].
func (t *Tune) Check() error {
	switch {
	case t.Pairs < 1:
		return exit.WrongUsef("pairs %d: want at least 1", t.Pairs)
	case t.Lag < 1 || t.Lag > maxLag:
		return exit.WrongUsef("lag of %d pairs: want 1 to %d", t.Lag, maxLag)
	case t.Nodes < 1:
		return exit.WrongUsef("nodes 0: want at least 1")
	case !(t.Chess960 >= 0 && t.Chess960 <= 1):
		return exit.WrongUsef("chess960 share %v: want 0 to 1", t.Chess960)
	case !(t.Step > 0 && t.Step <= 0.5):
		return exit.WrongUsef("step %v: want more than 0, at most 0.5", t.Step)
	case !(t.Rate > 0 && t.Rate <= 1):
		return exit.WrongUsef("rate %v: want more than 0, at most 1", t.Rate)
	}
	t.all, t.chosen = search.Tunables(), make([]bool, len(search.Tunables()))
	for _, name := range t.Names {
		i := slices.IndexFunc(t.all, func(row search.Tunable) bool { return row.Name == name })
		if i < 0 {
			return exit.WrongUsef("parameter %q: the search has none of that name", name)
		}
		t.chosen[i] = true
	}
	t.values, t.mean = nil, make([]float64, len(t.all))
	start := search.DefaultParams()
	for i, v := range start.Values() {
		t.chosen[i] = t.chosen[i] || len(t.Names) == 0
		t.values = append(t.values, float64(v))
	}
	t.before, t.folded, t.won = make([][]float64, t.Lag), 0, 0
	t.effects, t.squares = make([]float64, len(t.all)), 0
	t.keep()
	return nil
}

// keep keeps the present values for the pairs that become ready now.
func (t *Tune) keep() { t.before[t.folded%t.Lag] = slices.Clone(t.values) }

// input is the input of a job: the parameters of the two sides, in the order of [search.Tunables].
type input struct{ Plus, Minus []int }

// Ready implements [work.Kind].
func (t *Tune) Ready() int { return t.folded + t.Lag }

// Next implements [work.Kind].
func (t *Tune) Next(pair int) ([]byte, error) {
	if pair >= t.Pairs {
		return nil, io.EOF
	}
	values := t.before[max(0, pair+1-t.Lag)%t.Lag]
	r := t.source(pair)
	flips := t.flips(r)
	return json.Marshal(input{t.params(values, flips, r, pair, 1), t.params(values, flips, r, pair, -1)})
}

// Add implements [work.Kind].
func (t *Tune) Add(pair int, data []byte) error {
	result, err := strconv.Atoi(string(data))
	if err != nil || result < -2 || result > 2 {
		return fmt.Errorf("result %.40q of pair %d: want -2 to 2", data, pair)
	}
	t.learn(pair, result)
	t.won += result
	t.folded++
	t.keep()
	return nil
}

// Done implements [work.Kind].
func (t *Tune) Done() bool { return false }

// Text implements [work.Kind].
func (t *Tune) Text() string {
	return fmt.Sprintf("%d of %s, added steps ahead by %+d %s", t.folded, plural.Of(t.Pairs, "pair"), t.won,
		plural.Verb(max(t.won, -t.won), "game", "games"))
}

// tuneHash is the size of each engine's table in MiB.
const tuneHash = 8

// players is a [work.JobWorker].
type players struct {
	*Tune
	plus, minus, referee *match.InProcess // the last checks openings
}

// Open implements [work.Kind].
func (t *Tune) Open(ctx context.Context, in work.Inputs) (work.JobWorker, error) {
	n, err := t.networks.Get(ctx, in, t.Network)
	if err != nil {
		return nil, err
	}
	p := &players{Tune: t}
	var errs [3]error
	p.plus, errs[0] = match.NewEngine(tuneHash, n)
	p.minus, errs[1] = match.NewEngine(tuneHash, n)
	p.referee, errs[2] = match.NewEngine(1, nil)
	return p, errors.Join(errs[:]...)
}

// Close implements [work.JobWorker].
func (p *players) Close() {
	for _, e := range []*match.InProcess{p.plus, p.minus, p.referee} {
		e.Close()
	}
}

// Do implements [work.JobWorker].
func (p *players) Do(ctx context.Context, j work.Job) ([]byte, float64, error) {
	var in input
	if err := json.Unmarshal(j.Input, &in); err != nil {
		return nil, 0, fmt.Errorf("input %.40q: %w", j.Input, err)
	}
	var plus, minus search.Params
	err := cmp.Or(plus.SetValues(in.Plus), minus.SetValues(in.Minus))
	if err == nil {
		err = errors.Join(p.plus.SetParams(plus), p.minus.SetParams(minus))
	}
	if err != nil {
		return nil, 0, fmt.Errorf("input: %w", err)
	}
	p.referee.Clear()
	opening, err := match.Opening(rand.New(rand.NewPCG(p.Seed, uint64(j.Index))), p.referee.Engine, p.Chess960)
	if err != nil {
		return nil, 0, err
	}
	pair, err := match.PlayPair(ctx, opening, p.plus, p.minus, &match.Rules{Nodes: p.Nodes}, uint64(j.Index))
	if err != nil {
		return nil, 0, err
	}
	// Results are half points of White, whom the steps added play in the first game and the others in the second.
	return strconv.AppendInt(nil, int64(pair[0].Result)-int64(pair[1].Result), 10), 2, nil
}

// Constants of the method that are seldom changed. Source: Spall, "Implementation of the simultaneous perturbation
// algorithm", 1998.
const (
	alpha     = 0.602 // decay of the gain
	gamma     = 0.101 // decay of the steps
	stability = 0.1   // share of the pairs by which the decay of the gain is delayed
)

// step returns the step of parameter i in the given pair.
func (t *Tune) step(i, pair int) float64 {
	last := max(0.5, t.Step*float64(t.all[i].Max-t.all[i].Min))
	return last * math.Pow(float64(t.Pairs)/float64(pair+1), gamma)
}

// gain returns the part of a step by which a pair won by one game moves a parameter.
func (t *Tune) gain(pair int) float64 {
	pairs := float64(t.Pairs)
	a := stability * pairs
	decay := math.Pow((a+pairs)/(a+float64(pair+1)), alpha)
	return t.Rate * decay * math.Pow(float64(pair+1)/pairs, 2*gamma)
}

// flips returns the direction of each parameter's step in a pair, 0 for those that stay.
func (t *Tune) flips(r *rand.Rand) []float64 {
	all := make([]float64, len(t.values))
	for i := range all {
		if t.chosen[i] {
			all[i] = float64(2*r.IntN(2) - 1)
		}
	}
	return all
}

// params returns values with the steps of a pair added or, for sign -1, taken away. A value between two whole numbers
// becomes either of them, so that parameters of few values are not stuck.
func (t *Tune) params(values, flips []float64, r *rand.Rand, pair int, sign float64) []int {
	whole := make([]int, len(values))
	for i, v := range values {
		if v += sign * flips[i] * t.step(i, pair); t.chosen[i] {
			v = math.Floor(v + r.Float64())
		}
		whole[i] = int(t.clamp(i, v))
	}
	return whole
}

// learn moves the values after a pair; result is the games won by the steps added less those lost, -2 to 2.
func (t *Tune) learn(pair, result int) {
	gain, flips := t.gain(pair), t.flips(t.source(pair))
	t.squares += float64(result * result)
	for i := range t.values {
		t.effects[i] += float64(result) * flips[i]
		t.values[i] = t.clamp(i, t.values[i]+float64(result)*gain*flips[i]*t.step(i, pair))
		if after := pair + 1 - t.Pairs/2; after > 0 {
			t.mean[i] += (t.values[i] - t.mean[i]) / float64(after)
		}
	}
}

// effect returns the games won with a step of parameter i up less those won with a step down, over all pairs, in
// standard errors: chance alone comes to more than 1, either way, one time in three.
func (t *Tune) effect(i int) float64 { return t.effects[i] / math.Sqrt(max(1, t.squares)) }

// source returns what decides a pair's steps. The seed alone decides its opening.
func (t *Tune) source(pair int) *rand.Rand { return rand.New(rand.NewPCG(^t.Seed, uint64(pair))) }

func (t *Tune) clamp(i int, v float64) float64 {
	return max(float64(t.all[i].Min), min(float64(t.all[i].Max), v))
}
