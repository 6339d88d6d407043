package tune

import (
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
)

// walk returns n lines of positions of random games, scored by the evaluation.
func walk(t *testing.T, n int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 9))
	e := eval.New()
	var b strings.Builder
	p := chess.NewPosition()
	for range n {
		moves := movegen.Legal(p, nil)
		if len(moves) == 0 || p.Plies() > 150 {
			p = chess.NewPosition()
			continue
		}
		p.Make(moves[r.IntN(len(moves))])
		score := int(e.Evaluate(p))
		if p.SideToMove() == chess.Black {
			score = -score
		}
		fmt.Fprintf(&b, "%s;%d;%s\n", p.FEN(), score, []string{"0", "0.5", "1"}[r.IntN(3)])
	}
	return b.String()
}

// TestSamplesAgreeWithEvaluation checks that the counts of a sample, weighted,
// give the evaluation of its position.
func TestSamplesAgreeWithEvaluation(t *testing.T) {
	lines := walk(t, 300)
	samples, err := Read(strings.NewReader(lines), 2)
	if err != nil {
		t.Fatal(err)
	}
	w := eval.Fitted()
	all := pairs(&w)
	m := make(model, len(all))
	for i, p := range all {
		m[i] = [2]float64{float64(p.Middle()), float64(p.End())}
	}
	for i, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		if strings.Contains(line, "/8/8/8/8/8/8/") {
			continue // bare kings add a term that is not fitted
		}
		if got, want := m.value(&samples[i]), float64(samples[i].score); math.Abs(got-want) > 2 {
			t.Errorf("%s: %.1f from the counts, %v from the evaluation", line, got, want)
		}
	}
}

// TestFitLowersError fits to scores of the engine's own evaluation from the
// plain start weights: the error must fall by much.
func TestFitLowersError(t *testing.T) {
	samples, err := Read(strings.NewReader(walk(t, 600)), 2)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Epochs: 80, Rate: 2, Blend: 0, Prior: 1000, Threads: 2}
	w := Start()
	before := Error(&w, samples, c)
	Fit(&w, samples, c, nil)
	if after := Error(&w, samples, c); after > before/2 {
		t.Errorf("error %.6f before, %.6f after", before, after)
	}
}

func TestBadLines(t *testing.T) {
	for _, line := range []string{"", "x;1;1", chess.StartFEN + ";a;1", chess.StartFEN + ";1;z", chess.StartFEN} {
		if _, err := Read(strings.NewReader(line+"\n"), 1); err == nil {
			t.Errorf("%q: no error", line)
		}
	}
}

func TestSourceParses(t *testing.T) {
	w := Start()
	source, err := Source(&w)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "fitted.go", source, 0); err != nil {
		t.Error(err)
	}
}
