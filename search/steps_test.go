package search

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// The tests in this file ask single steps of the search what no margin may change: mates stay
// exact, excluded moves stay out, and rewards have the right sign. Margins are not repeated here:
// search/bench.txt notices when one changes, and matches say whether it should have.

const quietMiddlegame = "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 3 6"

func moveOf(t testing.TB, w *worker, text string) chess.Move { return kit.Move(t, w.pos, text) }

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
			p := kit.Position(t, fen)
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

// TestImprovingAtTheRoot compares the root with positions of the game.
func TestImprovingAtTheRoot(t *testing.T) {
	w := engine(t).workers[0]
	game := []string{"e2e4", "e7e5", "d1h5", "b8c6", "h5f7", "e8f7", "g1f3"} // White gives its queen away
	for plies, want := range map[int]bool{0: false, 6: false, 7: true} {
		w.prepare(kit.Position(t, chess.StartFEN, game[:plies]...), nil)
		n := &node{depth: 4}
		if w.static(n, w.at(0)); n.improving != want {
			t.Errorf("after %v: improving %v, want %v", game[:plies], n.improving, want)
		}
		for back := 1; back <= min(4, plies); back++ {
			p, want := kit.Position(t, chess.StartFEN, game[:plies-back]...), unknown
			if !p.InCheck() {
				want = w.eval.Evaluate(p)
			}
			if got := w.at(-back).static; (got-want)*(got-want) > 100 { // the clock draws it to zero
				t.Errorf("%d plies before ply %d: %d, want %d", back, plies, got, want)
			}
		}
	}
}

