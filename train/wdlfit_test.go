package main

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/test/kit"
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
		kit.Succeed(t, err)
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
	kit.Succeed(t, err)
	for i := range 20 {
		g := &record.ScoredGame{Start: record.Pack(chess.NewPosition(), record.WhiteWins)}
		g.Plies = []record.Ply{
			{Move: chess.NewMove(chess.E2, chess.E4, chess.Normal), Score: 120},
			{Move: chess.NewMove(chess.E7, chess.E5, chess.Normal), Score: 31000}, // a mate: not counted
		}
		kit.Succeed(t, w.Add(record.ID{Run: 1, Nodes: 700, Number: uint32(i)}, g))
	}
	kit.Succeed(t, w.Commit())
	fit, held, err := readWDL(context.Background(), []string{name})
	kit.Succeed(t, err)
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

// TestWDLSource holds that the committed file is what is written of its numbers.
func TestWDLSource(t *testing.T) {
	committed := kit.Read(t, filepath.Join("..", fittedFile))
	games := regexp.MustCompile(`fitted to (.*)\.\n`).FindSubmatch(committed)
	if games == nil {
		t.Fatalf("%s does not name its games", fittedFile)
	}
	again, err := wdlSource(wdl.Fitted(), string(games[1]))
	kit.Succeed(t, err)
	if !bytes.Equal(again, committed) {
		t.Errorf("%s is\n%swant\n%s", fittedFile, committed, again)
	}
	text, err := wdlSource(wdl.Model{A: [3]float64{1.25, -2, 0}, B: [3]float64{3, 1e21, 6}}, "3 games")
	kit.Succeed(t, err)
	for _, want := range []string{
		"A: [3]float64{1.25, -2.0, 0.0}", "B: [3]float64{3.0, 1e+21, 6.0}", "fitted to 3 games.",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing from\n%s", want, text)
		}
	}
}

// TestWDLCommand fits a model to a file of games, in a folder like the root of the repository and in another.
func TestWDLCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	const games = "games.tbg"
	writeKnightGames(t, games, 150)
	fit, _, err := readWDL(t.Context(), []string{games})
	kit.Succeed(t, err)
	model, err := fitWDL(fit)
	kit.Succeed(t, err)
	want, err := wdlSource(model, fit.describe())
	kit.Succeed(t, err)

	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		cmd := wdlCommand()
		cmd.Writer = &out
		err := cmd.Run(t.Context(), append([]string{"wdl", "--data", games}, args...))
		return out.String(), err
	}
	if _, err := run("--write"); exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), fittedFile) {
		t.Errorf("--write outside of the repository: %v", err)
	}
	kit.Succeed(t, os.MkdirAll(filepath.Dir(fittedFile), 0o777))
	kit.Write(t, fittedFile, []byte("package wdl\n"))
	if out, err := run(); err != nil || !strings.Contains(out, "fitted to "+fit.describe()) ||
		string(kit.Read(t, fittedFile)) != "package wdl\n" {
		t.Errorf("without --write: %v\n%s", err, out)
	}
	if _, err := run("--write"); err != nil || !bytes.Equal(kit.Read(t, fittedFile), want) {
		t.Errorf("--write: %v, wrote\n%swant\n%s", err, kit.Read(t, fittedFile), want)
	}
}

// writeKnightGames writes n games of a hundred moves of knights, from starts of three materials, each with all results
// and scores that go with them.
func writeKnightGames(t *testing.T, name string, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	w, err := record.Create(name)
	kit.Succeed(t, err)
	moves := []chess.Move{
		chess.NewMove(chess.G1, chess.F3, chess.Normal), chess.NewMove(chess.G8, chess.F6, chess.Normal),
		chess.NewMove(chess.F3, chess.G1, chess.Normal), chess.NewMove(chess.F6, chess.G8, chess.Normal),
	}
	for i := range n {
		start := kit.Position(t, []string{
			chess.NewPosition().FEN(), "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1",
			"4k1n1/pppppppp/8/8/8/8/PPPPPPPP/4K1N1 w - - 0 1",
		}[i%3])
		result := r.IntN(3)
		g := &record.ScoredGame{Start: record.Pack(start, record.HalfPoints(result))}
		for ply := range 100 {
			score := (result-1)*80 + int(r.NormFloat64()*100)
			g.Plies = append(g.Plies, record.Ply{Move: moves[ply%4], Score: int16(score)})
		}
		kit.Succeed(t, w.Add(record.ID{Run: 1, Nodes: 700, Number: uint32(i)}, g))
	}
	kit.Succeed(t, w.Commit())
}
