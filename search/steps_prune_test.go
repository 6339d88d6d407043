package search

import (
	"math"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// Single steps of pruning, extensions, whole-node cuts and reductions. See steps_test.go.

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

func TestReverseFutilityMargins(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	k := &w.params
	try := func(depth Depth, above int, lay func(*node)) bool {
		n := ask(w, depth, 0)
		w.at(0).static = unknown
		n.beta = n.eval - eval.Score(above)
		n.alpha = n.beta - 1
		lay(n)
		score, done := w.reverseFutility(n, w.at(1))
		if done && (score < n.beta || score > n.eval) {
			t.Errorf("reverse futility of %d at beta %d: %d", n.eval, n.beta, score)
		}
		return done
	}
	for depth := Depth(1); depth <= reverseDepth; depth++ {
		for name, tt := range map[string]struct {
			less int
			lay  func(*node)
		}{
			"": {0, func(*node) {}}, "improving": {k.ReverseImproves, func(n *node) { n.improving = true }},
			"worse for the opponent": {k.ReverseWorsens, func(*node) { w.at(0).static = 1 - w.at(1).static }},
		} {
			margin := k.ReverseMargin*int(depth) - tt.less
			if try(depth, margin-1, tt.lay) || !try(depth, margin, tt.lay) {
				t.Errorf("depth %d %s: the margin is not %d", depth, name, margin)
			}
		}
	}
	if try(reverseDepth+1, 2000, func(*node) {}) || try(1, 2000, func(*node) { w.at(1).ttPV = true }) {
		t.Error("reverse futility too deep, or near the main line")
	}
}

func TestRazorMargins(t *testing.T) {
	w := laid(t, engine(t), "2b1kb2/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQ - 3 6") // a queen and two rooks less
	k := &w.params
	for depth := Depth(1); depth <= razorDepth+1; depth++ {
		n := ask(w, depth, 0)
		n.eval = -900 // so low that no alpha here asks for a mate
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

func reverse(w *worker, n *node) (eval.Score, bool) { return w.reverseFutility(n, w.at(n.ply)) }

func null(w *worker, n *node) (eval.Score, bool) { return w.nullMove(n, w.at(n.ply)) }

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

// TestExtensions asks for the extension of a table move: one far better than all others,
// one no better, entries that are too shallow to be tested, and checks near the leaves.
func TestExtensions(t *testing.T) {
	const hanging, back = "6k1/5ppp/8/3q4/8/8/3R1PPP/6K1 w - - 0 1", "6k1/5ppp/8/8/8/8/q4PPP/1R1Q2K1 w - - 0 1"
	shallow := Depth(singularDepth - 1)
	e := engine(t)
	for _, tt := range []struct {
		name, fen, move string
		depth, entry    Depth
		bound           Bound
		score, beta     eval.Score
		pv, cut         bool
		searched        bool // a singular search is made
		least, most     Depth
		multiCut        bool
	}{
		{"the only good move", hanging, "d2d5", 8, 8, Lower, 500, 2000, false, true, true, 2, 3, false},
		{"the only good move of an open window", hanging, "d2d5", 8, 8, Lower, 500, 2000, true, true, true, 1, 1, false},
		{"many moves fail high", quietMiddlegame, "f8e7", 8, 8, Lower, -300, -250, false, true, true, 0, 0, true},
		{"an ordinary move of a cut node", quietMiddlegame, "f8e7", 8, 8, Lower, -300, 200, false, true, true, -1, -1, false},
		{"an ordinary move", quietMiddlegame, "f8e7", 8, 8, Lower, -300, 200, false, false, true, 0, 0, false},
		{"an entry just deep enough", quietMiddlegame, "f8e7", 8, 5, Lower, -300, 200, false, false, true, 0, 0, false},
		{"an entry too shallow", quietMiddlegame, "f8e7", 8, 4, Lower, -300, 200, false, false, false, 0, 0, false},
		{"a bound from above", quietMiddlegame, "f8e7", 8, 8, Upper, -300, 200, false, false, false, 0, 0, false},
		{"a mate", quietMiddlegame, "f8e7", 8, 8, Lower, mate - 9, 200, false, false, false, 0, 0, false},
		{"a shallow node", quietMiddlegame, "f8e7", shallow, 8, Lower, -300, 200, false, false, false, 0, 0, false},
		{"a safe check", back, "b1b8", shallow, shallow, Lower, 50, 100, false, true, false, 1, 1, false},
		{"a check that gives the queen away", "3r2k1/5ppp/4n3/8/8/8/q4PPP/3Q2K1 w - - 0 1", "d1d8", shallow, shallow, Lower, 50, 100, false, true, false, 0, 0, false},
		{"a shallow node, no check", back, "b1b7", shallow, shallow, Lower, 50, 100, false, true, false, 0, 0, false},
		{"a deep check", back, "b1b8", singularDepth, singularDepth, Upper, 50, 100, false, true, false, 0, 0, false},
	} {
		w := laid(t, e, tt.fen)
		n := ask(w, tt.depth, tt.beta)
		m := moveOf(t, w, tt.move)
		n.pv, n.cut, n.tt = tt.pv, tt.cut, entry{hit: true, bound: tt.bound, depth: tt.entry, score: tt.score, move: m, eval: n.raw}
		n.setMove(w, m, 1)
		before := w.nodes
		got, score, cut := w.extend(n, w.at(1))
		if got < tt.least || got > tt.most || cut != tt.multiCut || cut && score < tt.beta {
			t.Errorf("%s: extended by %d, multi-cut %v with %d", tt.name, got, cut, score)
		}
		if searched := w.nodes > before; searched != tt.searched || w.at(1).excluded != chess.NoMove {
			t.Errorf("%s: searched %v, want %v", tt.name, searched, tt.searched)
		}
	}
}

// TestPruneMove asks for what TestPruneMoveEdges does not: which moves are spared whatever
// the margins are, and the exchange.
func TestPruneMove(t *testing.T) {
	e := engine(t)
	for _, tt := range []struct {
		name, fen, move string
		depth           Depth
		above           eval.Score // alpha, above the static evaluation
		history         int
		want            bool
	}{
		{"a bad history", quietMiddlegame, "f8e7", 2, -900, -16000, true},
		{"a good history", quietMiddlegame, "f8e7", 2, -900, 16000, false},
		{"a queen given away", quietMiddlegame, "d8d6", 3, 0, 0, true},
		{"a safe check far below alpha", "6k1/5pp1/7p/8/8/8/5PPP/R2Q2K1 w - - 0 1", "a1a8", 3, 2500, 0, false},
		{"a capture with check far below alpha", "r5k1/5pp1/7p/8/8/8/5PPP/R2Q2K1 w - - 0 1", "a1a8", 1, 3000, 0, false},
		{"a capture near alpha", quietMiddlegame, "c5d4", 2, 0, 0, false},
		{"only pawns", "6k1/5p2/8/8/8/1PPP4/PPP5/1K6 w - - 0 1", "b1c1", 3, 3000, 0, false},
	} {
		w := laid(t, e, tt.fen)
		n := ask(w, tt.depth, 0)
		n.alpha = w.at(1).static + tt.above
		n.beta = n.alpha + 1
		pk := w.newPicker(1, chess.NoMove, 0, false)
		pk.stage = stageQuiets
		n.setMove(w, moveOf(t, w, tt.move), 2)
		n.history += tt.history
		if got := w.pruneMove(n, w.at(1), &pk); got != tt.want {
			t.Errorf("%s: %s %s at depth %d, %d below alpha: pruned %v, want %v", tt.name, tt.fen, tt.move, tt.depth, tt.above, got, tt.want)
		}
	}
}

// TestVerificationCounts lays out a null move that fails high and a search
// without null moves that does not, by what the table says of both: a verification
// that the table answers is over as well as one that has looked at moves.
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
		if w.nullFrom != [2]int{} || w.at(1).verifying {
			t.Errorf("refuted %v: null moves stay forbidden: %v, the ply is verifying: %v", refuted, w.nullFrom, w.at(1).verifying)
		}
	}
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

// TestSecondMoves: in the principal variation the second move is reduced, but at the root
// and right after it.
func TestSecondMoves(t *testing.T) {
	e := engine(t)
	for ply := range 3 {
		var nodes [2]uint64
		for i, r := range [2]int32{0, 3 * 1024} {
			w := laid(t, e, quietMiddlegame)
			n := &node{ply: ply, depth: 8, alpha: -300, beta: 300, best: -310, pv: true, ceiling: infinity}
			n.setMove(w, moveOf(t, w, "f8e7"), 2)
			w.make(ply, n.move)
			w.searchMove(n, w.at(ply), 7, r)
			w.pos.Unmake()
			nodes[i] = w.nodes
		}
		if reduced := nodes[0] != nodes[1]; reduced != (ply > 1) {
			t.Errorf("ply %d: %d nodes, with a reduction %d", ply, nodes[0], nodes[1])
		}
	}
}

// TestIterativeReduction: a node that may have moves in a poor order is searched a ply less
// deeply.
func TestIterativeReduction(t *testing.T) {
	e := engine(t)
	for _, tt := range []struct {
		name    string
		table   entry
		pv, cut bool
		want    Depth
	}{
		{"principal variation, no move", entry{}, true, false, 7},
		{"principal variation, a move of a much shallower search", entry{hit: true, bound: Upper, depth: 4}, true, false, 7},
		{"principal variation, a move", entry{hit: true, bound: Upper, depth: 5}, true, false, 8},
		{"cut node, no move", entry{}, false, true, 7},
		{"cut node, a move of a much shallower search", entry{hit: true, bound: Upper, depth: 1}, false, true, 8},
		{"all node, no move", entry{}, false, false, 8},
	} {
		w := laid(t, e, quietMiddlegame)
		alpha, beta := eval.Score(300), eval.Score(500) // no move raises alpha
		if !tt.pv {
			beta = 301
		}
		if tt.table.hit {
			tt.table.move, tt.table.eval = moveOf(t, w, "f8e7"), w.evaluate()
			e.table.store(w.pos.Key(), 1, tt.table)
		}
		w.search(1, 8, alpha, beta, tt.cut)
		if got := e.table.probe(w.pos.Key(), 1).depth; got != tt.want {
			t.Errorf("%s: searched to depth %d, want %d", tt.name, got, tt.want)
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
