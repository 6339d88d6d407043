package search

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// The tests in this file and those named steps_… beside it ask single steps of
// the search which way they lean. A sign the wrong way round costs games and no
// test of whole searches need notice.

const quietMiddlegame = "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 3 6"

func moveOf(t testing.TB, w *worker, text string) chess.Move { return uciMove(t, w.pos, text) }

func TestSoftening(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	if got := w.soften(300, 100); got <= 100 || got >= 300 {
		t.Errorf("300 above a beta of 100 is softened to %d", got)
	}
	for _, s := range []eval.Score{mate - 7, mate - 1} {
		if got := w.soften(s, 100); got != s {
			t.Errorf("the mate %d is softened to %d", s, got)
		}
		n := ask(w, 4, 100)
		n.best, n.bestMove = s, moveOf(t, w, "f8e7")
		if w.conclude(n, w.at(1), &tried{}); n.best != s {
			t.Errorf("the mate %d becomes %d", s, n.best)
		}
	}
	n := ask(w, 4, 100)
	n.best, n.bestMove = 300, moveOf(t, w, "f8e7")
	if w.conclude(n, w.at(1), &tried{}); n.best <= 100 || n.best >= 300 {
		t.Errorf("300 above a beta of 100 becomes %d", n.best)
	}
	// What endgame tables know to be lost goes into the table of the search as lost.
	n = ask(w, 4, -tableWin-20)
	n.pv, n.alpha, n.beta, n.ceiling = true, mated(1), 100, 6-tableWin
	n.best = 50
	if w.conclude(n, w.at(1), &tried{}); n.best != n.ceiling || w.probe(1).score != n.ceiling {
		t.Errorf("50 under a ceiling of %d becomes %d, in the table %d", n.ceiling, n.best, w.probe(1).score)
	}
}

// TestCompleteMateLines cuts the lines of proven mates short, at an odd and an
// even number of plies, and has them completed.
func TestCompleteMateLines(t *testing.T) {
	e := engine(t)
	for _, fen := range []string{"7k/8/8/8/8/8/1R6/R6K w - - 0 1", "r4r1k/6pp/7N/8/2Q5/8/6PP/6K1 w - - 0 1", "8/8/3K1p1p/2N2pbr/2B1k2p/2P2p1P/2P2P2/8 b - - 0 1"} {
		for keep := 1; keep < 3; keep++ {
			e.Clear()
			p := parse(t, fen)
			e.Search(p, Limits{Depth: 12}, Options{}, nil)
			w := e.workers[0]
			r := &w.roots[0]
			score, plies := r.shown, r.length
			if !isMate(score) || plies != matePlies(score) || plies <= keep {
				t.Fatalf("%s: score %d, %d plies", fen, score, plies)
			}
			r.length = keep
			w.complete(r, 3000)
			if r.shown != score || r.length != plies {
				t.Errorf("%s: %d of %d plies: completed to %d plies, score %d, want %d", fen, keep, plies, r.length, r.shown, score)
			}
			for _, m := range r.line[:r.length] {
				if !p.IsLegal(m) {
					t.Fatalf("%s: illegal move %v in %v", fen, m, r.line[:r.length])
				}
				p.Make(m)
			}
			if p.HasLegalMove() || !p.InCheck() {
				t.Errorf("%s: the line %v does not mate", fen, r.line[:r.length])
			}
		}
	}
}

// TestStandPat: an evaluation settles a node of quiescence from beta on, and
// is a bound from below for the others.
func TestStandPat(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	for _, above := range []eval.Score{-200, -1, 0, 1, 30, 200} {
		n := ask(w, 1, 0)
		n.beta = n.eval - above
		n.alpha = n.beta - 1
		if got := w.standPat(n, w.at(1)); got != (above >= 0) || got != (n.best >= n.beta) {
			t.Errorf("an evaluation %d above beta: settled %v with %d", above, got, n.best-n.beta)
		}
	}
}

// TestFutileCaptures asks quiescence which captures it leaves out.
func TestFutileCaptures(t *testing.T) {
	w := laid(t, engine(t), "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
	ask := func(move string, above eval.Score, count int) (bool, eval.Score) {
		n := ask(w, 1, 0)
		n.alpha = w.at(1).static + above
		n.best, n.count, n.move = n.eval, count, moveOf(t, w, move)
		out := w.futile(n, w.at(1))
		return out, n.best
	}
	victim := eval.Score(w.params.Value[chess.Pawn] + w.params.Delta)
	for _, tt := range []struct {
		name  string
		above eval.Score
		count int
		want  bool
	}{{"a pawn within reach", victim - 1, 1, false}, {"a pawn too little", victim, 1, true}, {"late", 0, 20, true}} {
		if out, best := ask("e4d5", tt.above, tt.count); out != tt.want || best > w.at(1).static+max(0, tt.above) {
			t.Errorf("%s: left out %v, best %d", tt.name, out, best)
		}
	}
}

// TestImprovingAtTheRoot compares the root with positions of the game.
func TestImprovingAtTheRoot(t *testing.T) {
	w := engine(t).workers[0]
	game := []string{"e2e4", "e7e5", "d1h5", "b8c6", "h5f7", "e8f7", "g1f3"} // White gives its queen away
	for plies, want := range map[int]bool{0: false, 6: false, 7: true} {
		w.prepare(parse(t, chess.StartFEN, game[:plies]...), nil)
		n := &node{depth: 4}
		if w.static(n, w.at(0)); n.improving != want {
			t.Errorf("after %v: improving %v, want %v", game[:plies], n.improving, want)
		}
		for back := 1; back <= min(4, plies); back++ {
			p, want := parse(t, chess.StartFEN, game[:plies-back]...), unknown
			if !p.InCheck() {
				want = w.eval.Evaluate(p)
			}
			if got := w.at(-back).static; (got-want)*(got-want) > 100 { // the clock draws it to zero
				t.Errorf("%d plies before ply %d: %d, want %d", back, plies, got, want)
			}
		}
	}
}

// TestImproving compares the evaluation with those two and four plies ago.
func TestImproving(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	w.rootPlies -= 5
	for _, tt := range []struct {
		two, four eval.Score
		want      bool
	}{{-900, 900, true}, {900, -900, false}, {unknown, -900, true}, {unknown, 900, false}, {unknown, unknown, false}} {
		n := &node{ply: 6, depth: 4}
		w.at(4).static, w.at(2).static = tt.two, tt.four
		if w.static(n, w.at(6)); n.improving != tt.want {
			t.Errorf("%+v: improving %v", tt, n.improving)
		}
	}
}
