package main

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
	"strings"
	"text/tabwriter"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/match"
)

// tuneRun is the kind of run that fits the numbers of the search by simultaneous perturbation (SPSA). A job is a
// few pairs of games around the values that the run had come to when the job became ready; the fold moves the values
// by the results in order of the pairs, whatever came first. A job may be ready while up to Lag jobs before it are
// still played, so that many machines have work: that is how stale its values can be, and it is the same on every
// machine and after every break.
type tuneRun struct {
	Names      []string // parameters to fit; all without
	run.Blocks          // of pairs
	Nodes      uint64   // of a search, soft
	Seed       uint64
	Chess960   float64 // share of openings, 0 to 1
	Step       float64 // step at the end, as a share of each parameter's range
	Rate       float64 // part of a step by which a game moves a parameter at the end
	Network    run.Network

	Lag int `json:"lag"` // jobs that may be ready at a time

	all    []search.Tunable
	chosen []bool
	values []float64
	mean   []float64         // of the values over the second half of the pairs, which is less noisy than the last ones
	before []json.RawMessage // values when so many jobs had been folded
	won    int               // games by the steps added, less those lost
}

func (p *tuneRun) order(_ context.Context, s *spec, _ place) (title string, inputs [][]byte, err error) {
	p.Names, p.Items, p.Nodes, p.Seed = s.Params, s.Pairs, s.Nodes, s.Seed
	p.Chess960, p.Step, p.Rate = s.Chess960, s.Step, s.Rate
	p.PerJob, p.Lag = pairsPerJob, 64 // more jobs than there are cores, or some would have nothing to do
	inputs, err = p.Network.Load(s.Network)
	title = strings.TrimSpace(fmt.Sprintf("%s, %s %s", plural.Of(p.Items, "pair"), plural.Of(p.Nodes, "node"),
		strings.Join(p.Names, " ")))
	return title, inputs, err
}

func (p *tuneRun) Check() error {
	switch {
	case p.Lag < 1:
		return fmt.Errorf("%d jobs at a time: want at least 1", p.Lag)
	case p.Nodes < 1:
		return errors.New("nodes 0: want at least 1")
	case !(p.Chess960 >= 0 && p.Chess960 <= 1):
		return fmt.Errorf("chess960 share %v: want 0 to 1", p.Chess960)
	case !(p.Step > 0 && p.Step <= 0.5):
		return fmt.Errorf("step %v: want more than 0, at most 0.5", p.Step)
	case !(p.Rate > 0 && p.Rate <= 1):
		return fmt.Errorf("rate %v: want more than 0, at most 1", p.Rate)
	}
	p.all, p.chosen = search.Tunables(), make([]bool, len(search.Tunables()))
	for _, name := range p.Names {
		i := slices.IndexFunc(p.all, func(t search.Tunable) bool { return t.Name == name })
		if i < 0 {
			return exit.WrongUsef("parameter %q: the search has none of that name", name)
		}
		p.chosen[i] = true
	}
	p.values, p.before, p.mean = nil, nil, make([]float64, len(p.all))
	start := search.DefaultParams()
	for i, v := range start.Values() {
		p.chosen[i] = p.chosen[i] || len(p.Names) == 0
		p.values = append(p.values, float64(v))
	}
	return cmp.Or(p.keep(), p.CheckBlocks("pairs"))
}

// Do plays the pairs of a job. Nothing is done twice: what a lying worker can do to the values is bounded by the step
// of a pair.
func (p *tuneRun) Do(ctx context.Context, j run.Job, in run.Inputs) ([]byte, float64, error) {
	var values []float64
	if err := json.Unmarshal(j.Input, &values); err != nil || len(values) != len(p.all) {
		return nil, 0, fmt.Errorf("job %d: input %.40q: want the values of %d parameters", j.Index, j.Input, len(p.all))
	}
	n, err := p.Network.Get(ctx, in)
	if err != nil {
		return nil, 0, err
	}
	plus, err := match.NewEngine(tuneHash, n)
	minus, bad := match.NewEngine(tuneHash, n)
	referee, worse := match.NewEngine(1, nil) // of openings
	if err := errors.Join(err, bad, worse); err != nil {
		return nil, 0, err
	}
	for _, e := range []*match.Engine{plus, minus, referee} {
		defer e.Close()
	}
	var results []int // of each pair the games won by the steps added less those lost
	for number, end := p.Block(j.Index); number < end; number++ {
		r := pairSource(p.Seed, number)
		flips := p.flips(r)
		for i, engine := range []*match.Engine{plus, minus} {
			params, err := p.params(values, flips, r, number, float64(1-2*i))
			if err == nil {
				err = engine.SetParams(params)
			}
			if err != nil {
				return nil, 0, err
			}
		}
		referee.Clear()
		opening, err := match.Opening(r, referee.Engine, p.Chess960)
		if err != nil {
			return nil, 0, err
		}
		_, tally, err := match.PlayPair(ctx, opening, plus, minus, &match.Rules{Nodes: p.Nodes}, uint64(number), nil)
		if err != nil {
			return nil, 0, err
		}
		results = append(results, tally.Won-tally.Lost)
	}
	data, err := json.Marshal(results)
	return data, float64(2 * len(results)), err
}

