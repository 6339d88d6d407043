// Package tune is the kind of run that fits the numbers of the search by
// simultaneous perturbation (SPSA). A job is a few pairs of games around the
// values that the run had come to when the job became ready; the fold moves the
// values by the results in order of the pairs, whatever came first. A job may be
// ready while up to Lag jobs before it are still played, so that many machines
// have work: that is how stale its values can be, and it is the same on every
// machine and after every break.
package tune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"text/tabwriter"

	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Kind is the name of this kind of run.
const Kind = "tune"

// Version changes when jobs of the same parameters come to other values.
const Version = 1

// Params are the parameters of a run.
type Params struct {
	Names    []string // parameters to fit; all without
	Pairs    int      // of games
	Nodes    uint64   // of a search, soft
	Seed     uint64
	Hash     int     // MiB of each engine
	Chess960 float64 // share of openings, 0 to 1
	Step     float64 // step at the end, as a share of each parameter's range
	Rate     float64 // part of a step by which a game moves a parameter at the end

	PerJob int `json:"perjob"` // pairs
	Lag    int `json:"lag"`    // jobs that may be ready at a time
}

// Check returns an error that names the first field out of range.
func (p *Params) Check() error {
	switch {
	case p.PerJob < 1 || p.Lag < 1:
		return fmt.Errorf("%d pairs in a job, %d jobs at a time: want at least 1", p.PerJob, p.Lag)
	case p.Pairs < 1 || p.Jobs() > run.MaxJobs:
		return fmt.Errorf("pairs %d: want 1 to %d", p.Pairs, run.MaxJobs*p.PerJob)
	case p.Hash < 1 || p.Hash > search.MaxHash:
		return fmt.Errorf("hash %d MiB: want 1 to %d", p.Hash, search.MaxHash)
	case p.Nodes < 1:
		return errors.New("nodes 0: want at least 1")
	case !(p.Chess960 >= 0 && p.Chess960 <= 1):
		return fmt.Errorf("chess960 share %v: want 0 to 1", p.Chess960)
	case !(p.Step > 0 && p.Step <= 0.5):
		return fmt.Errorf("step %v: want more than 0, at most 0.5", p.Step)
	case !(p.Rate > 0 && p.Rate <= 1):
		return fmt.Errorf("rate %v: want more than 0, at most 1", p.Rate)
	}
	_, err := choose(p.Names)
	return err
}

// Jobs returns the number of jobs.
func (p *Params) Jobs() int { return (p.Pairs + p.PerJob - 1) / p.PerJob }

// pairs returns the number of pairs of a job.
func (p *Params) pairs(index int) int { return min(p.PerJob, p.Pairs-index*p.PerJob) }

// Open returns the plan of a manifest.
func Open(m *run.Manifest) (*run.Plan, error) {
	p := new(Params)
	if err := m.Read(p); err != nil {
		return nil, err
	}
	chosen, err := choose(p.Names)
	var network run.Network
	var tables sync.Pool // of *table, whose making costs more than a game
	return &run.Plan{
		// Nothing is done twice: what a lying worker can do to the values is bounded by the step of a pair.
		Work: func(ctx context.Context, j run.Job, in run.Inputs) ([]byte, float64, error) {
			s := newSPSA(p, chosen)
			if err := s.setValues(j.Input); err != nil {
				return nil, 0, fmt.Errorf("values of job %d: %w", j.Index, err)
			}
			t, _ := tables.Get().(*table)
			if t == nil {
				n, err := network.Get(ctx, m, in)
				if err != nil {
					return nil, 0, err
				}
				if t, err = newTable(p.Hash, n); err != nil {
					return nil, 0, err
				}
			}
			defer tables.Put(t)
			v := value{}
			for i := range p.pairs(j.Index) {
				tally, err := t.play(ctx, s, p, j.Index*p.PerJob+i)
				if err != nil {
					return nil, 0, err
				}
				v.Results = append(v.Results, tally.Won-tally.Lost)
			}
			data, err := json.Marshal(&v)
			return data, float64(2 * len(v.Results)), err
		},
		NewFold: func() run.Fold {
			f := &Fold{Straight: run.Straight{Jobs: p.Jobs()}, spsa: newSPSA(p, chosen), params: p, inputs: map[int]json.RawMessage{}}
			f.keep(0)
			return f
		},
	}, err
}

// value is what a job comes to: of each pair the games won by the steps added
// less those lost.
type value struct {
	Results []int `json:"results"`
}

// Fold moves the values.
type Fold struct {
	run.Straight
	spsa   *spsa
	params *Params
	inputs map[int]json.RawMessage // of jobs that are ready and not folded
	won    int                     // games by the steps added, less those lost
}

// keep notes the present values as the input of the jobs that have become ready.
func (f *Fold) keep(from int) {
	text, err := json.Marshal(f.spsa.values)
	if err != nil {
		panic(err) // they are finite
	}
	for ; from < f.Ready(); from++ {
		f.inputs[from] = text
	}
}

// Ready returns how many jobs may be done: Lag more than are folded.
func (f *Fold) Ready() int { return min(f.Jobs, f.Folded+f.params.Lag) }

// Input returns the values that the job's games are played around.
func (f *Fold) Input(index int) (json.RawMessage, error) {
	text, ok := f.inputs[index]
	if !ok {
		return nil, fmt.Errorf("tune: job %d is not ready or folded: %d are folded", index, f.Folded)
	}
	return text, nil
}

// Add moves the values by a job's results.
func (f *Fold) Add(index int, text []byte) error {
	var v value
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	if len(v.Results) != f.params.pairs(index) {
		return fmt.Errorf("tune: job %d: %d pairs, want %d", index, len(v.Results), f.params.pairs(index))
	}
	for i, r := range v.Results {
		if r < -2 || r > 2 {
			return fmt.Errorf("tune: job %d: result %d of pair %d: want -2 to 2", index, r, i)
		}
	}
	for i, r := range v.Results {
		f.spsa.learn(f.params.Seed, index*f.params.PerJob+i, r)
		f.won += r
	}
	delete(f.inputs, index)
	before := f.Ready()
	f.Folded++
	f.keep(before)
	return nil
}

// Numbers returns the values that are fitted.
func (f *Fold) Numbers() []run.Number {
	var all []run.Number
	for i, t := range search.Tunables() {
		if f.spsa.chosen[i] {
			all = append(all, run.Number{Name: t.Name, Value: f.spsa.values[i]})
		}
	}
	return all
}

// Text returns how far the run is.
func (f *Fold) Text() string {
	return fmt.Sprintf("%d pairs of %d, steps added %+d games", min(f.Folded*f.params.PerJob, f.params.Pairs), f.params.Pairs, f.won)
}

// Compare prints the fitted parameters beside the present ones.
func (f *Fold) Compare(w io.Writer) error {
	fitted, err := f.spsa.rounded()
	if err != nil {
		return err
	}
	present := search.DefaultParams()
	before, after := present.Values(), fitted.Values()
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "parameter\tnow\tfitted\trange")
	for i, t := range search.Tunables() {
		fmt.Fprintf(out, "%s\t%d\t%d\t%d to %d\n", t.Name, before[i], after[i], t.Min, t.Max)
	}
	return out.Flush()
}
