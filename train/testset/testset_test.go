package testset

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/train/traintest"
)

func TestMain(m *testing.M) { traintest.Main(m) }

// writeGames writes games of random moves and returns the file's name.
func writeGames(t *testing.T, count int) string {
	t.Helper()
	name, r := filepath.Join(t.TempDir(), "games.tbg"), rand.New(rand.NewPCG(7, 7))
	traintest.Write(t, name, count, func(i int) (record.ID, record.View) {
		return record.ID{Number: uint32(i)}, traintest.Random(r, record.Draw, 60, func() int16 { return 0 })
	})
	return name
}

func testConfig(file string) Config {
	return Config{
		Games: []string{file}, Positions: chunk + 10, Nodes: 300, Seed: 3, Network: nnue.Embedded(), Threads: 1, Command: "test",
	}
}

func records(t *testing.T, name string) []byte {
	t.Helper()
	parts := bytes.SplitN(testkit.Read(t, name), []byte("\n"), 3)
	return parts[2]
}

func TestMake(t *testing.T) {
	c := testConfig(writeGames(t, 20))
	dir := t.TempDir()
	one, three := filepath.Join(dir, "one.epd"), filepath.Join(dir, "three.epd")
	testkit.Succeed(t, Make(context.Background(), one, c, nil))
	c.Threads = 3
	testkit.Succeed(t, Make(context.Background(), three, c, nil))
	if !bytes.Equal(testkit.Read(t, one), testkit.Read(t, three)) {
		t.Error("three threads make another set")
	}
	s, err := Read(one)
	testkit.Succeed(t, err)
	if o := s.Origin; len(s.Items) != c.Positions || o.Positions != c.Positions || o.Seed != 3 || o.Nodes != 300 ||
		o.Command != "test" || o.Network != nnue.Embedded().Hash().String() || len(o.Games) != 1 || o.Games[0] != "games.tbg" {
		t.Errorf("%d positions of %+v", len(s.Items), o)
	}
	e, err := search.NewEngine(hashMiB)
	testkit.Succeed(t, err)
	for i, it := range s.Items {
		if want := []Source{FromGame, FromSearch}[i%chunk%2]; it.Source != want {
			t.Errorf("position %d is from a %s, want %s", i, it.Source, want)
		}
		e.Clear()
		res := e.Search(it.Position, search.Limits{Nodes: 300}, search.Options{}, nil)
		if it.Position.InCheck() || res.Score != it.Score || it.Position.IsTactical(res.Best) {
			t.Errorf("%s: score %d, best move %v, the set says %d", it.Position.FEN(), res.Score, res.Best, it.Score)
		}
	}
}

// TestEngine has another program search the positions: the same engine, which finds
// the same.
func TestEngine(t *testing.T) {
	c := testConfig(writeGames(t, 20))
	dir := t.TempDir()
	own, other := filepath.Join(dir, "own.epd"), filepath.Join(dir, "other.epd")
	testkit.Succeed(t, Make(t.Context(), own, c, nil))
	c.Engine, c.Threads = traintest.Command(t, "none"), 2
	testkit.Succeed(t, Make(t.Context(), other, c, nil))
	if !bytes.Equal(records(t, own), records(t, other)) {
		t.Error("the engine as a program makes another set")
	}
	s, err := Read(other)
	if err != nil || s.Origin.Engine != traintest.Name {
		t.Errorf("engine %q, %v", s.Origin.Engine, err)
	}
	c.Engine = []string{filepath.Join(dir, "none")}
	if err := Make(t.Context(), filepath.Join(dir, "x.epd"), c, nil); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("no such engine: error %v", err)
	}
}