func (p *tuneRun) Ready() int { return min(p.Jobs(), p.Folded+p.Lag) }

func (p *tuneRun) Input(index int) json.RawMessage { return p.before[max(0, index+1-p.Lag)] }

func (p *tuneRun) Add(j run.Job, text []byte) error {
	var results []int
	if err := json.Unmarshal(text, &results); err != nil {
		return err
	}
	first, end := p.Block(j.Index)
	if len(results) != end-first {
		return fmt.Errorf("tune: job %d: %s, want %d", j.Index, plural.Of(len(results), "pair"), end-first)
	}
	for i, r := range results {
		if r < -2 || r > 2 {
			return fmt.Errorf("tune: job %d: result %d of pair %d: want -2 to 2", j.Index, r, i)
		}
	}
	for i, r := range results {
		p.learn(first+i, r)
		p.won += r
	}
	p.Folded++
	if gone := p.Folded - p.Lag; gone >= 0 {
		p.before[gone] = nil // no job is left that needs it
	}
	return p.keep()
}

// keep keeps the present values for the jobs that become ready now.
func (p *tuneRun) keep() error {
	text, err := json.Marshal(p.values)
	p.before = append(p.before, text)
	return err
}

func (p *tuneRun) Text() string {
	return fmt.Sprintf("%d of %s, added steps ahead by %+d %s", min(p.Folded*p.PerJob, p.Items),
		plural.Of(p.Items, "pair"), p.won,
		plural.Verb(max(p.won, -p.won), "game", "games"))
}

// result prints the fitted parameters, which are means of the second half, beside the present ones.
func (p *tuneRun) result(w io.Writer, _ run.Outcome) error {
	present := search.DefaultParams()
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "parameter\tnow\tfitted\trange")
	for i, now := range present.Values() {
		t := p.all[i]
		fmt.Fprintf(out, "%s\t%d\t%.0f\t%d to %d\n", t.Name, now, math.Round(p.mean[i]), t.Min, t.Max)
	}
	return out.Flush()
}

// tuneHash is the size of each engine's table in MiB.
const tuneHash = 8

// Constants of the method that are seldom changed. Source: Spall, "Implementation of the simultaneous perturbation
// algorithm", 1998.
const (
	alpha     = 0.602 // decay of the gain
	gamma     = 0.101 // decay of the steps
	stability = 0.1   // share of the pairs by which the decay of the gain is delayed
)

// step returns the step of parameter i in the given pair. Each pair is played between the present values with a random
// step added and the same with it taken away, and all values then move towards the winner. Source: Spall 1992; CPW
// "SPSA".
func (p *tuneRun) step(i, pair int) float64 {
	last := max(0.5, p.Step*float64(p.all[i].Max-p.all[i].Min))
	return last * math.Pow(float64(p.Items)/float64(pair+1), gamma)
}

// gain returns the part of a step by which a pair won by one game moves a parameter.
func (p *tuneRun) gain(pair int) float64 {
	pairs := float64(p.Items)
	a := stability * pairs
	decay := math.Pow((a+pairs)/(a+float64(pair+1)), alpha)
	return p.Rate * decay * math.Pow(float64(pair+1)/pairs, 2*gamma)
}

// flips returns the direction of each parameter's step in a pair, 0 for those that stay.
func (p *tuneRun) flips(r *rand.Rand) []float64 {
	all := make([]float64, len(p.values))
	for i := range all {
		if p.chosen[i] {
			all[i] = float64(2*r.IntN(2) - 1)
		}
	}
	return all
}

// params returns values with the steps of a pair added or, for sign -1, taken away. A value between two whole numbers
// becomes either of them, so that parameters of few values are not stuck.
func (p *tuneRun) params(values, flips []float64, r *rand.Rand, pair int, sign float64) (q search.Params, err error) {
	whole := make([]int, len(values))
	for i, v := range values {
		if v += sign * flips[i] * p.step(i, pair); p.chosen[i] {
			v = math.Floor(v + r.Float64())
		}
		whole[i] = int(p.clamp(i, v))
	}
	err = q.SetValues(whole)
	return q, err
}

// learn moves the values after a pair; result is the games won by the steps added less those lost, -2 to 2.
func (p *tuneRun) learn(pair, result int) {
	gain, flips := p.gain(pair), p.flips(pairSource(p.Seed, pair))
	for i := range p.values {
		p.values[i] = p.clamp(i, p.values[i]+float64(result)*gain*flips[i]*p.step(i, pair))
		if after := pair + 1 - p.Items/2; after > 0 {
			p.mean[i] += (p.values[i] - p.mean[i]) / float64(after)
		}
	}
}

// pairSource returns what decides a pair's steps and opening.
func pairSource(seed uint64, pair int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(pair))) }

func (p *tuneRun) clamp(i int, v float64) float64 {
	return max(float64(p.all[i].Min), min(float64(p.all[i].Max), v))
}
