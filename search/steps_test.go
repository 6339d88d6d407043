package search

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/internal/testkit"
)

// The tests in this file and those named steps_… beside it ask single steps of
// the search which way they lean. A sign the wrong way round costs games and no
// test of whole searches need notice.

const quietMiddlegame = "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 3 6"

func moveOf(t testing.TB, w *worker, text string) chess.Move { return testkit.Move(t, w.pos, text) }

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
			p := testkit.Position(t, fen)
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
		w.prepare(testkit.Position(t, chess.StartFEN, game[:plies]...), nil)
		n := &node{depth: 4}
		if w.static(n, w.at(0)); n.improving != want {
			t.Errorf("after %v: improving %v, want %v", game[:plies], n.improving, want)
		}
		for back := 1; back <= min(4, plies); back++ {
			p, want := testkit.Position(t, chess.StartFEN, game[:plies-back]...), unknown
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

// Edges of steps: the last value on either side. See steps_test.go.

// TestPruneMoveEdges compares the alpha and the number from which on a move is given up
// with the parameters.
func TestPruneMoveEdges(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	k, f := &w.params, w.at(1)
	edge := func(name, move string, depth Depth, at int, lay func(n *node, v int)) {
		t.Helper()
		for v, want := range map[int]bool{at - 1: false, at: true} {
			n := ask(w, depth, 0)
			f.static = 0 // so that neither number nor alpha is near the ends of scores
			n.setMove(w, moveOf(t, w, move), 2)
			n.history, n.alpha = 0, -500
			lay(n, v)
			pk := w.newPicker(1, chess.NoMove, 0, false)
			pk.stage = stageQuiets
			if got := w.pruneMove(n, f, &pk); got != want {
				t.Errorf("depth %d, %s, %d: given up %v, want %v", depth, name, v, got, want)
			}
		}
	}
	for depth := Depth(1); depth <= 5; depth++ {
		for _, history := range []int{0, 3000, 9000} {
			n := ask(w, depth, 0)
			n.setMove(w, moveOf(t, w, "f8e7"), 2)
			n.history = history
			reduced := max(0, int(depth)-1-int(w.reduction(n, f))/1024)
			edge("alpha", "f8e7", depth, k.FutilityBase+k.FutilitySlope*reduced+history/k.FutilityHistory,
				func(n *node, v int) { n.alpha, n.history = eval.Score(v), history })
		}
		all := k.LateBase + k.LateSlope*int(depth*depth)
		edge("number", "f8e7", depth, all*k.LateHalf/64/64, func(n *node, v int) { n.count = v })
		edge("number when improving", "f8e7", depth, all/64, func(n *node, v int) { n.count, n.improving = v, true })
		edge("number in an open window", "f8e7", depth, all*k.LateHalf/64*k.LatePV/64/64, func(n *node, v int) { n.count, n.pv = v, true })
	}
	for _, history := range []int{0, 4000} {
		edge("alpha of a capture", "c5d4", 1, k.CaptureBase+k.gain(w.pos, moveOf(t, w, "c5d4"))+history/k.CaptureHistory,
			func(n *node, v int) { n.alpha, n.history = eval.Score(v), history })
	}
}

// TestHindsightEdges: no node of a singular search, in check, near the leaves or
// behind a check is reduced by hindsight, and none at the margin itself.
func TestHindsightEdges(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	for _, tt := range []struct {
		name string
		lay  func(n *node, f, prev *stackEntry)
		less Depth
	}{
		{"above the margin", func(*node, *stackEntry, *stackEntry) {}, 1},
		{"at the margin", func(_ *node, _, prev *stackEntry) { prev.static-- }, 0},
		{"a singular search", func(n *node, f, _ *stackEntry) { f.excluded = moveOf(t, w, "f8e7") }, 0},
		{"in check", func(n *node, _, _ *stackEntry) { n.inCheck = true }, 0},
		{"at depth 2", func(n *node, _, _ *stackEntry) { n.depth = 2 }, 1},
		{"at depth 1", func(n *node, _, _ *stackEntry) { n.depth = 1 }, 0},
		{"not reduced", func(_ *node, _, prev *stackEntry) { prev.reduced = 0 }, 0},
		{"reduced by a ply", func(_ *node, _, prev *stackEntry) { prev.reduced = 1 }, 1},
		{"behind a check", func(_ *node, _, prev *stackEntry) { prev.static = unknown }, 0},
	} {
		n, f, prev := ask(w, 6, 0), w.at(1), w.at(0)
		prev.reduced, prev.static = 2, eval.Score(w.params.Hindsight)+1-f.static
		tt.lay(n, f, prev)
		before := n.depth
		if w.hindsight(n, f); before-n.depth != tt.less {
			t.Errorf("%s: %d plies less, want %d", tt.name, before-n.depth, tt.less)
		}
		f.excluded = chess.NoMove
	}
}

// TestExcludedMove searches a node without one move: the rest is worth less where
// that move alone is good, what the table knows of the node stays, and a node
// without another move fails low.
func TestExcludedMove(t *testing.T) {
	e := engine(t)
	const hanging = "6k1/5ppp/8/3q4/8/8/3R1PPP/6K1 w - - 0 1"
	w := laid(t, e, hanging)
	stored := entry{bound: Exact, depth: 9, score: 77, move: moveOf(t, w, "d2d5"), eval: 33}
	e.table.store(w.pos.Key(), 1, stored)
	before := e.table.probe(w.pos.Key(), 1)
	w.at(1).excluded = stored.move
	if score := w.search(1, 6, -infinity, infinity, false); score > -200 {
		t.Errorf("%s: %d without the capture of the queen", hanging, score)
	}
	if after := e.table.probe(w.pos.Key(), 1); after != before {
		t.Errorf("the table said %+v, now %+v", before, after)
	}
	w = laid(t, e, "k7/8/8/8/8/8/1q6/K7 w - - 0 1") // the king takes or stays in check
	w.at(1).excluded = moveOf(t, w, "a1b2")
	if score := w.search(1, 4, -50, -49, true); score != -50 {
		t.Errorf("no other move: %d, want alpha, -50", score)
	}
}

// TestSingularSearchKnowsItsNode: without a move, a node is reduced as with it.
func TestSingularSearchKnowsItsNode(t *testing.T) {
	e := engine(t)
	w := laid(t, e, quietMiddlegame)
	m := moveOf(t, w, "c5d4")
	for range 20 {
		w.learn(1, 6, 100)
	}
	whole := ask(w, 8, 0)
	e.table.store(w.pos.Key(), 1, entry{bound: Lower, depth: 20, score: 500, move: m, eval: whole.raw})
	n, f := &node{ply: 1, depth: 4, alpha: -1, beta: 0}, w.at(1)
	f.excluded = m
	if score, done := w.known(n, f); done || n.tt.move != m {
		t.Errorf("a singular search: settled %v with %d, table move %v, want %v", done, score, n.tt.move, m)
	}
	if w.static(n, f); n.correction != whole.correction || n.correction == 0 {
		t.Errorf("a singular search: correction %d, of its node %d", n.correction, whole.correction)
	}
}

// TestDoublesOfThisLine: a node starts with the count of its own line, whatever the last
// node on its ply counted, also if it makes no move of its own.
func TestDoublesOfThisLine(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	w.at(0).doubles, w.at(1).doubles = 2, 5
	if w.search(1, 12, -1000, -999, true); w.at(1).doubles != 2 {
		t.Errorf("%d double extensions counted, want 2", w.at(1).doubles)
	}
}

// TestExtensionEnds: far beyond the depth of the iteration nothing is extended,
// and at the root nothing either.
func TestExtensionEnds(t *testing.T) {
	e := engine(t)
	for _, tt := range []struct {
		iteration Depth
		singular  bool
	}{{20, true}, {1, true}, {0, false}} {
		w := laid(t, e, "6k1/5ppp/8/3q4/8/8/3R1PPP/6K1 w - - 0 1")
		n := ask(w, 8, 2000)
		m := moveOf(t, w, "d2d5")
		n.tt = entry{hit: true, bound: Lower, depth: 8, score: 500, move: m, eval: n.raw}
		n.setMove(w, m, 1)
		w.depth = tt.iteration
		w.tryMove(n, w.at(1))
		w.pos.Make(m)
		after := e.table.probe(w.pos.Key(), 2)
		w.pos.Unmake()
		if extended := after.depth > 7; extended != tt.singular {
			t.Errorf("iteration %d: the capture is searched to depth %d, extended %v", tt.iteration, after.depth, tt.singular)
		}
	}
}

// TestProbCutTriesCaptures lays a quiet move out in the table: ProbCut leaves it
// alone, however good.
func TestProbCutTriesCaptures(t *testing.T) {
	e := engine(t)
	w := laid(t, e, "r2qk2r/pp1nnppp/2p1p3/3pPb2/1bPP4/1Q3N1P/PP1N1PP1/R1B1KB1R w KQkq - 2 9")
	n := ask(w, probCutDepth, -400)
	n.tt = entry{hit: true, bound: Lower, depth: 0, score: 900, move: moveOf(t, w, "f1e2"), eval: n.raw}
	if _, done := w.probCut(n, w.at(1)); !done {
		t.Fatal("ProbCut does not settle a won node")
	}
	if tt := e.table.probe(w.pos.Key(), 1); !isTactical(w.pos, tt.move) {
		t.Errorf("ProbCut stores the quiet move %v", tt.move)
	}
}

// TestAnswer completes lines of the root move alone, from table entries of all kinds.
func TestAnswer(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	first := moveOf(t, w, "f8e7")
	for _, tt := range []struct {
		reply  string // what the table tells behind the first move
		score  eval.Score
		length int
		want   int
	}{
		{"f1d3", 20, 1, 2},
		{"f8e7", 20, 1, 1}, // not a move there: the entry of another position
		{"", 20, 1, 1},
		{"f1d3", mate - 1, 1, 1},
		{"f1d3", 20, 3, 3},
	} {
		w.engine.table.clear()
		w.pos.Make(first)
		if tt.reply != "" {
			reply, err := chess.ParseMove(tt.reply)
			testkit.Succeed(t, err)
			w.engine.table.store(w.pos.Key(), 1, entry{move: reply, score: 20, depth: 5, bound: Exact})
		}
		w.pos.Unmake()
		r := &w.roots[0]
		r.move, r.line[0], r.length, r.shown = first, first, tt.length, tt.score
		if w.answer(); int(r.length) != tt.want || tt.want == 2 && r.line[1].String() != tt.reply {
			t.Errorf("%+v: %d moves, %v", tt, r.length, r.line[:r.length])
		}
	}
}

// TestQuiesceLeavesLosses demands that a capture that loses material is not tried, and no
// quiet move that the table knows.
func TestQuiesceLeavesLosses(t *testing.T) {
	for _, tt := range []struct {
		fen, table string
		nodes      uint64 // behind the first
	}{
		{"4k3/2p5/3p4/8/8/8/8/3QK3 w - - 0 1", "", 0},     // the queen for a pawn
		{"4k3/2p5/3p4/8/8/8/8/3QK3 w - - 0 1", "d1d2", 0}, // a quiet move
		{"4k3/8/3p4/8/8/8/8/3QK3 w - - 0 1", "", 1},       // a pawn for nothing
		{"4k3/2p5/3r4/8/8/8/8/3RK3 w - - 0 1", "", 2},     // a rook for a rook
	} {
		w := laid(t, engine(t), tt.fen)
		if tt.table != "" {
			w.engine.table.store(w.pos.Key(), 1, entry{bound: Lower, score: -900, eval: w.evaluate(), move: moveOf(t, w, tt.table)})
		}
		w.nodes = 0
		if w.quiesce(1, -infinity, infinity); w.nodes != tt.nodes {
			t.Errorf("%s, %q in the table: %d nodes, want %d", tt.fen, tt.table, w.nodes, tt.nodes)
		}
	}
}

// TestNearMate gives nodes windows of mates that are too near for their ply: no move is
// searched there, and one ply further off it is.
func TestNearMate(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	const ply = 7
	for _, tt := range []struct {
		alpha, beta eval.Score
		searched    bool
	}{
		{-infinity, mated(ply), false},
		{-infinity, mated(ply) + 1, true},
		{-mated(ply + 1), infinity, false},
		{-mated(ply+1) - 1, infinity, true},
	} {
		w.nodes = 0
		if score := w.search(ply, 3, tt.alpha, tt.beta, false); w.nodes > 0 != tt.searched {
			t.Errorf("window %d to %d: %d nodes, score %d", tt.alpha, tt.beta, w.nodes, score)
		}
	}
}