func TestMakeRefuses(t *testing.T) {
	file := writeGames(t, 1)
	for _, tt := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"too few games", func(c *Config) { c.Positions = 1000 }, "want more games"},
		{"no games", func(c *Config) { c.Games = nil }, "no game files"},
		{"no such file", func(c *Config) { c.Games = []string{"none.tbg"} }, "none.tbg"},
		{"positions below zero", func(c *Config) { c.Positions = -1 }, "positions -1"},
		{"no nodes", func(c *Config) { c.Nodes = 1 }, "nodes 1"},
		{"no threads", func(c *Config) { c.Threads = 0 }, "threads 0"},
	} {
		c := testConfig(file)
		tt.change(&c)
		if err := Make(context.Background(), filepath.Join(t.TempDir(), "x.epd"), c, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

func testSet(t *testing.T, records ...string) (*Set, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "set.epd")
	testkit.Succeed(t, write(name, Origin{}, records))
	return Read(name)
}

func TestRead(t *testing.T) {
	const good = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 ce 120; c0 \"game\";\n"
	for _, tt := range []struct {
		name, record, want string
	}{
		{"good", good, ""},
		{"no position", "4k3/8/8 w - - ce 1; c0 \"game\";\n", "record 1"},
		{"no score", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 c0 \"game\";\n", "ce"},
		{"no number", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 ce x; c0 \"game\";\n", "ce"},
		{"a mate", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 ce 31999; c0 \"game\";\n", "ce"},
		{"no source", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 ce 1;\n", "c0"},
		{"no such source", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 ce 1; c0 \"book\";\n", "c0"},
		{"nothing", "", "no positions"},
	} {
		_, err := testSet(t, tt.record)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	name := filepath.Join(t.TempDir(), "set.epd")
	testkit.Succeed(t, write(name, Origin{}, []string{good, good}))
	whole := testkit.Read(t, name)
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 1
		_, err := parse(damaged)
		_, cut := parse(whole[:i])
		if err == nil || cut == nil {
			t.Fatalf("byte %d: damage is not seen: %v, %v", i, err, cut)
		}
	}
}

func TestPhases(t *testing.T) {
	s, err := testSet(t,
		"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 ce 120; c0 \"game\";\n",
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ce 30; c0 \"search\";\n",
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1 ce 0; c0 \"game\";\n")
	testkit.Succeed(t, err)
	n := nnue.Embedded()
	e := nnue.NewEvaluator(n)
	a := s.Judge(n, 200)
	for i, it := range s.Items {
		d := wdl.Sigmoid(float64(e.Evaluate(it.Position))/float64(n.Shape().Scale)) - wdl.Sigmoid(float64(it.Score)/200)
		if a.Losses[i] != d*d {
			t.Errorf("position %d: loss %v, want %v", i, a.Losses[i], d*d)
		}
	}
	b := a
	a.Losses = []float64{1, 2, 3}
	b.Losses = []float64{2, 2, 5}
	phases := s.Phases([]Verdict{a, b})
	root := func(x float64) float64 { return math.Sqrt(x) }
	want := []Phase{
		{Name: "29-32 pieces", Positions: 2, Losses: []Loss{{2.5, 0, 0}, {3.5, 1, root(0.5)}}},
		{Name: "1-4 pieces", Positions: 1, Losses: []Loss{{1, 0, 0}, {2, 1, 0}}},
		{Name: "from a game", Positions: 2, Losses: []Loss{{2, 0, 0}, {3.5, 1.5, root(0.125)}}},
		{Name: "from a search", Positions: 1, Losses: []Loss{{2, 0, 0}, {2, 0, 0}}},
		{Name: "all", Positions: 3, Losses: []Loss{{2, 0, 0}, {3, 1, root(2.0 / 9)}}},
		{Name: Rescaled, Positions: 3}, // its losses are TestRescaled's
	}
	if len(phases) != len(want) {
		t.Fatalf("%d phases, want %d", len(phases), len(want))
	}
	for i, w := range want {
		p := phases[i]
		if p.Name != w.Name || p.Positions != w.Positions {
			t.Errorf("phase %s of %d positions, want %s of %d", p.Name, p.Positions, w.Name, w.Positions)
		}
		for j, l := range w.Losses {
			if g := p.Losses[j]; math.Abs(g.Mean-l.Mean)+math.Abs(g.Difference-l.Difference)+math.Abs(g.Error-l.Error) > 1e-12 {
				t.Errorf("%s: loss %+v, want %+v", p.Name, g, l)
			}
		}
	}
	var text bytes.Buffer
	if err := WriteText(&text, []string{"a.nn", "b.nn"}, phases); err != nil || !strings.Contains(text.String(), "3.50000 (+1.00000 ± 0.70711)") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// TestRescaled judges the embedded network by half of what it says itself.
func TestRescaled(t *testing.T) {
	n := nnue.Embedded()
	e := nnue.NewEvaluator(n)
	var records []string
	for _, fen := range []string{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1",
		"rnbqkbnr/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
		"rn1qkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1",
		"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
		"4k3/pp6/8/8/8/8/PPP5/4K3 b - - 0 1",
	} {
		p := testkit.Position(t, fen)
		records = append(records, line(p, e.Evaluate(p)/2, FromGame))
	}
	s, err := testSet(t, records...)
	testkit.Succeed(t, err)
	const scoreScale = 200
	v := s.Judge(n, scoreScale)
	scale, losses := v.rescaled()
	if want := float64(n.Shape().Scale) / 2; math.Abs(scale/want-1) > 0.01 {
		t.Errorf("scale %.1f, want %.1f: the centipawns of the scores are twice as large", scale, want)
	}
	if loss, rescaled := Mean(v.Losses), Mean(losses); rescaled > 1e-5 || loss < 1e-3 {
		t.Errorf("loss %v, rescaled %v", loss, rescaled)
	}
	var out strings.Builder
	phases := s.Phases([]Verdict{v, v})
	testkit.Succeed(t, WriteText(&out, []string{"a", "b"}, phases))
	if want := fmt.Sprintf(" at %.0f (+0.00000 ± 0.00000)", scale); !strings.Contains(out.String(), Rescaled) || !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, &out)
	}
}
