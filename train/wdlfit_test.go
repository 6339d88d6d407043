package main

import (
	"context"
	"errors"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/train/record"
)

// drawn returns a table of n positions whose results are drawn by a model.
func drawn(m wdl.Model, n int) *wdlTable {
	r := rand.New(rand.NewPCG(3, 4))
	t := &wdlTable{}
	for range n {
		s := eval.Score(r.NormFloat64() * 250)
		material := wdl.LeastMaterial + r.IntN(wdlMaterials)
		win, draw, _ := m.Shares(s, material)
		result := 0
		if x := r.Float64(); x < win {
			result = 2
		} else if x < win+draw {
			result = 1
		}
		t.count(s, material, result)
	}
	return t
}

// TestFitFindsTheModel fits results that a known model has drawn.
func TestFitFindsTheModel(t *testing.T) {
	for _, want := range []wdl.Model{
		{A: [3]float64{220, -60, 10}, B: [3]float64{50, 40, -5}},
		{A: [3]float64{80, 40, 20}, B: [3]float64{90, 0, 0}},
	} {
		table := drawn(want, 400000)
		got, err := fitWDL(table)
		testkit.Succeed(t, err)
		for material := wdl.LeastMaterial; material <= wdl.MostMaterial; material++ {
			a, b := got.At(material)
			wantA, wantB := want.At(material)
			if math.Abs(a-wantA) > 8 || math.Abs(b-wantB) > 5 {
				t.Errorf("material %d: a %.1f, b %.1f, want %.1f, %.1f", material, a, b, wantA, wantB)
			}
		}
		if l, best := table.logLoss(got), table.logLoss(want); l > best+1e-5 || l >= table.baseLoss() {
			t.Errorf("log loss %v, of the true model %v, without scores %v", l, best, table.baseLoss())
		}
		if again, err := fitWDL(table); err != nil || again != got {
			t.Errorf("fitted again: %v, %v after %v", again, err, got)
		}
	}
}

// TestWDLRefuses what tells nothing.
func TestWDLRefuses(t *testing.T) {
	alike, undrawn := &wdlTable{}, &wdlTable{}
	for i := range 2 * leastPositions {
		alike.count(10, 40, i%3)
		undrawn.count(eval.Score(i%100), 20+i%40, i%2*2)
	}
	for name, table := range map[string]*wdlTable{"nothing": {}, "one kind of position": alike, "no draws": undrawn} {
		if m, err := fitWDL(table); err == nil {
			t.Errorf("%s: fitted %v", name, m)
		}
	}
}

// TestReadCounts writes games and counts what is in them.
func TestReadCounts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "games.tbg")
	w, err := record.Create(name)
	testkit.Succeed(t, err)
	for i := range 20 {
		g := &record.Game{Start: record.Pack(chess.NewPosition(), record.WhiteWins)}
		g.Plies = []record.Ply{
			{Move: chess.NewMove(chess.E2, chess.E4, chess.Normal), Score: 120},
			{Move: chess.NewMove(chess.E7, chess.E5, chess.Normal), Score: 31000}, // a mate: not counted
		}
		testkit.Succeed(t, w.Add(record.ID{Run: 1, Nodes: 700, Number: uint32(i)}, g))
	}
	testkit.Succeed(t, w.Commit())
	fit, held, err := readWDL(context.Background(), []string{name})
	testkit.Succeed(t, err)
	if fit.Games != 18 || held.Games != 2 || fit.Positions != 18 || held.Positions != 2 || fit.describe() != "18 games of 700 nodes a move, 18 positions" {
		t.Errorf("%d and %d games, %d and %d positions, %q", fit.Games, held.Games, fit.Positions, held.Positions, fit.describe())
	}
	fit.each(func(s eval.Score, material int, n *wdlResults) {
		if s != 120 || material != wdl.MostMaterial || *n != (wdlResults{0, 0, 18}) {
			t.Errorf("score %d, material %d: %v", s, material, n)
		}
	})
	if _, _, err := readWDL(context.Background(), []string{name + "x"}); err == nil {
		t.Error("a file that is not there was read")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := readWDL(ctx, []string{name}); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

// TestSource holds that what is written is the file that is committed.
func TestWDLSource(t *testing.T) {
	m := wdl.Model{A: [3]float64{1.25, -2, 0}, B: [3]float64{3, 4.5, 6}}
	text := string(wdlSource(m, "3 games"))
	if _, err := parser.ParseFile(token.NewFileSet(), "fitted.go", text, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A: [3]float64{1.25, -2, 0},", "B: [3]float64{3, 4.5, 6},", "fitted to 3 games."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing from\n%s", want, text)
		}
	}
}
