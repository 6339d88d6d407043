package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/search"
)

// tuneParams are those of a few quick pairs.
func tuneParams(perJob, lag int) *tuneRun {
	return &tuneRun{
		Names: []string{"Delta", "ReverseMargin"}, Nodes: 100, Seed: 3, Chess960: 0.3, Step: 0.5, Rate: 1,
		Blocks: run.Blocks{Items: 35, PerJob: perJob}, Lag: lag,
	}
}

// openTune returns a run with the embedded network.
func openTune(t *testing.T, params *tuneRun) (*run.Manifest, *tuneRun) {
	t.Helper()
	m, p := manifestOf(t, "tune", 3, params), new(tuneRun)
	testkit.Succeed(t, m.Read(p))
	return m, p
}

// fitted does all jobs of a run of twelve pairs and returns the values. The rate is low,
// so that no value ends at a bound, where seeds would agree.
func fitted(t *testing.T, params *tuneRun) []float64 {
	t.Helper()
	params.Items, params.Rate = 12, 0.1
	m, f := openTune(t, params)
	for i := range m.Jobs {
		j := run.Job{Run: m.ID(), Index: i, Input: f.Input(i)}
		data, _, err := f.Do(t.Context(), j, nil)
		testkit.Succeed(t, err)
		testkit.Succeed(t, f.Add(j, data))
	}
	return f.values
}

// freshTune returns a run that has learnt nothing.
func freshTune(t *testing.T) *tuneRun {
	t.Helper()
	p := tuneParams(1, 1)
	testkit.Succeed(t, p.Check())
	return p
}

