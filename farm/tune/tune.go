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
	"fmt"
	"sync"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/tune"
)

// Kind is the name of this kind of run.
const Kind = "tune"

// Version changes when jobs of the same parameters come to other values.
const Version = 1

// Params are the parameters of a run.
type Params struct {
	tune.Config
	PerJob int `json:"perjob"` // pairs
	Lag    int `json:"lag"`    // jobs that may be ready at a time
}

// Check returns an error that names the first field out of range.
func (p *Params) Check() error {
	switch {
	case p.Pairs < 1 || p.Pairs > 1000*run.MaxJobs:
		return fmt.Errorf("pairs %d: want 1 to %d", p.Pairs, 1000*run.MaxJobs)
	case p.Hash < 1 || p.Hash > search.MaxHash:
		return fmt.Errorf("hash %d MiB: want 1 to %d", p.Hash, search.MaxHash)
	case p.PerJob < 1 || p.PerJob > 1000:
		return fmt.Errorf("pairs of a job %d: want 1 to 1000", p.PerJob)
	case p.Lag < 1 || p.Lag > 10000:
		return fmt.Errorf("lag %d: want 1 to 10000", p.Lag)
	case p.Jobs() > run.MaxJobs:
		return fmt.Errorf("%d jobs: want at most %d: more pairs in each", p.Jobs(), run.MaxJobs)
	}
	c := p.Config
	c.Threads = 1
	return c.Check()
}

// Jobs returns the number of jobs.
func (p *Params) Jobs() int { return (p.Pairs + p.PerJob - 1) / p.PerJob }

// pairs returns the number of pairs of a job.
func (p *Params) pairs(index int) int { return min(p.PerJob, p.Pairs-index*p.PerJob) }

// Open returns the plan of a manifest.
func Open(m *run.Manifest) (run.Plan, error) {
	p := new(plan)
	if err := m.Read(&p.Params); err != nil {
		return nil, err
	}
	p.Threads = 1
	_, err := tune.NewSPSA(&p.Config)
	return p, err
}

// plan is a run as its workers and folders see it.
type plan struct {
	Params
	tables sync.Pool // of *tune.Table, whose making costs more than a game
}

// Copies returns 1: what a lying worker can do to the values is bounded by the
// step of a pair.
func (p *plan) Copies(int) int { return 1 }

// value is what a job comes to: of each pair the games won by the steps added
// less those lost.
type value struct {
	Results []int `json:"results"`
}

// Work plays the pairs of a job.
func (p *plan) Work(ctx context.Context, j run.Job, _ run.Inputs) (out run.Output, err error) {
	s, err := tune.NewSPSA(&p.Config)
	if err != nil {
		return out, err
	}
	var values []float64
	if err := json.Unmarshal(j.Input, &values); err != nil {
		return out, fmt.Errorf("values of job %d: %w", j.Index, err)
	}
	if err := s.SetValues(values); err != nil {
		return out, err
	}
	t, _ := p.tables.Get().(*tune.Table)
	if t == nil {
		if t, err = tune.NewTable(&p.Config); err != nil {
			return out, err
		}
	}
	defer p.tables.Put(t)
	v := value{}
	for i := range p.pairs(j.Index) {
		tally, err := t.Play(ctx, s, &p.Config, j.Index*p.PerJob+i)
		if err != nil {
			return out, err
		}
		v.Results = append(v.Results, tally.Won-tally.Lost)
	}
	out.Units = float64(2 * len(v.Results))
	out.Value, err = json.Marshal(&v)
	return out, err
}

// Fold moves the values.
type Fold struct {
	run.Straight
	spsa   *tune.SPSA
	params *Params
	inputs map[int]json.RawMessage // of jobs that are ready and not folded
	won    int                     // games by the steps added, less those lost
}

// NewFold returns a fold at the defaults of the search.
func (p *plan) NewFold() run.Fold {
	s, err := tune.NewSPSA(&p.Config)
	if err != nil {
		panic(err) // Open has made one
	}
	f := &Fold{Straight: run.Straight{Jobs: p.Jobs()}, spsa: s, params: &p.Params, inputs: map[int]json.RawMessage{}}
	for index := range f.Ready() {
		f.inputs[index] = f.values()
	}
	return f
}

// values returns the present values as an input.
func (f *Fold) values() json.RawMessage {
	text, err := json.Marshal(f.spsa.Values())
	if err != nil {
		panic(err) // they are finite
	}
	return text
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
func (f *Fold) Add(index int, text json.RawMessage) error {
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
		f.spsa.Learn(f.params.Seed, index*f.params.PerJob+i, r)
		f.won += r
	}
	delete(f.inputs, index)
	before := f.Ready()
	f.Count()
	for ready := before; ready < f.Ready(); ready++ {
		f.inputs[ready] = f.values()
	}
	return nil
}

// Fitted returns the values rounded.
func (f *Fold) Fitted() (search.Params, error) { return f.spsa.Rounded() }

// Numbers returns the values that are fitted.
func (f *Fold) Numbers() []run.Number {
	values := f.spsa.Values()
	var all []run.Number
	for i, t := range search.Tunables() {
		if f.spsa.Chosen(i) {
			all = append(all, run.Number{Name: t.Name, Value: values[i]})
		}
	}
	return all
}

// Text returns how far the run is.
func (f *Fold) Text() string {
	return fmt.Sprintf("%d pairs of %d, steps added %+d games", min(f.Folded*f.params.PerJob, f.params.Pairs), f.params.Pairs, f.won)
}
