package match

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/journal"
	"github.com/tabula-chess/tabula/internal/testkit"
)

// config returns a short match of the embedded network with itself.
func config() Config {
	return Config{Players: make([]Side, 2), Pairs: 6, Rules: Rules{Nodes: 60}, Seed: 1, Hash: 1, Threads: 2}
}

// result is a report of a match of two.
type result struct {
	Report
	Standing
}

func run(t *testing.T, ctx context.Context, name string, c Config) result {
	t.Helper()
	r, err := Run(ctx, name, c, nil)
	testkit.Succeed(t, err)
	return result{r, r.Standings[0]}
}

// TestEven: a network against itself plays the two games of every pair alike,
// so that each pair is one point of two.
func TestEven(t *testing.T) {
	c := config()
	r := run(t, context.Background(), "", c)
	if want := (Pairs{0, 0, 6, 0, 0}); r.Pairs != want || r.Won != r.Lost || r.Won+r.Drawn+r.Lost != 12 {
		t.Errorf("%+v: want pairs %v", r, want)
	}
	// So do those of a clock that nodes drive, whatever else the machine does.
	c.Nodes, c.Clock = 0, Clock{Base: 20 * time.Millisecond, Inc: time.Millisecond, NodeTime: 100}
	if r := run(t, context.Background(), "", c); r.Pairs != (Pairs{0, 0, 6, 0, 0}) || r.Won != r.Lost || r.Late != [2]int{} {
		t.Errorf("by a clock of nodes: %+v", r)
	}
}

// weak returns a network that does not know what anything is worth.
func weak(t *testing.T) *nnue.Network {
	t.Helper()
	shape := nnue.Shape{Width: nnue.WidthStep, Outputs: 1, Scale: 150}
	n, err := nnue.New(shape, nnue.NewWeights(shape), nnue.Provenance{})
	testkit.Succeed(t, err)
	return n
}

// TestBetter: the embedded network must beat an empty one, from either side of
// the match.
func TestBetter(t *testing.T) {
	c := config()
	c.Players[1].Network = weak(t)
	r := run(t, context.Background(), "", c)
	if r.Won <= r.Lost+4 {
		t.Errorf("against nothing: %+v", r)
	}
	slices.Reverse(c.Players)
	if turned := run(t, context.Background(), "", c); turned.Won >= turned.Lost {
		t.Errorf("turned round: %+v", turned)
	}
}

// TestResume breaks a match off after each pair; what comes out must be what
// one run gives, whatever the number of threads.
func TestResume(t *testing.T) {
	c := config()
	c.Players[1].Network = weak(t)
	c.Players, c.Pairs = append(c.Players, Side{Params: map[string]int{"LMRBase": 1}}), 2
	want := run(t, context.Background(), "", c)
	name := filepath.Join(t.TempDir(), "m")
	for runs := 1; ; runs++ {
		ctx, cancel := context.WithCancel(context.Background())
		c.Threads = 1 + runs%3
		got, err := Run(ctx, name, c, func(Report) { cancel() })
		cancel()
		testkit.Succeed(t, err)
		if got.Left > 0 {
			if runs > 2*want.Played {
				t.Fatalf("after %d runs %d pairs", runs, got.Played)
			}
			continue
		}
		if !reflect.DeepEqual(got, want.Report) {
			t.Errorf("in parts %+v, at once %+v", got, want)
		}
		return
	}
}

// TestDamaged flips a bit of a pair in the journal: it is told, and the pair is played again.
func TestDamaged(t *testing.T) {
	c := config()
	c.Players[1].Network = weak(t)
	name := filepath.Join(t.TempDir(), "m")
	want := run(t, context.Background(), name, c)
	data := testkit.Read(t, name)
	lines := bytes.SplitAfter(data, []byte("\n"))
	for _, line := range []int{0, 3, 5} { // of the file, from 0; 0 for none
		bad, replayed := bytes.Clone(data), min(line, 1)
		if line > 0 {
			bad[len(bytes.Join(lines[:line], nil))+20] ^= 1
		}
		testkit.Write(t, name, bad)
		played := 0
		got, err := Run(context.Background(), name, c, func(Report) { played++ })
		testkit.Succeed(t, err)
		if played != replayed || len(got.Damages) != replayed {
			t.Errorf("line %d: %d pairs played again, damage %v, want %d", line, played, got.Damages, replayed)
		}
		got.Damages = nil
		if !reflect.DeepEqual(got, want.Report) {
			t.Errorf("line %d: %+v, want %+v", line, got, want.Report)
		}
	}
	data[len(bytes.Join(lines[:1], nil))+20] ^= 1
	testkit.Write(t, name, data)
	if _, err := Run(context.Background(), name, c, nil); err == nil || !strings.Contains(err.Error(), "settings of the match are missing") {
		t.Errorf("without its settings: %v", err)
	}
}

