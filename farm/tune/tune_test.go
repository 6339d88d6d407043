package tune

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/farm/run/runtest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/tune"
)

// open returns a run of a few pairs.
func open(t *testing.T, perJob, lag int) (*run.Manifest, *plan) {
	t.Helper()
	m := runtest.Manifest(t, Kind, Version, 3, &Params{
		Config: tune.Config{Names: []string{"Delta", "ReverseMargin"}, Pairs: 35, Rules: match.Rules{Nodes: 100}, Seed: 3, Hash: 1, Step: 0.5, Rate: 1},
		PerJob: perJob, Lag: lag,
	})
	p, err := Open(m)
	must.Succeed(t, err)
	return m, p.(*plan)
}

// TestFarmedIsTuned does the jobs one after the other with as many pairs in each
// as train tune plays around the same values: the numbers are its.
func TestFarmedIsTuned(t *testing.T) {
	m, p := open(t, 32, 1)
	fold := p.NewFold().(*Fold)
	for index := range m.Jobs {
		if fold.Ready() != index+1 {
			t.Fatalf("%d jobs are ready after %d", fold.Ready(), index)
		}
		input, err := fold.Input(index)
		must.Succeed(t, err)
		out, err := p.Work(t.Context(), run.Job{Run: m.ID(), Index: index, Input: input}, nil)
		must.Succeed(t, err)
		must.Succeed(t, fold.Add(index, out.Value))
	}
	got, err := fold.Fitted()
	must.Succeed(t, err)
	c := p.Config
	c.Threads = 2
	want, err := tune.Run(t.Context(), filepath.Join(t.TempDir(), "state"), c, nil)
	must.Succeed(t, err)
	if got != want || got == search.DefaultParams() {
		t.Errorf("Delta %d, ReverseMargin %d; train tune has %d, %d", got.Delta, got.ReverseMargin, want.Delta, want.ReverseMargin)
	}
}

// TestInputsStay gives a job that is ready the same values however much has been
// folded since, and another fold of the same results the same ones.
func TestInputsStay(t *testing.T) {
	m, p := open(t, 5, 3)
	result := json.RawMessage(`{"results":[1,0,2,-1,2]}`)
	want := map[int]string{}
	for round := range 2 {
		fold := p.NewFold().(*Fold)
		for index := range m.Jobs {
			for ready := index; ready < fold.Ready(); ready++ {
				input, err := fold.Input(ready)
				must.Succeed(t, err)
				if want[ready] == "" && round == 0 {
					want[ready] = string(input)
				} else if want[ready] != string(input) {
					t.Errorf("job %d: another input after %d", ready, index)
				}
			}
			if _, err := fold.Input(fold.Ready()); err == nil {
				t.Error("a job that is not ready has an input")
			}
			must.Succeed(t, fold.Add(index, result))
		}
		if !fold.Done() || len(fold.inputs) != 0 {
			t.Errorf("%d inputs are left", len(fold.inputs))
		}
	}
	if want[0] == want[3] {
		t.Error("the results moved nothing")
	}
}

func TestLies(t *testing.T) {
	m, p := open(t, 5, 3)
	for _, text := range []string{`{"results":[1]}`, `{"results":[0,0,0,0,3]}`, `{}`, `x`} {
		if err := p.NewFold().Add(0, json.RawMessage(text)); err == nil {
			t.Errorf("%s: folded", text)
		}
	}
	for _, input := range []string{`[]`, `[1]`, `null`, `x`} {
		if _, err := p.Work(t.Context(), run.Job{Run: m.ID(), Input: json.RawMessage(input)}, nil); err == nil {
			t.Errorf("input %s: played", input)
		}
	}
}

// TestParams takes parameters at their bounds and refuses those beyond, naming
// them.
func TestParams(t *testing.T) {
	good := Params{Config: tune.Config{Names: []string{"Delta"}, Pairs: 100, Rules: match.Rules{Nodes: 100}, Hash: 1, Step: 0.5, Rate: 1}, PerJob: 1, Lag: 1}
	for _, tt := range []struct {
		field string // of which an error speaks, "" for none
		set   func(*Params)
	}{
		{"", func(*Params) {}},
		{"", func(p *Params) { p.Pairs = 1 }},
		{"pairs 0", func(p *Params) { p.Pairs = 0 }},
		{"", func(p *Params) { p.Pairs, p.PerJob = 1000*run.MaxJobs, 1000 }},
		{"pairs 1048576001", func(p *Params) { p.Pairs, p.PerJob = 1000*run.MaxJobs+1, 1000 }},
		{"hash 0", func(p *Params) { p.Hash = 0 }},
		{"", func(p *Params) { p.Hash = search.MaxHash }},
		{"hash", func(p *Params) { p.Hash = search.MaxHash + 1 }},
		{"pairs of a job 0", func(p *Params) { p.PerJob = 0 }},
		{"pairs of a job 1001", func(p *Params) { p.PerJob = 1001 }},
		{"lag 0", func(p *Params) { p.Lag = 0 }},
		{"", func(p *Params) { p.Lag = 10000 }},
		{"lag 10001", func(p *Params) { p.Lag = 10001 }},
		{"", func(p *Params) { p.Pairs = run.MaxJobs }},
		{"1048577 jobs", func(p *Params) { p.Pairs = run.MaxJobs + 1 }},
	} {
		p := good
		tt.set(&p)
		if err := p.Check(); (err == nil) != (tt.field == "") || err != nil && !strings.Contains(err.Error(), tt.field) {
			t.Errorf("%+v: %v; want an error of %q", p, err, tt.field)
		}
	}
	m, p := open(t, 5, 3)
	other := *m
	other.Jobs++
	if _, err := Open(&other); err == nil {
		t.Error("a job more than there are pairs for is taken")
	}
	if got := p.NewFold().(*Fold); len(got.Numbers()) != 2 || got.Numbers()[0].Name != "ReverseMargin" || got.Numbers()[1].Name != "Delta" {
		t.Errorf("numbers %v, want the two that are fitted", got.Numbers())
	}
}

// TestText tells how many pairs are folded and how their games ended; the last job
// is a short one.
func TestText(t *testing.T) {
	_, p := open(t, 32, 1)
	fold := p.NewFold()
	for i, want := range []string{"0 pairs of 35, steps added +0 games", "32 pairs of 35, steps added -2 games", "35 pairs of 35, steps added +1 games"} {
		if got := fold.Text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		results := make([]int, 32)
		if results[3] = -2; i == 1 {
			results = []int{2, 0, 1}
		}
		text, err := json.Marshal(value{results})
		if err == nil && i < 2 {
			err = fold.Add(i, text)
		}
		must.Succeed(t, err)
	}
}
