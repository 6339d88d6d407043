package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/match"
)

// quick are settings for games that take milliseconds.
func quick() Config {
	return Config{Pairs: 2 * generation, Rules: match.Rules{Nodes: 20}, Seed: 3, Hash: 1, Chess960: 0.3, Step: 0.1, Rate: 0.05, Threads: 2}
}

// run runs c with its state in a new file and returns what was fitted.
func run(t *testing.T, c Config) search.Params {
	t.Helper()
	p, err := Run(t.Context(), filepath.Join(t.TempDir(), "numbers.json"), c, nil)
	must.Succeed(t, err)
	return p
}

// TestFindsOptimum replaces games by a random winner that likes values near a
// target.
func TestFindsOptimum(t *testing.T) {
	const pairs = 20000
	chosen, err := choose([]string{"ReverseMargin", "LMRCut", "KillerFirst"})
	must.Succeed(t, err)
	s := newSPSA(search.DefaultParams(), chosen, pairs, 0.05, 0.02)
	target := slices.Clone(s.values)
	for i := range target {
		if chosen[i] {
			target[i] = float64(s.all[i].Min) + 0.75*float64(s.all[i].Max-s.all[i].Min)
		}
	}
	strength := func(p search.Params) (e float64) {
		for i, v := range p.Values() {
			d := (float64(v) - target[i]) / float64(s.all[i].Max-s.all[i].Min)
			e -= 2 * d * d
		}
		return e
	}
	r := rand.New(rand.NewPCG(1, 2))
	for pair := range pairs {
		flips := s.flips(source(1, pair))
		plus, err1 := s.params(r, pair, flips, 1)
		minus, err2 := s.params(r, pair, flips, -1)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		result := -1
		if r.Float64() < 1/(1+math.Exp(strength(minus)-strength(plus))) {
			result = 1
		}
		s.Learn(1, pair, result)
	}
	start := search.DefaultParams()
	for i, before := range start.Values() {
		switch off := math.Abs(s.values[i]-target[i]) / float64(s.all[i].Max-s.all[i].Min); {
		case !chosen[i] && s.values[i] != float64(before):
			t.Errorf("%s moved from %d to %v, though not chosen", s.all[i].Name, before, s.values[i])
		case off > 0.12:
			t.Errorf("%s ends at %.1f, want about %.1f", s.all[i].Name, s.values[i], target[i])
		}
	}
}

func TestSameOnAnyThreads(t *testing.T) {
	c := quick()
	two := run(t, c)
	c.Threads = 1
	if diff := cmp.Diff(two, run(t, c)); diff != "" {
		t.Errorf("two threads and one (-want +got):\n%s", diff)
	}
	c.Seed++
	if two == run(t, c) {
		t.Error("another seed gives the same")
	}
	if two == search.DefaultParams() {
		t.Error("nothing was fitted")
	}
	c.Nodes, c.Clock, c.Names = 0, match.Clock{Base: 5 * time.Millisecond, NodeTime: 50}, []string{"ClockMoves", "ClockNodes"}
	byClock := run(t, c)
	c.Threads = 2
	if byClock != run(t, c) || byClock == search.DefaultParams() {
		t.Errorf("by a clock of nodes ClockMoves %d, ClockNodes %d, another time otherwise or as before", byClock.ClockMoves, byClock.ClockNodes)
	}
}

// TestResume stops a run after its first generation and starts it again.
func TestResume(t *testing.T) {
	c := quick()
	want := run(t, c)
	name := filepath.Join(t.TempDir(), "numbers.json")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := Run(ctx, name, c, func(Progress) { cancel() }); err != nil {
		t.Fatal(err)
	}
	first := 0
	got, err := Run(t.Context(), name, c, func(p Progress) {
		if first == 0 {
			first = p.Pairs
		}
	})
	if err != nil || first != 2*generation {
		t.Fatalf("went on to %d pairs, error %v, want %d", first, err, 2*generation)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c.Nodes++
	if _, err := Run(t.Context(), name, c, nil); err == nil || !strings.Contains(err.Error(), "other settings") {
		t.Errorf("other settings: error %v", err)
	}
	filestest.Write(t, name, []byte("{"))
	if _, err := Run(t.Context(), name, c, nil); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("damaged state: error %v, want one that names the file", err)
	}
}

func TestConfigErrors(t *testing.T) {
	for _, tt := range []struct {
		field  string
		change func(*Config)
	}{
		{"pairs", func(c *Config) { c.Pairs = 0 }},
		{"nodes", func(c *Config) { c.Nodes = 0 }},
		{"clock", func(c *Config) { c.Clock.Base = time.Second }},
		{"node time", func(c *Config) { c.Nodes, c.Clock = 0, match.Clock{Base: time.Second, NodeTime: -1} }},
		{"chess960", func(c *Config) { c.Chess960 = math.NaN() }},
		{"step", func(c *Config) { c.Step = 0 }},
		{"rate", func(c *Config) { c.Rate = 2 }},
		{"threads", func(c *Config) { c.Threads = 0 }},
		{"hash", func(c *Config) { c.Hash = 0 }},
		{`"Nothing"`, func(c *Config) { c.Names = []string{"Nothing"} }},
	} {
		c := quick()
		tt.change(&c)
		if _, err := Run(t.Context(), filepath.Join(t.TempDir(), "a"), c, nil); err == nil || !strings.Contains(err.Error(), tt.field) {
			t.Errorf("%s: error %v, want one that names it", tt.field, err)
		}
	}
}