// TestExcludedMove searches a node without one move: the rest is worth less where
// that move alone is good, what the table knows of the node stays, and a node
// without another move fails low.
func TestExcludedMove(t *testing.T) {
	e := engine(t)
	const hanging = "6k1/5ppp/8/3q4/8/8/3R1PPP/6K1 w - - 0 1"
	w := laid(t, e, hanging)
	stored := entry{bound: eval.Exact, depth: 9, score: 77, move: moveOf(t, w, "d2d5"), eval: 33}
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
	e.table.store(w.pos.Key(), 1, entry{bound: eval.Lower, depth: 20, score: 500, move: m, eval: whole.raw})
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

// TestProbCutTriesCaptures lays a quiet move out in the table: ProbCut leaves it
// alone, however good.
func TestProbCutTriesCaptures(t *testing.T) {
	e := engine(t)
	w := laid(t, e, "r2qk2r/pp1nnppp/2p1p3/3pPb2/1bPP4/1Q3N1P/PP1N1PP1/R1B1KB1R w KQkq - 2 9")
	n := ask(w, Depth(w.params.ProbCutDepth), -400)
	n.tt = entry{hit: true, bound: eval.Lower, depth: 0, score: 900, move: moveOf(t, w, "f1e2"), eval: n.raw}
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
			var reply chess.Move
			kit.Succeed(t, reply.UnmarshalText([]byte(tt.reply)))
			w.engine.table.store(w.pos.Key(), 1, entry{move: reply, score: 20, depth: 5, bound: eval.Exact})
		}
		w.pos.Unmake()
		r := &w.roots[0]
		r.move, r.line[0], r.length, r.shown = first, first, tt.length, tt.score
		if w.addPonderMove(); int(r.length) != tt.want || tt.want == 2 && r.line[1].String() != tt.reply {
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
			w.engine.table.store(w.pos.Key(), 1, entry{bound: eval.Lower, score: -900, eval: w.evaluate(), move: moveOf(t, w, tt.table)})
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

// TestRazorLooks takes no hopeless evaluation at its word where a capture saves
// the day.
func TestRazorLooks(t *testing.T) {
	w := laid(t, engine(t), "q3k3/8/8/8/8/8/8/R3K3 w - - 0 1")
	n := ask(w, 1, 0)
	n.alpha = n.eval + eval.Score(w.params.RazorBase+w.params.RazorSlope)
	n.beta = n.alpha + 1
	if score, done := w.razor(n); done {
		t.Errorf("%s: evaluation %d, alpha %d: razoring settles %d", w.pos, n.eval, n.alpha, score)
	}
}

// TestDecidedWindows asks the steps that take the evaluation at its word about
// windows that a mate alone reaches, or refutes: they keep out.
func TestDecidedWindows(t *testing.T) {
	decided := eval.Score(DefaultParams().Decided)
	for _, tt := range []struct {
		name   string
		depth  Depth
		beta   eval.Score
		want   bool
		settle func(*worker, *node) (eval.Score, bool)
	}{
		{"reverse futility of a lost position", 1, -decided, true, reverse},
		{"reverse futility where a mate refutes", 1, -decided - 1, false, reverse},
		{"a null move in a lost position", 4, -decided, true, null},
		{"a null move where a mate refutes", 4, -decided - 1, false, null},
		{"razoring below a won position", 1, decided + 1, true, razoring},
		{"razoring where a mate is asked for", 1, decided + 2, false, razoring},
	} {
		w := laid(t, engine(t), quietMiddlegame)
		n := ask(w, tt.depth, tt.beta)
		if score, done := tt.settle(w, n); done != tt.want {
			t.Errorf("%s, beta %d, evaluation %d: settled %v (%d), want %v", tt.name, tt.beta, n.eval, done, score, tt.want)
		}
	}
	w := laid(t, engine(t), quietMiddlegame)
	n := &node{ply: 1, depth: 10, count: 8, quiet: true, move: moveOf(t, w, "a7a6"), alpha: decided}
	usual := w.reduction(n, w.at(1))
	if n.alpha++; usual-w.reduction(n, w.at(1)) != int32(w.params.DecidedReduction) {
		t.Errorf("reduction where a mate is asked for: %d, usual %d", w.reduction(n, w.at(1)), usual)
	}
}

func reverse(w *worker, n *node) (eval.Score, bool) { return w.reverseFutility(n, w.at(n.ply)) }

func null(w *worker, n *node) (eval.Score, bool) { return w.nullMove(n, w.at(n.ply)) }

func razoring(w *worker, n *node) (eval.Score, bool) { return w.razor(n) }

// TestVerificationCounts lays out a null move that fails high and a search
// without null moves that does not, by what the table says of both: a verification
// that the table answers is over as well as one that has looked at moves.
func TestVerificationCounts(t *testing.T) {
	e := engine(t)
	for _, refuted := range []bool{false, true} {
		w := laid(t, e, quietMiddlegame)
		n := ask(w, Depth(w.params.NullVerify), 0)
		n.beta = n.eval - 20
		n.alpha = n.beta - 1
		if refuted {
			e.table.store(w.pos.Key(), 1, entry{bound: eval.Upper, depth: 40, score: n.beta - 100, eval: n.raw})
		}
		w.pos.MakeNull()
		e.table.store(w.pos.Key(), 2, entry{bound: eval.Upper, depth: 40, score: -n.beta - 30, eval: -n.raw})
		w.pos.Unmake()
		if score, done := w.nullMove(n, w.at(1)); done == refuted {
			t.Errorf("refuted %v: the null move settles %d: %v", refuted, score, done)
		}
		if w.nullFrom != [2]int{} || w.at(1).verifying {
			t.Errorf("refuted %v: null moves stay forbidden: %v, the ply is verifying: %v", refuted, w.nullFrom, w.at(1).verifying)
		}
	}
}

// TestSecondLook: a move that is better than a reduced search expected is
// searched again without the reduction; one that is not is left at that.
func TestSecondLook(t *testing.T) {
	e := engine(t)
	for _, tt := range []struct {
		alpha       eval.Score
		least, most Depth // of the entry of the position after the move
	}{{-300, 5, 9}, {300, 0, 4}} {
		w := laid(t, e, quietMiddlegame)
		n := ask(w, 8, tt.alpha+1)
		n.setMove(w, moveOf(t, w, "f8e7"), 5)
		n.best = tt.alpha - 10
		w.make(1, n.move)
		score := w.searchMove(n, w.at(1), 7, 3*1024)
		got := e.table.probe(w.pos.Key(), 2)
		w.pos.Unmake()
		if (score > tt.alpha) != (tt.alpha < 0) || got.depth < tt.least || got.depth > tt.most {
			t.Errorf("alpha %d: score %d, the position after the move was searched to depth %d, want %d to %d", tt.alpha, score, got.depth, tt.least, tt.most)
		}
	}
}

func TestLogarithm(t *testing.T) {
	for n := 1; n < 4096; n++ {
		if got, want := logarithm(n), 1024*math.Log(float64(n)); math.Abs(float64(got)-want) > 1.5 {
			t.Errorf("logarithm(%d) = %d, want %.2f", n, got, want)
		}
	}
}

func TestRewardSigns(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	good, bad := moveOf(t, w, "f8e7"), moveOf(t, w, "a7a6")
	take, miss := moveOf(t, w, "c5d4"), moveOf(t, w, "f6e4")
	n := ask(w, 6, 0)
	n.bestMove = good
	var tr tried
	tr.note(bad, true)
	tr.note(miss, true)
	tr.note(take, false)
	w.at(0).moved, w.at(0).move = 5, chess.NewMove(1, 2, chess.Normal)
	w.at(0).continuation = &w.history.continuation[0][5]
	w.reward(n, w.at(1), &tr)
	if w.quietHistory(1, good) <= 0 || w.quietHistory(1, bad) >= 0 || w.quietHistory(1, miss) >= 0 {
		t.Errorf("after a cut by a quiet move: it %d, tried before %d and %d", w.quietHistory(1, good), w.quietHistory(1, bad), w.quietHistory(1, miss))
	}
	if *w.captureHistory(take) >= 0 {
		t.Errorf("a capture tried before: %d", *w.captureHistory(take))
	}
	if w.at(1).killers[0] != good || w.history.counter[5] != good {
		t.Errorf("killer %v, counter-move %v, want %v", w.at(1).killers[0], w.history.counter[5], good)
	}
	*w.captureHistory(take) = 0
	n.bestMove = take
	w.reward(n, w.at(1), &tried{})
	if *w.captureHistory(take) <= 0 {
		t.Errorf("a capture that cut: %d", *w.captureHistory(take))
	}
	for depth := Depth(2); depth < 30; depth++ {
		if w.bonus(depth) <= 0 || w.malus(depth) >= 0 || w.bonus(depth) < w.bonus(depth-1) || w.malus(depth) > w.malus(depth-1) {
			t.Errorf("depth %d: bonus %d, malus %d", depth, w.bonus(depth), w.malus(depth))
		}
	}
}

// TestCorrections: results above the evaluation raise it, those below lower it, the more
// the smaller CorrectRate is.
func TestCorrections(t *testing.T) {
	e := engine(t)
	for _, sign := range []eval.Score{-1, 1} {
		var last eval.Score
		for _, rate := range []int{16, 8, 2} {
			w := laid(t, e, quietMiddlegame)
			w.params.CorrectRate = rate
			ask(w, 4, 0)
			before := w.at(1).static
			for range 5 {
				w.learn(1, 6, sign*20)
			}
			ask(w, 4, 0)
			got := (w.at(1).static - before) * sign
			if got <= last {
				t.Errorf("results %d off, rate %d: the evaluation changes by %d, want more than %d", sign*20, rate, got, last)
			}
			last = got
		}
	}
}

// TestPickerOrder: the table move, then captures that win, quiet moves by
// history, captures that lose.
func TestPickerOrder(t *testing.T) {
	e := engine(t)
	w := laid(t, e, "4k3/2p5/3p4/4n3/8/2N5/3P1P2/R2QK2R w KQ - 0 1")
	f := w.at(1)
	for _, m := range movegen.Quiets(w.pos, nil) {
		if m == moveOf(t, w, "c3d5") {
			w.addQuiet(1, m, 1600)
		}
	}
	f.killers[0] = moveOf(t, w, "h1g1")
	pk := w.newPicker(1, moveOf(t, w, "a1a5"), 0, false)
	var order []chess.Move
	for m := w.pick(&pk); m != chess.NoMove; m = w.pick(&pk) {
		order = append(order, m)
	}
	if order[0] != moveOf(t, w, "a1a5") || order[1] != moveOf(t, w, "h1g1") {
		t.Errorf("order %v: want the table's move and the killer first", order)
	}
	place := func(text string) int {
		for i, m := range order {
			if m == moveOf(t, w, text) {
				return i
			}
		}
		return -1
	}
	if place("c3d5") > place("c3a2") {
		t.Errorf("order %v: a move of good history after one of none", order)
	}
	if last := order[len(order)-1]; len(order) != len(movegen.Legal(w.pos, nil)) || place("a1a5") != 0 {
		t.Errorf("order %v ends with %v, want each move once", order, last)
	}
}

// TestHistoryEntriesBoundThemselves adds whatever comes: an entry moves towards
// its bonus and never leaves its range.
func TestHistoryEntriesBoundThemselves(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	var h rating
	var c correction
	for i := range 100000 {
		bonus := r.IntN(200001) - 100000
		if i%2 == 0 {
			bonus /= 50
		}
		before, was := int(h), int(c)
		h.add(bonus)
		c.add(bonus)
		if h > historyMax || h < -historyMax || c > correctionMax || c < -correctionMax {
			t.Fatalf("bonus %d: %d became %d, %d became %d", bonus, before, h, was, c)
		}
		if bonus > 0 && (int(h) < before || int(c) < was) || bonus < 0 && (int(h) > before || int(c) > was) {
			t.Fatalf("bonus %d: %d became %d, %d became %d", bonus, before, h, was, c)
		}
	}
	h = 0
	h.add(100)
	if h != 100 {
		t.Errorf("0 and a bonus of 100: %d, want all of it", h)
	}
}