func TestResumeRefuses(t *testing.T) {
	name := filepath.Join(t.TempDir(), "m")
	c := config()
	c.Pairs = 1
	run(t, context.Background(), name, c)
	for what, change := range map[string]func(*Config){
		"nodes": func(c *Config) { c.Nodes++ }, "seed": func(c *Config) { c.Seed++ },
		"number":  func(c *Config) { c.Players[0].Params = map[string]int{"LMRBase": 1} },
		"network": func(c *Config) { c.Players[1].Network = weak(t) }, "openings": func(c *Config) { c.Openings = []string{chess.StartFEN} },
	} {
		other := c
		other.Players = slices.Clone(c.Players)
		change(&other)
		if _, err := Run(context.Background(), name, other, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("another %s: error %v, want one that names the file", what, err)
		}
	}
	old := filepath.Join(t.TempDir(), "m")
	j, err := journal.Open(old, nil)
	testkit.Succeed(t, err)
	head := c
	head.Search = 1
	_, err = j.Append(entry{Config: &head})
	testkit.Succeed(t, errors.Join(err, j.Close()))
	if _, err := Run(context.Background(), old, c, nil); err == nil || !strings.Contains(err.Error(), "bench visits 1 nodes") {
		t.Errorf("a match of another search: error %v", err)
	}
	typo := c
	typo.Players = []Side{{Params: map[string]int{"LMRBse": 1}}, {}}
	again := filepath.Join(t.TempDir(), "m")
	if _, err := Run(context.Background(), again, typo, nil); err == nil {
		t.Error("a parameter that nobody has: no error")
	}
	run(t, context.Background(), again, c) // and the file is free
	testkit.Write(t, name, []byte("{"))
	if _, err := Run(context.Background(), name, c, nil); err == nil {
		t.Error("another file: no error")
	}
}

// TestVerdict: a test of bounds that anything decides ends the match early, and
// a match that is decided plays no more.
func TestVerdict(t *testing.T) {
	name := filepath.Join(t.TempDir(), "m")
	c := config()
	c.Pairs, c.Players[1].Network, c.Threads = 1000, weak(t), 1
	c.Test = &Test{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05}
	r := run(t, context.Background(), name, c)
	if r.Verdict != Accepted || r.Pairs.Total() >= c.Pairs {
		t.Fatalf("%+v: want an early acceptance", r)
	}
	if again := run(t, context.Background(), name, c); again.Played != r.Played || again.Verdict != r.Verdict || again.Pairs != r.Pairs {
		t.Errorf("again: %+v, want %+v", again, r)
	}
}

// TestClock: games by the clock end, and who has no time left loses.
func TestClock(t *testing.T) {
	c := config()
	c.Nodes, c.Pairs = 0, 1
	c.Clock = Clock{Base: time.Nanosecond}
	r := run(t, context.Background(), "", c)
	if r.Late != [2]int{1, 1} || r.Won != 1 || r.Lost != 1 {
		t.Errorf("with no time: %+v, want White to lose both", r)
	}
}

// TestOpenings: every opening is played once before one is played again.
func TestOpenings(t *testing.T) {
	c := config()
	c.Openings = []string{
		"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/3P4/4K3 w - - 0 1", "4k3/8/8/8/8/8/2P5/4K3 w - - 0 1",
	}
	for round := range 3 {
		seen := map[string]bool{}
		for i := range c.Openings {
			p, err := c.opening(nil, round*len(c.Openings)+i)
			testkit.Succeed(t, err)
			seen[p.FEN()] = true
		}
		if len(seen) != len(c.Openings) {
			t.Errorf("round %d: %d of %d openings", round, len(seen), len(c.Openings))
		}
	}
}

func TestCheck(t *testing.T) {
	for what, change := range map[string]func(*Config){
		"1 player":        func(c *Config) { c.Players = c.Players[:1] },
		"SPRT: 3 players": func(c *Config) { c.Players, c.Test = make([]Side, 3), &Test{Elo1: 1} },
		"pairs":           func(c *Config) { c.Pairs = 0 },
		"nodes":           func(c *Config) { c.Nodes = 0 }, "clock": func(c *Config) { c.Clock.Base = 1 },
		"chess960": func(c *Config) { c.Chess960 = 2 }, "threads": func(c *Config) { c.Threads = 0 },
		"opening 1":  func(c *Config) { c.Openings = []string{"4k3/8/8/8/8/8/8/4K3 w - - 0 1"} },
		"opening":    func(c *Config) { c.Openings = []string{"x"} },
		"SPRT":       func(c *Config) { c.Test = &Test{} },
		"hash size ": func(c *Config) { c.Hash = 0 },
		"reach":      func(c *Config) { c.Players[0].Params = map[string]int{"reach": 1} },
		"Elo":        func(c *Config) { c.Players[1].Elo = 1 },
	} {
		c := config()
		change(&c)
		if _, err := Run(context.Background(), "", c, nil); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: error %v", what, err)
		}
	}
}
