package search

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
)

// The tests in this file ask single steps of the search which way they lean. A
// sign the wrong way round costs games and no test of whole searches need
// notice.

const quietMiddlegame = "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 3 6"

// moveOf returns a legal move of the worker's position.
func moveOf(t testing.TB, w *worker, text string) chess.Move {
	t.Helper()
	m, err := w.pos.ParseUCI(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestReductionLeans(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	base := func() *node { return &node{ply: 1, depth: 10, count: 8, quiet: true, move: moveOf(t, w, "a7a6")} }
	of := func(n *node) int32 { return w.reduction(n, w.at(1)) }
	k := &w.params
	for _, tt := range []struct {
		name string
		by   int // by how much more is reduced
		lay  func(*node)
		undo func()
	}{
		{"at a cut node", k.LMRCut, func(n *node) { n.cut = true }, nil},
		{"when improving", -k.LMRNotImproving, func(n *node) { n.improving = true }, nil},
		{"in an open window", -k.LMRPV, func(n *node) { n.pv = true }, nil},
		{"where the table knows an open window", -k.LMRTablePV, func(*node) { w.at(1).ttPV = true }, func() { w.at(1).ttPV = false }},
		{"of a check", -k.LMRCheck, func(n *node) { n.check = true }, nil},
		{"after many cuts below", k.LMRCutoffs, func(*node) { w.at(2).cutoffs = 4 }, func() { w.at(2).cutoffs = 0 }},
		{"of a killer", -k.LMRKiller, func(n *node) { n.move = moveOf(t, w, "f8e7"); w.at(1).killers[1] = n.move }, func() { w.at(1).killers[1] = 0 }},
		{"of a capture", k.LMRCapture, func(n *node) { n.quiet = false }, nil},
		{"with a capture in the table", k.LMRTableCapture, func(n *node) { n.tt.move = moveOf(t, w, "c5d4") }, nil},
		{"with a quiet move in the table", 0, func(n *node) { n.tt.move = moveOf(t, w, "f8e7") }, nil},
		{"of a good move", -1024, func(n *node) { n.history = k.LMRHistory }, nil},
		{"of a bad move", 1024, func(n *node) { n.history = -k.LMRHistory }, nil},
		{"of an uncertain evaluation", -20 * k.LMRCorrection, func(n *node) { n.correction = 20 }, nil},
	} {
		n := base()
		want := of(base()) + int32(tt.by)
		tt.lay(n)
		if got := of(n); got != want {
			t.Errorf("reduction %s: %d, want %d", tt.name, got, want)
		}
		if tt.undo != nil {
			tt.undo()
		}
	}
	deep, late := base(), base()
	deep.depth, late.count = 14, 20
	if of(deep) <= of(base()) || of(late) <= of(base()) {
		t.Errorf("reduction: %d; deeper %d, later %d, want more", of(base()), of(deep), of(late))
	}
	if w.reduce[10][8] <= 0 {
		t.Errorf("reduction of the eighth move at depth 10: %d, want more than none", w.reduce[10][8])
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

// highest returns the highest beta from low to high that settle still settles.
func highest(low, high eval.Score, settle func(beta eval.Score) bool) eval.Score {
	for beta := high; beta >= low; beta-- {
		if settle(beta) {
			return beta
		}
	}
	return low - 1
}

func TestReverseFutilityMargins(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	k := &w.params
	at := func(depth Depth, improving, worsens bool) eval.Score {
		n := ask(w, depth, 0)
		n.improving = improving
		w.at(0).static = unknown
		if worsens {
			w.at(0).static = 1 - w.at(1).static
		}
		return n.eval - highest(n.eval-2000, n.eval+200, func(beta eval.Score) bool {
			n.alpha, n.beta = beta-1, beta
			score, done := w.reverseFutility(n, w.at(1))
			if done && (score < beta || score > n.eval) {
				t.Errorf("reverse futility of %d at beta %d: %d", n.eval, beta, score)
			}
			return done
		})
	}
	for depth := Depth(1); depth <= reverseDepth; depth++ {
		want := eval.Score(k.ReverseMargin * int(depth))
		for _, tt := range []struct {
			improving, worsens bool
			less               int
		}{{false, false, 0}, {true, false, k.ReverseImproves}, {false, true, k.ReverseWorsens}} {
			if got := at(depth, tt.improving, tt.worsens); got != want-eval.Score(tt.less) {
				t.Errorf("depth %d %+v: margin %d, want %d", depth, tt, got, want-eval.Score(tt.less))
			}
		}
	}
	n := ask(w, 1, 0)
	for _, tt := range []struct {
		name  string
		depth Depth
		ttPV  bool
	}{{"too deep", reverseDepth + 1, false}, {"on the main line", 1, true}} {
		n.depth, w.at(1).ttPV, n.alpha, n.beta = tt.depth, tt.ttPV, -decided-1, -decided
		if _, done := w.reverseFutility(n, w.at(1)); done {
			t.Errorf("reverse futility %s", tt.name)
		}
	}
}

func TestRazorMargins(t *testing.T) {
	w := laid(t, engine(t), "r1b1kb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 3 6") // a queen less: no alpha here asks for a mate
	k := &w.params
	for depth := Depth(1); depth <= razorDepth+1; depth++ {
		n := ask(w, depth, 0)
		margin := eval.Score(k.RazorBase + k.RazorSlope*int(depth*depth))
		for _, tt := range []struct {
			alpha eval.Score
			want  bool
		}{{n.eval + margin + 1, depth <= razorDepth}, {n.eval + margin - 1, false}, {n.eval - margin, false}} {
			n.alpha, n.beta = tt.alpha, tt.alpha+1
			if score, done := w.razor(n); done != tt.want || done && score > tt.alpha {
				t.Errorf("razoring at depth %d, %d below alpha: %v (%d), want %v", depth, tt.alpha-n.eval, done, score, tt.want)
			}
		}
	}
}

// TestDecidedWindows asks the steps that take the evaluation at its word about
// windows that a mate alone reaches, or refutes: they keep out.
func TestDecidedWindows(t *testing.T) {
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
	if n.alpha++; usual-w.reduction(n, w.at(1)) != decidedReduction {
		t.Errorf("reduction where a mate is asked for: %d, usual %d", w.reduction(n, w.at(1)), usual)
	}
}

func reverse(w *worker, n *node) (eval.Score, bool)  { return w.reverseFutility(n, w.at(n.ply)) }
func null(w *worker, n *node) (eval.Score, bool)     { return w.nullMove(n, w.at(n.ply)) }
func razoring(w *worker, n *node) (eval.Score, bool) { return w.razor(n) }

func TestProbCutMargins(t *testing.T) {
	e := engine(t)
	const fen = "r2qk2r/pp1nnppp/2p1p3/3pPb2/1bPP4/1Q3N1P/PP1N1PP1/R1B1KB1R w KQkq - 2 9" // a bishop hangs
	settle := func(beta eval.Score, improving bool, lay func(*worker, *node)) (eval.Score, bool) {
		w := laid(t, e, fen)
		n := ask(w, probCutDepth, beta)
		n.improving = improving
		if lay != nil {
			lay(w, n)
		}
		score, done := w.probCut(n, w.at(1))
		if tt := e.table.probe(w.pos.Key(), 1); done && (tt.bound != Lower || tt.score <= score && !isMate(tt.score) || tt.depth != probCutDepth-3 || tt.move == chess.NoMove) {
			t.Errorf("ProbCut settles %d and stores %+v", score, tt)
		}
		return score, done
	}
	w := laid(t, e, fen)
	capture := moveOf(t, w, "b3b4")
	w.make(1, capture)
	worth := -w.quiesce(2, -infinity, infinity)
	k := &w.params
	for _, improving := range []bool{false, true} {
		margin := eval.Score(k.ProbCut)
		if improving {
			margin -= eval.Score(k.ProbImprove)
		}
		if score, done := settle(worth-margin-40, improving, nil); !done || score < worth-margin-40 {
			t.Errorf("improving %v: a capture worth %d does not settle beta %d: %d, %v", improving, worth, worth-margin-40, score, done)
		}
		if _, done := settle(worth-margin+25, improving, nil); done {
			t.Errorf("improving %v: a capture worth %d settles beta %d, margin %d", improving, worth, worth-margin+25, margin)
		}
	}
	low := worth - 400
	if _, done := settle(low, false, func(_ *worker, n *node) {
		n.tt = entry{hit: true, depth: n.depth - 3, score: low + 10, bound: Upper, eval: n.raw}
	}); done {
		t.Error("ProbCut against the word of the table")
	}
	if _, done := settle(low, false, func(_ *worker, n *node) { n.depth = probCutDepth - 1 }); done {
		t.Error("ProbCut at too low a depth")
	}
}

func TestTableCut(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	for _, tt := range []struct {
		name string
		tt   entry
		want bool
	}{
		{"a bound far above", entry{hit: true, bound: Lower, depth: 6, score: 1000}, true},
		{"a bound not so far above", entry{hit: true, bound: Lower, depth: 6, score: eval.Score(99 + w.params.TableCut)}, false},
		{"too shallow", entry{hit: true, bound: Lower, depth: 5, score: 1000}, false},
		{"a bound from above", entry{hit: true, bound: Upper, depth: 6, score: 1000}, false},
		{"nothing", entry{}, false},
		{"a mate", entry{hit: true, bound: Lower, depth: 6, score: mate - 9}, false},
	} {
		n := &node{ply: 1, depth: 10, alpha: 99, beta: 100, tt: tt.tt}
		if score, done := w.tableCut(n); done != tt.want || done && (score < 100 || score > tt.tt.score) {
			t.Errorf("%s: %v with %d, want %v", tt.name, done, score, tt.want)
		}
	}
}

func TestTableAnswers(t *testing.T) {
	for _, tt := range []struct {
		e    entry
		want bool
	}{
		{entry{}, false}, {entry{hit: true, bound: Exact, score: 40}, true},
		{entry{hit: true, bound: Lower, score: 51}, true}, {entry{hit: true, bound: Lower, score: 49}, false},
		{entry{hit: true, bound: Upper, score: 49}, true}, {entry{hit: true, bound: Upper, score: 51}, false},
	} {
		if got := tt.e.answers(50, 51); got != tt.want {
			t.Errorf("%+v answers 50 to 51: %v", tt.e, got)
		}
	}
	for _, tt := range []struct {
		e    entry
		want eval.Score
	}{
		{entry{}, 30}, {entry{hit: true, bound: Exact, score: 10}, 10}, {entry{hit: true, bound: Lower, score: 50}, 50},
		{entry{hit: true, bound: Lower, score: 10}, 30}, {entry{hit: true, bound: Upper, score: 10}, 10},
		{entry{hit: true, bound: Upper, score: 50}, 30}, {entry{hit: true, bound: Lower, score: mate - 5}, 30},
	} {
		if got := tt.e.sharpen(30); got != tt.want {
			t.Errorf("%+v makes %d of 30, want %d", tt.e, got, tt.want)
		}
	}
}

// TestTableCutNearFiftyMoves takes a deep entry at its word far from the limit
// of fifty moves and never near it, where the way here matters.
func TestTableCutNearFiftyMoves(t *testing.T) {
	e := engine(t)
	for _, tt := range []struct {
		fen  string
		want bool
	}{{"8/8/4k3/8/2KQ4/8/8/7r w - - 10 60", true}, {"8/8/4k3/8/2KQ4/8/8/7r w - - 92 120", false}} {
		w := laid(t, e, tt.fen)
		e.table.store(w.pos.Key(), 1, entry{bound: Lower, depth: 20, score: 777, eval: w.evaluate()})
		if got := w.search(1, 4, 99, 100, true); (got == 777) != tt.want {
			t.Errorf("%s: the table's 777 comes back as %d", tt.fen, got)
		}
	}
	w := laid(t, e, "8/8/4k3/8/2KQ4/8/8/7r w - - 10 60")
	for _, tt := range []struct {
		name  string
		depth Depth
		pv    bool
	}{{"too shallow", 3, false}, {"in an open window", 20, true}} {
		e.table.clear()
		e.table.age()
		e.table.store(w.pos.Key(), 1, entry{bound: Lower, depth: tt.depth, score: 777, eval: w.evaluate()})
		n := ask(w, 4, 100)
		if n.pv = tt.pv; w.cutByTable(n) {
			t.Errorf("an entry %s settles the node", tt.name)
		}
	}
}

// TestBoundsInTheTable searches windows below, around and above the score and
// looks at what the table says afterwards.
func TestBoundsInTheTable(t *testing.T) {
	e := engine(t)
	for _, fen := range []string{quietMiddlegame, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"} {
		for _, quiet := range []bool{true, false} {
			for _, tt := range []struct {
				alpha, beta eval.Score
				want        Bound
			}{{-infinity, infinity, Exact}, {-701, -700, Lower}, {700, 701, Upper}, {-900, -700, Lower}, {700, 900, Upper}} {
				w := laid(t, e, fen)
				depth := Depth(6)
				if quiet {
					depth = 0
				}
				score := w.search(1, depth, tt.alpha, tt.beta, tt.beta-tt.alpha == 1)
				got := e.table.probe(w.pos.Key(), 1)
				if got.hit && (got.bound != tt.want && !(quiet && tt.want == Exact) || got.score != score) {
					t.Errorf("%s: depth %d, window %d to %d: score %d stored as %+v", fen, depth, tt.alpha, tt.beta, score, got)
				}
				if quiet && got.hit && got.bound == Exact {
					t.Errorf("%s: quiescence stores an exact score: %+v", fen, got)
				}
			}
		}
	}
}

// TestSingularDepth asks for the extension of a table move: only an entry that
// is deep enough is tested, and no bound from above.
func TestSingularDepth(t *testing.T) {
	e := engine(t)
	for _, tt := range []struct {
		name  string
		depth Depth
		below Depth // of the entry
		bound Bound
		score eval.Score
		want  bool // a search is made
	}{
		{"deep enough", 8, 3, Lower, 50, true}, {"too shallow", 8, 4, Lower, 50, false}, {"far too shallow", 10, 8, Lower, 50, false},
		{"from above", 8, 0, Upper, 50, false}, {"a mate", 8, 0, Lower, mate - 9, false}, {"a shallow node", singularDepth - 1, 0, Lower, 50, false},
	} {
		w := laid(t, e, quietMiddlegame)
		n := ask(w, tt.depth, 100)
		m := moveOf(t, w, "f8e7")
		n.tt = entry{hit: true, bound: tt.bound, depth: tt.depth - tt.below, score: tt.score, move: m, eval: n.raw}
		n.setMove(w, m, 1)
		before := w.nodes
		w.extend(n, w.at(1))
		if made := w.nodes > before; made != tt.want || w.at(1).excluded != chess.NoMove {
			t.Errorf("%s: searched %v, want %v", tt.name, made, tt.want)
		}
	}
}

// TestExtensions asks about a move far better than all others, and about one
// no better.
func TestExtensions(t *testing.T) {
	e := engine(t)
	ext := func(fen, move string, score, beta eval.Score, cut bool) (Depth, eval.Score, bool) {
		w := laid(t, e, fen)
		n := ask(w, 8, beta)
		m := moveOf(t, w, move)
		n.cut = cut
		n.tt = entry{hit: true, bound: Lower, depth: 8, score: score, move: m, eval: n.raw}
		n.setMove(w, m, 1)
		return w.extend(n, w.at(1))
	}
	const hanging = "6k1/5ppp/8/3q4/8/8/3R1PPP/6K1 w - - 0 1"
	if got, _, cut := ext(hanging, "d2d5", 500, 2000, true); got < 1 || cut {
		t.Errorf("%s: the only good move is extended by %d, multi-cut %v", hanging, got, cut)
	}
	w := laid(t, e, hanging)
	n := ask(w, 8, 2000)
	n.pv, n.tt = true, entry{hit: true, bound: Lower, depth: 8, score: 500, move: moveOf(t, w, "d2d5"), eval: n.raw}
	n.setMove(w, n.tt.move, 1)
	if got, _, cut := w.extend(n, w.at(1)); got != 1 || cut {
		t.Errorf("%s: the only good move of an open window is extended by %d, multi-cut %v, want 1", hanging, got, cut)
	}
	if _, score, cut := ext(quietMiddlegame, "f8e7", -300, -250, true); !cut || score < -250 {
		t.Errorf("many moves fail high: multi-cut %v with %d", cut, score)
	}
	if got, _, cut := ext(quietMiddlegame, "f8e7", -300, 200, true); got != -1 || cut {
		t.Errorf("an ordinary move of a cut node: extended by %d, multi-cut %v, want -1", got, cut)
	}
	if got, _, cut := ext(quietMiddlegame, "f8e7", -300, 200, false); got != 0 || cut {
		t.Errorf("an ordinary move: extended by %d, multi-cut %v, want 0", got, cut)
	}
}

func TestPruneMove(t *testing.T) {
	e := engine(t)
	// prune asks about the move at depth with alpha so far above the static evaluation.
	prune := func(fen, move string, depth Depth, above eval.Score, lay func(*node)) bool {
		w := laid(t, e, fen)
		n := ask(w, depth, 0)
		n.alpha = w.at(1).static + above
		n.beta = n.alpha + 1
		pk := &w.at(1).pickers[0]
		pk.start(1, chess.NoMove, 0, false)
		pk.stage = stageQuiets
		n.setMove(w, moveOf(t, w, move), 2)
		if lay != nil {
			lay(n)
		}
		return w.pruneMove(n, w.at(1), pk)
	}
	for _, tt := range []struct {
		name, fen, move string
		depth           Depth
		above           eval.Score
		lay             func(*node)
		want            bool
	}{
		{"a quiet move near alpha", quietMiddlegame, "f8e7", 3, 0, nil, false},
		{"futility", quietMiddlegame, "f8e7", 3, 900, nil, true},
		{"futility with a good history", quietMiddlegame, "f8e7", 1, 120, func(n *node) { n.history = 16000 }, false},
		{"futility with a bad history", quietMiddlegame, "f8e7", 1, 40, func(n *node) { n.history = -4000 }, true},
		{"a bad history", quietMiddlegame, "f8e7", 2, -900, func(n *node) { n.history = -16000 }, true},
		{"a good history", quietMiddlegame, "f8e7", 2, -900, func(n *node) { n.history = 16000 }, false},
		{"late", quietMiddlegame, "f8e7", 3, 0, func(n *node) { n.count = 40 }, true},
		{"later when deeper", quietMiddlegame, "f8e7", 9, 0, func(n *node) { n.count = 40 }, false},
		{"later when improving", quietMiddlegame, "f8e7", 3, 0, func(n *node) { n.count, n.improving = 14, true }, false},
		{"a queen given away", quietMiddlegame, "d8d6", 3, 0, nil, true},
		{"a safe check far below alpha", "6k1/5pp1/7p/8/8/8/5PPP/R2Q2K1 w - - 0 1", "a1a8", 3, 2500, nil, false},
		{"a capture near alpha", quietMiddlegame, "c5d4", 2, 0, nil, false},
		{"a capture far below alpha", quietMiddlegame, "c5d4", 1, 3000, nil, true},
		{"only pawns", "6k1/5p2/8/8/8/1PPP4/PPP5/1K6 w - - 0 1", "b1c1", 3, 3000, nil, false},
	} {
		if got := prune(tt.fen, tt.move, tt.depth, tt.above, tt.lay); got != tt.want {
			t.Errorf("%s: %s %s at depth %d, %d below alpha: pruned %v, want %v", tt.name, tt.fen, tt.move, tt.depth, tt.above, got, tt.want)
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
	w.at(0).continuation = &w.history.continuation[5]
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

// TestSwing: a quiet move after which its victim stands worse was good.
func TestSwing(t *testing.T) {
	e := engine(t)
	for _, sign := range []int{-1, 1} {
		w := laid(t, e, quietMiddlegame)
		m := chess.NewMove(12, 28, chess.Normal)
		f := w.at(0)
		f.move, f.attacksKnown, f.static = m, true, eval.Score(500*sign)
		n := ask(w, 4, 0)
		w.at(1).static = eval.Score(500 * sign) // worse for the mover when positive: both see a loss for it
		w.rewardSwing(n, w.at(1))
		got := w.history.quiet[chess.White][f.attacks.index(m)][m&4095]
		if sign > 0 && got >= 0 || sign < 0 && got <= 0 {
			t.Errorf("a swing of %d for the side to move: history of the move %d", 1000*sign, got)
		}
	}
}

// TestCorrections: results above the evaluation raise it, and it is drawn to
// zero as the fifty moves pass, whoever is ahead.
func TestCorrections(t *testing.T) {
	e := engine(t)
	for _, sign := range []eval.Score{-1, 1} {
		w := laid(t, e, quietMiddlegame)
		ask(w, 4, 0)
		before := w.at(1).static
		for range 20 {
			w.learn(1, 6, sign*100)
		}
		ask(w, 4, 0)
		if got := w.at(1).static; (got-before)*sign <= 0 {
			t.Errorf("results %d off: the evaluation %d is corrected to %d", sign*100, before, got)
		}
		last := sign * 400
		for _, clock := range []string{"20", "60", "99"} {
			p := parse(t, "8/8/4k3/8/2KQ4/8/8/7r w - - "+clock+" 120")
			got := damped(p, sign*400, w.params.DampingSpan)
			if got*sign >= last*sign || got*sign < 100 {
				t.Errorf("%s: %d is damped to %d, before %d", p, sign*400, got, last)
			}
			last = got
		}
	}
}

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

// TestVerificationCounts lays out a null move that fails high and a search
// without null moves that does not, by what the table says of both.
func TestVerificationCounts(t *testing.T) {
	e := engine(t)
	for _, refuted := range []bool{false, true} {
		w := laid(t, e, quietMiddlegame)
		n := ask(w, nullVerify, 0)
		n.beta = n.eval - 20
		n.alpha = n.beta - 1
		if refuted {
			e.table.store(w.pos.Key(), 1, entry{bound: Upper, depth: 40, score: n.beta - 100, eval: n.raw})
		}
		w.pos.MakeNull()
		e.table.store(w.pos.Key(), 2, entry{bound: Upper, depth: 40, score: -n.beta - 30, eval: -n.raw})
		w.pos.Unmake()
		if score, done := w.nullMove(n, w.at(1)); done == refuted {
			t.Errorf("refuted %v: the null move settles %d: %v", refuted, score, done)
		}
		if w.nullFrom != [2]int{} {
			t.Errorf("refuted %v: null moves stay forbidden: %v", refuted, w.nullFrom)
		}
	}
}

// TestTableKeepsTheDeeperOfAPosition stores results of one position.
func TestTableKeepsTheDeeperOfAPosition(t *testing.T) {
	table, err := newTable(1)
	if err != nil {
		t.Fatal(err)
	}
	const key = chess.Key(0x9e3779b97f4a7c15)
	table.store(key, 1, entry{bound: Lower, depth: 20, score: 50, move: 77})
	for _, tt := range []struct {
		name string
		e    entry
		want Depth
	}{
		{"a shallow bound", entry{bound: Upper, depth: 3}, 20}, {"one nearly as deep, without a move", entry{bound: Upper, depth: 17}, 17},
		{"a shallow exact score", entry{bound: Exact, depth: 2}, 2},
	} {
		table.store(key, 1, tt.e)
		if got := table.probe(key, 1); got.depth != tt.want || got.move != 77 {
			t.Errorf("after %s: depth %d, move %v, want %d and the old move", tt.name, got.depth, got.move, tt.want)
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
	victim := eval.Score(seeValue[chess.Pawn] + w.params.Delta)
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

// TestHindsight reduces a node that a reduced move led to when both sides see
// it as bad as thought.
func TestHindsight(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	for _, tt := range []struct {
		sum     eval.Score
		reduced Depth
		want    Depth
	}{{500, 2, 5}, {-500, 2, 6}, {500, 0, 6}} {
		n := ask(w, 6, 0)
		w.at(0).reduced, w.at(0).static = tt.reduced, tt.sum-w.at(1).static
		if w.hindsight(n, w.at(1)); n.depth != tt.want {
			t.Errorf("%+v: depth %d", tt, n.depth)
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
	pk := &f.pickers[0]
	pk.start(1, moveOf(t, w, "a1a5"), 0, false)
	var order []chess.Move
	for m := w.pick(pk); m != chess.NoMove; m = w.pick(pk) {
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

// TestOrderByHistory: each history alone brings a quiet move to the front.
func TestOrderByHistory(t *testing.T) {
	e := engine(t)
	for _, tt := range []struct {
		name string
		set  func(w *worker, m chess.Move, pt pieceTo)
	}{
		{"from and to", func(w *worker, m chess.Move, _ pieceTo) {
			w.history.quiet[w.pos.SideToMove()][w.enemyAttacks(1).index(m)][m&4095] = 16000
		}},
		{"pawns", func(w *worker, _ chess.Move, pt pieceTo) { w.pawnHistory()[pt] = 16000 }},
		{"answers", func(w *worker, _ chess.Move, pt pieceTo) { w.at(0).continuation[pt] = 16000 }},
		{"own moves", func(w *worker, _ chess.Move, pt pieceTo) { w.at(-1).continuation[pt] = 16000 }},
	} {
		w := laid(t, e, quietMiddlegame)
		w.at(0).continuation, w.at(-1).continuation = &w.history.continuation[7], &w.history.continuation[9]
		m := moveOf(t, w, "h7h6")
		tt.set(w, m, pieceToOf(w.pos, m)%pieceTos)
		if rank := quietRank(w, 1, m); rank != 0 {
			t.Errorf("history by %s: %d quiet moves before the best", tt.name, rank)
		}
	}
}

// TestSEEBatteries: pieces behind pieces take part in exchanges.
func TestSEEBatteries(t *testing.T) {
	for _, tt := range []struct {
		fen, move string
		want      int
	}{
		{"4r1k1/8/8/4p3/8/8/4R3/4R1K1 w - - 0 1", "e2e5", 100},
		{"4r1k1/4r3/8/4p3/8/8/4R3/4R1K1 w - - 0 1", "e2e5", -400},
		{"6k1/6b1/8/4p3/3B4/8/1Q6/6K1 w - - 0 1", "d4e5", 100},
	} {
		p := parse(t, tt.fen)
		m, err := p.ParseUCI(tt.move)
		if err != nil {
			t.Fatal(err)
		}
		if !see(p, m, tt.want) || see(p, m, tt.want+1) {
			t.Errorf("%s: %s does not win %d", tt.fen, tt.move, tt.want)
		}
	}
}

// TestFallingScoresTakeTime: a worse score than before is worth a longer look.
func TestFallingScoresTakeTime(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	w.nodes, w.roots[0].nodes = 1000, 500
	factor := func(shown eval.Score) float64 {
		w.roots[0].shown = shown
		f := effort{best: w.roots[0].move, last: 0, seen: true}
		return f.factor(w)
	}
	if down, same, up := factor(-40), factor(0), factor(40); !(down > same && same > up) {
		t.Errorf("factors %.2f for a falling score, %.2f for the same, %.2f for a rising one", down, same, up)
	}
}
