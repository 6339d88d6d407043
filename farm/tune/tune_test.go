package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// params are those of a few quick pairs.
func params(perJob, lag int) *Params {
	return &Params{
		Names: []string{"Delta", "ReverseMargin"}, Pairs: 35, Nodes: 100, Seed: 3, Hash: 1, Chess960: 0.3, Step: 0.5, Rate: 1,
		PerJob: perJob, Lag: lag,
	}
}

// open returns a run with the embedded network.
func open(t *testing.T, params *Params) (*run.Manifest, *run.Plan) {
	t.Helper()
	m := manifestOf(t, 3, params)
	m.Network = nnue.Embedded().Hash().String()
	p, err := Open(m)
	testkit.Succeed(t, err)
	return m, p
}

// fitted does all jobs of a run of twelve pairs and returns the values. The rate is low,
// so that no value ends at a bound, where seeds would agree.
func fitted(t *testing.T, params *Params) []float64 {
	t.Helper()
	params.Pairs, params.Rate = 12, 0.1
	m, p := open(t, params)
	f := p.NewFold()
	for i := 0; !f.Done(); i++ {
		input, err := f.Input(i)
		testkit.Succeed(t, err)
		data, _, err := p.Work(t.Context(), run.Job{Run: m.ID(), Index: i, Input: input}, nil)
		testkit.Succeed(t, err)
		testkit.Succeed(t, f.Add(i, data))
	}
	return f.(*Fold).spsa.values
}

// TestFit comes to the same values each time, to others
// with another seed, and not to those it began at.
func TestFit(t *testing.T) {
	none := newSPSA(params(1, 1), nil).values
	other := params(5, 3)
	other.Seed++
	seen := [][]float64{none, fitted(t, other)}
	for _, p := range []*Params{params(5, 3)} {
		once := fitted(t, p)
		if !slices.Equal(once, fitted(t, p)) {
			t.Errorf("%v: another time otherwise", p.Names)
		}
		for _, before := range seen {
			if slices.Equal(once, before) {
				t.Errorf("%v: %v, as before or with another seed", p.Names, once)
			}
		}
	}
}

// TestJobs plays the same pairs around the same values in jobs of any size, by engines that
// have played others or none, and moves the values by a pair's result alike.
func TestJobs(t *testing.T) {
	var all [2][]int
	var values [2][]float64
	for i, perJob := range []int{5, 12} {
		short := params(perJob, 3)
		short.Pairs = 12
		m, p := open(t, short)
		fold := p.NewFold().(*Fold)
		start, err := fold.Input(0)
		testkit.Succeed(t, err)
		for index := range m.Jobs {
			data, _, err := p.Work(t.Context(), run.Job{Run: m.ID(), Index: index, Input: start}, nil)
			testkit.Succeed(t, err)
			var v value
			testkit.Succeed(t, json.Unmarshal(data, &v))
			all[i] = append(all[i], v.Results...)
			testkit.Succeed(t, fold.Add(index, data))
		}
		values[i] = fold.spsa.values
	}
	if !slices.Equal(all[0], all[1]) || !slices.Equal(values[0], values[1]) {
		t.Errorf("three jobs and one:\n%v\n%v\n%v\n%v", all[0], all[1], values[0], values[1])
	}
}

// TestNetwork plays with the network of the input, if it is the run's.
func TestNetwork(t *testing.T) {
	m, p := open(t, params(4, 1))
	input, err := p.NewFold().Input(0)
	testkit.Succeed(t, err)
	shape := nnue.Shape{Width: nnue.WidthStep, Outputs: 1, Scale: 150}
	blank, err := nnue.New(shape, nnue.NewWeights(shape), nnue.Provenance{})
	testkit.Succeed(t, err)
	var text bytes.Buffer
	_, err = blank.WriteTo(&text)
	testkit.Succeed(t, err)
	work := func() ([]byte, error) {
		p, err := Open(m)
		testkit.Succeed(t, err)
		data, _, err := p.Work(t.Context(), run.Job{Run: m.ID(), Input: input}, held{"blank": text.Bytes()})
		return data, err
	}
	embedded, err := work()
	testkit.Succeed(t, err)
	m.Inputs = []string{"blank"}
	if _, err := work(); err == nil {
		t.Error("plays with another network than the run's")
	}
	m.Network = blank.Hash().String()
	if data, err := work(); err != nil || bytes.Equal(data, embedded) {
		t.Errorf("another network plays the same games, error %v", err)
	}
}