// TestFit comes to the same values each time, to others
// with another seed, and not to those it began at.
func TestFit(t *testing.T) {
	none := freshTune(t).values
	other := tuneParams(5, 3)
	other.Seed++
	seen := [][]float64{none, fitted(t, other)}
	for _, p := range []*tuneRun{tuneParams(5, 3)} {
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

// TestTuneJobs plays the same pairs around the same values in jobs of any size, by engines that
// have played others or none, and moves the values by a pair's result alike.
func TestTuneJobs(t *testing.T) {
	var all [2][]int
	var values [2][]float64
	for i, perJob := range []int{5, 12} {
		short := tuneParams(perJob, 3)
		short.Items = 12
		m, fold := openTune(t, short)
		start := fold.Input(0)
		for index := range m.Jobs {
			j := run.Job{Run: m.ID(), Index: index, Input: start}
			data, _, err := fold.Do(t.Context(), j, nil)
			testkit.Succeed(t, err)
			var results []int
			testkit.Succeed(t, json.Unmarshal(data, &results))
			all[i] = append(all[i], results...)
			testkit.Succeed(t, fold.Add(j, data))
		}
		values[i] = fold.values
	}
	if !slices.Equal(all[0], all[1]) || !slices.Equal(values[0], values[1]) {
		t.Errorf("three jobs and one:\n%v\n%v\n%v\n%v", all[0], all[1], values[0], values[1])
	}
}

// TestTuneNetwork plays with the network of a file, which is the input.
func TestTuneNetwork(t *testing.T) {
	shape := nnue.Shape{Width: nnue.WidthStep, Outputs: 1, Scale: 150}
	blank, err := nnue.New(shape, nnue.NewWeights(shape), nnue.Provenance{})
	testkit.Succeed(t, err)
	var text bytes.Buffer
	_, err = blank.WriteTo(&text)
	testkit.Succeed(t, err)
	name := filepath.Join(t.TempDir(), "blank")
	testkit.Write(t, name, text.Bytes())
	var games [2]string
	for i, file := range []string{"", name} {
		q := tuneParams(4, 1)
		in, err := q.Network.Load(file)
		testkit.Succeed(t, err)
		m, p := openTune(t, q)
		data, _, err := p.Do(t.Context(), run.Job{Run: m.ID(), Input: p.Input(0)}, held(in))
		testkit.Succeed(t, err)
		games[i] = string(data)
	}
	if games[0] == games[1] {
		t.Error("another network plays the same games")
	}
	for _, bad := range []string{t.TempDir(), os.Args[0]} {
		if _, err := tuneParams(4, 1).Network.Load(bad); err == nil || !strings.Contains(err.Error(), "--network") {
			t.Errorf("network %s: %v", bad, err)
		}
	}
}

// TestInputsStay gives a job that is ready the same values however much has been
// folded since, and another fold of the same results the same ones.
func TestInputsStay(t *testing.T) {
	result := []byte(`[1,0,2,-1,2]`)
	want := map[int]string{}
	for round := range 2 {
		m, fold := openTune(t, tuneParams(5, 3))
		for index := range m.Jobs {
			for ready := index; ready < fold.Ready(); ready++ {
				input := fold.Input(ready)
				if want[ready] == "" && round == 0 {
					want[ready] = string(input)
				} else if want[ready] != string(input) {
					t.Errorf("job %d: another input after %d", ready, index)
				}
			}
			testkit.Succeed(t, fold.Add(run.Job{Index: index}, result))
		}
		if fold.Folded != m.Jobs {
			t.Errorf("%d of %d jobs are folded", fold.Folded, m.Jobs)
		}
	}
	if want[0] == want[3] {
		t.Error("the results moved nothing")
	}
}

func TestTuneLies(t *testing.T) {
	m, p := openTune(t, tuneParams(5, 3))
	for _, text := range []string{`[1]`, `[0,0,0,0,3]`, `{}`, `x`} {
		if err := p.Add(run.Job{}, []byte(text)); err == nil {
			t.Errorf("%s: folded", text)
		}
	}
	for _, input := range []string{`[]`, `[1]`, `null`, `x`} {
		if _, _, err := p.Do(t.Context(), run.Job{Run: m.ID(), Input: json.RawMessage(input)}, nil); err == nil {
			t.Errorf("input %s: played", input)
		}
	}
}

// TestTuneParams takes parameters at their bounds and refuses those beyond, naming
// them.
func TestTuneParams(t *testing.T) {
	for _, tt := range []struct {
		field string // of which an error speaks, "" for none
		set   func(*tuneRun)
	}{
		{"", func(*tuneRun) {}},
		{"", func(p *tuneRun) { p.Items = 1 }},
		{"pairs 0", func(p *tuneRun) { p.Items = 0 }},
		{"", func(p *tuneRun) { p.Items, p.PerJob = 1000*run.MaxJobs, 1000 }},
		{"pairs 1048576001", func(p *tuneRun) { p.Items, p.PerJob = 1000*run.MaxJobs+1, 1000 }},
		{"0 pairs in a job", func(p *tuneRun) { p.PerJob = 0 }},
		{"0 jobs at a time", func(p *tuneRun) { p.Lag = 0 }},
		{"", func(p *tuneRun) { p.Items = run.MaxJobs }},
		{"nodes", func(p *tuneRun) { p.Nodes = 0 }},
		{"chess960", func(p *tuneRun) { p.Chess960 = math.NaN() }},
		{"step", func(p *tuneRun) { p.Step = 0 }},
		{"rate", func(p *tuneRun) { p.Rate = 2 }},
		{`"Nothing"`, func(p *tuneRun) { p.Names = []string{"Nothing"} }},
		{"pairs 1048577: want 1 to 1048576", func(p *tuneRun) { p.Items = run.MaxJobs + 1 }},
	} {
		p := tuneParams(1, 1)
		tt.set(p)
		if err := p.Check(); (err == nil) != (tt.field == "") || err != nil && !strings.Contains(err.Error(), tt.field) {
			t.Errorf("%+v: %v; want an error of %q", p, err, tt.field)
		}
	}
	m, _ := openTune(t, tuneParams(5, 3))
	other := *m
	other.Jobs++
	if other.Read(new(tuneRun)) == nil {
		t.Error("a job more than there are pairs for is taken")
	}
}

// TestTuneText tells how many pairs are folded and how their games ended, of which the last
// job is a short one, and at the end what was fitted.
func TestTuneText(t *testing.T) {
	_, fold := openTune(t, tuneParams(32, 1))
	for i, want := range []string{"0 of 35 pairs, added steps ahead by +0 games",
		"32 of 35 pairs, added steps ahead by -2 games", "35 of 35 pairs, added steps ahead by +1 game"} {
		if got := fold.Text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		results := make([]int, 32)
		if results[3] = -2; i == 1 {
			results = []int{2, 0, 1}
		}
		text, err := json.Marshal(results)
		if err == nil && i < 2 {
			err = fold.Add(run.Job{Index: i}, text)
		}
		testkit.Succeed(t, err)
	}
	fold.mean = freshTune(t).values
	for i, row := range search.Tunables() {
		if row.Name == "Delta" {
			fold.mean[i] += 7.4
		}
	}
	var out strings.Builder
	testkit.Succeed(t, fold.result(&out, run.Outcome{}))
	delta := search.DefaultParams().Delta
	if want := regexp.MustCompile(fmt.Sprintf(`(?m)^Delta +%d +%d +\d+ to \d+$`, delta,
		delta+7)); !want.MatchString(out.String()) {
		t.Errorf("%s\nwant %v", &out, want)
	}
}