// TestInputsStay gives a job that is ready the same values however much has been
// folded since, and another fold of the same results the same ones.
func TestInputsStay(t *testing.T) {
	m, p := open(t, params(5, 3))
	result := []byte(`{"results":[1,0,2,-1,2]}`)
	want := map[int]string{}
	for round := range 2 {
		fold := p.NewFold().(*Fold)
		for index := range m.Jobs {
			for ready := index; ready < fold.Ready(); ready++ {
				input, err := fold.Input(ready)
				testkit.Succeed(t, err)
				if want[ready] == "" && round == 0 {
					want[ready] = string(input)
				} else if want[ready] != string(input) {
					t.Errorf("job %d: another input after %d", ready, index)
				}
			}
			if _, err := fold.Input(fold.Ready()); err == nil {
				t.Error("a job that is not ready has an input")
			}
			testkit.Succeed(t, fold.Add(index, result))
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
	m, p := open(t, params(5, 3))
	for _, text := range []string{`{"results":[1]}`, `{"results":[0,0,0,0,3]}`, `{}`, `x`} {
		if err := p.NewFold().Add(0, []byte(text)); err == nil {
			t.Errorf("%s: folded", text)
		}
	}
	for _, input := range []string{`[]`, `[1]`, `null`, `x`} {
		if _, _, err := p.Work(t.Context(), run.Job{Run: m.ID(), Input: json.RawMessage(input)}, nil); err == nil {
			t.Errorf("input %s: played", input)
		}
	}
}

// TestParams takes parameters at their bounds and refuses those beyond, naming
// them.
func TestParams(t *testing.T) {
	good := *params(1, 1)
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
		{"0 pairs in a job", func(p *Params) { p.PerJob = 0 }},
		{"0 jobs at a time", func(p *Params) { p.Lag = 0 }},
		{"", func(p *Params) { p.Pairs = run.MaxJobs }},
		{"nodes", func(p *Params) { p.Nodes = 0 }},
		{"chess960", func(p *Params) { p.Chess960 = math.NaN() }},
		{"step", func(p *Params) { p.Step = 0 }},
		{"rate", func(p *Params) { p.Rate = 2 }},
		{`"Nothing"`, func(p *Params) { p.Names = []string{"Nothing"} }},
		{"pairs 1048577: want 1 to 1048576", func(p *Params) { p.Pairs = run.MaxJobs + 1 }},
	} {
		p := good
		tt.set(&p)
		if err := p.Check(); (err == nil) != (tt.field == "") || err != nil && !strings.Contains(err.Error(), tt.field) {
			t.Errorf("%+v: %v; want an error of %q", p, err, tt.field)
		}
	}
	m, _ := open(t, params(5, 3))
	other := *m
	other.Jobs++
	if _, err := Open(&other); err == nil {
		t.Error("a job more than there are pairs for is taken")
	}
}

// TestText tells how many pairs are folded and how their games ended, of which the last
// job is a short one, and at the end what was fitted.
func TestText(t *testing.T) {
	_, p := open(t, params(32, 1))
	fold := p.NewFold()
	for i, want := range []string{"0 of 35 pairs, added steps ahead by +0 games", "32 of 35 pairs, added steps ahead by -2 games", "35 of 35 pairs, added steps ahead by +1 games"} {
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
		testkit.Succeed(t, err)
	}
	fold.(*Fold).spsa.values = newSPSA(params(1, 1), nil).values
	for i, row := range search.Tunables() {
		if row.Name == "Delta" {
			fold.(*Fold).spsa.values[i] += 7.4
		}
	}
	var out strings.Builder
	testkit.Succeed(t, fold.(*Fold).Compare(&out))
	delta := search.DefaultParams().Delta
	if want := regexp.MustCompile(fmt.Sprintf(`(?m)^Delta +%d +%d +\d+ to \d+$`, delta, delta+7)); !want.MatchString(out.String()) {
		t.Errorf("%s\nwant %v", &out, want)
	}
}

// manifestOf returns the manifest of a run.
func manifestOf(t *testing.T, seed uint64, p run.Params) *run.Manifest {
	t.Helper()
	m, err := run.NewManifest(Kind, Version, seed, p)
	testkit.Succeed(t, err)
	return m
}

// held are inputs in memory, by their names.
type held map[string][]byte

func (h held) Get(_ context.Context, sum string) ([]byte, error) { return h[sum], nil }
