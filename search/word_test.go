package search

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// laid returns a worker on a position that it has reached on ply 1, to ask single
// steps of the search about it.
func laid(t testing.TB, e *Engine, fen string, moves ...string) *worker {
	t.Helper()
	e.table.age() // what single steps store counts as written
	e.Clear()
	e.table.age()
	e.stopped.Store(false)
	p := kit.Position(t, fen, moves...)
	w := e.workers[0]
	w.prepare(p, rootMoves(p, nil))
	w.nodeLimit, w.depth = 1<<60, 20
	w.rootPlies--                                    // the position stands on ply 1
	w.at(0).move = chess.NewMove(1, 2, chess.Normal) // as if some move had led here
	return w
}

// ask returns a null-window node of the position of w on ply 1, evaluated.
func ask(w *worker, depth Depth, beta eval.Score) *node {
	n := &node{ply: 1, depth: depth, alpha: beta - 1, beta: beta, cut: true, inCheck: w.pos.InCheck(), ceiling: infinity, best: -infinity}
	w.enter(n, w.at(1))
	n.tt = w.probe(1)
	w.static(n, w.at(1))
	return n
}

// zeroNetwork evaluates every position as a draw.
func zeroNetwork(t testing.TB) *nnue.Network {
	t.Helper()
	shape := nnue.Shape{Width: nnue.WidthStep, Outputs: 1, Scale: 400}
	n, err := nnue.New(shape, nnue.NewWeights(shape), nnue.Provenance{DataHash: "none", Positions: 1, Commands: []string{"test"}})
	kit.Succeed(t, err)
	return n
}

// edgePositions hold zugzwang, stalemate, the edge of the fifty moves,
// repetition, underpromotion, mates on both sides, and plain positions.
var edgePositions = []string{
	"8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1",
	"8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1",
	"7k/5K2/5P1p/3p4/6P1/3p4/8/8 w - - 0 1",
	"8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"8/5P1k/8/5K2/8/8/8/6R1 w - - 0 1",
	"8/8/1KP5/3r4/8/8/8/k7 w - - 0 1",
	"7k/8/5K2/6P1/8/8/8/8 b - - 0 1",
	"8/8/4k3/8/2KQ4/8/8/7r w - - 92 120",
	"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 98 90",
	"6k1/6p1/8/8/8/4Q3/q4PPK/8 w - - 10 60",
	"r2qk2r/pp1nnppp/2p1p3/3pPb2/1bPP4/1Q3N1P/PP1N1PP1/R1B1KB1R w KQkq - 2 9",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/8/8/8/3k4/8/1R6/K7 b - - 0 1",
	"5rk1/5ppp/8/8/8/8/R4PPP/6K1 b - - 0 1",
	"k7/2K5/8/1B6/8/8/8/6R1 b - - 4 60",
}

// TestBoundsUnderAZeroEvaluation searches with an evaluation that is zero
// everywhere. The value of any node is then a mate or zero, at every depth: a
// bound from below above zero, or from above below it, that is no mate is
// false, and a mate must be one. Whatever adds a margin with a wrong sign,
// takes one bound for another or makes a mate out of nothing shows.
func TestBoundsUnderAZeroEvaluation(t *testing.T) {
	e := engine(t)
	e.SetNetwork(zeroNetwork(t))
	for _, fen := range edgePositions {
		for _, beta := range []eval.Score{-900, -500, -300, -150, -60, -1, 0, 1, 2, 70, 200, 350, 600, 1000} {
			for depth := Depth(0); depth <= 9; depth += 3 {
				w := laid(t, e, fen)
				score := w.search(1, depth, beta-1, beta, true)
				if !honest(w.pos, score, beta-1, beta) {
					t.Errorf("%s: depth %d, beta %d: score %d", fen, depth, beta, score)
				}
				eachBelow(w, 2, func(ply int) {
					tt := w.engine.table.probe(w.pos.Key(), ply)
					alpha, beta := tt.score-1, tt.score+1
					switch {
					case !tt.hit:
						return
					case tt.bound == eval.Lower:
						beta = tt.score
					case tt.bound == eval.Upper:
						alpha = tt.score
					case tt.score != 0 && !isMate(tt.score):
						t.Errorf("%s: %s: the table says exactly %d", fen, w.pos, tt.score)
					}
					if !honestOn(w.pos, ply, tt.score, alpha, beta) {
						t.Errorf("%s: %s on ply %d: the table says %d, bound %d", fen, w.pos, ply, tt.score, tt.bound)
					}
				})
			}
		}
	}
}

// eachBelow calls f at every position up to plies below the one of w, which
// stands on ply 1.
func eachBelow(w *worker, plies int, f func(ply int)) {
	var walk func(ply int)
	walk = func(ply int) {
		f(ply)
		if ply > plies {
			return
		}
		for _, m := range movegen.Legal(w.pos, nil) {
			w.pos.Make(m)
			walk(ply + 1)
			w.pos.Unmake()
		}
	}
	walk(1)
}

// honest reports whether a score on ply 1 may be the bound of a position that
// is worth a mate or nothing.
func honest(p *chess.Position, score, alpha, beta eval.Score) bool {
	return honestOn(p, 1, score, alpha, beta)
}

func honestOn(p *chess.Position, ply int, score, alpha, beta eval.Score) bool {
	plies := matePlies(score) - ply
	switch {
	case score >= mateEdge:
		return score <= alpha || plies > 5 || plies > 0 && plainMates(p.Clone(), plies)
	case score <= -mateEdge:
		return score >= beta || plies > 4 || plies >= 0 && plainMated(p.Clone(), plies)
	case score >= beta && score <= alpha:
		return false
	case score >= beta:
		return score <= 0
	case score <= alpha:
		return score >= 0
	}
	return score == 0
}

// TestMatesAreExact compares mates that a plain search proves with what the
// search finds, whatever the window. Morphy's it may miss: a rook is given up for
// zugzwang, which with some networks looks like a rook lost, and is pruned.
func TestMatesAreExact(t *testing.T) {
	const morphy = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
	e := engine(t)
	for _, tt := range []struct {
		fen   string
		depth Depth
	}{
		{"6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", 4}, {"7k/8/8/8/8/8/1R6/R6K w - - 0 1", 10}, {"8/P7/8/8/8/1K6/8/k7 w - - 0 1", 8},
		{"8/5P1k/8/5K2/8/8/8/6R1 w - - 0 1", 10}, {"k7/8/1K6/8/8/8/8/7R w - - 99 80", 4}, {morphy, 10},
		{"7k/8/5K2/8/4R3/8/8/8 w - - 0 1", 10}, {"1kbr4/npp5/4q3/p2p4/P2K1P2/1PP5/6R1/8 b - - 0 1", 10}, {"8/6Rp/6p1/6k1/2B3N1/5KPP/8/8 w - - 0 1", 10},
		{"r4r1k/6pp/7N/8/2Q5/8/6PP/6K1 w - - 0 1", 12}, {"8/8/8/8/8/2k5/1q6/K7 w - - 0 1", 3}, {"7k/6pp/8/8/8/8/r5PP/1r5K w - - 0 1", 3},
	} {
		p := kit.Position(t, tt.fen)
		want := plainMateIn(p, 5)
		score := mate - eval.Score(want)
		if want == 0 {
			for !plainMated(p, want) {
				want += 2
			}
			score = mated(want)
		}
		e.Clear()
		r, infos := collect(e, p, Limits{Depth: tt.depth}, Options{})
		if r.Score != score && (tt.fen != morphy || isMate(r.Score)) {
			t.Errorf("%s: depth %d: score %d, want %d", tt.fen, tt.depth, r.Score, score)
		}
		checkLine(t, tt.fen, infos[len(infos)-1])
		exact := score - 1 // on ply 1
		if score < 0 {
			exact = score + 1
		}
		// A longer mate for the mover may hide a shorter one that was pruned; all
		// else holds for every window.
		for _, beta := range []eval.Score{-exact, -100, 0, 100, exact - 1, exact, exact + 1, exact + 2} {
			for depth := range tt.depth {
				w := laid(t, e, tt.fen)
				got := w.search(1, depth, beta-1, beta, true)
				if got >= beta && got > exact || got < beta && got <= -mateEdge && got < exact {
					t.Errorf("%s: depth %d, beta %d: score %d, but it is worth %d", tt.fen, depth, beta, got, exact)
				}
			}
		}
	}
}

// TestQuiescenceCountsPlies asks quiescence about positions whose score the
// rules give, on several plies.
func TestQuiescenceCountsPlies(t *testing.T) {
	e := engine(t)
	for _, tt := range []struct {
		name, fen string
		want      func(ply int) eval.Score
	}{
		{"mated", "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", mated},
		{"mated on the hundredth half-move", "R5k1/5ppp/8/8/8/8/8/K7 b - - 100 90", mated},
		{"fifty moves", "6k1/5ppp/8/8/3r4/8/8/R6K b - - 100 90", func(int) eval.Score { return 0 }},
		{"bare kings", "6k1/8/8/8/8/8/8/7K b - - 0 1", func(int) eval.Score { return 0 }},
		{"a knight", "6k1/8/8/8/8/8/8/6NK b - - 0 1", func(int) eval.Score { return 0 }},
		{"bishops of one colour", "6k1/8/8/2b5/8/8/5B2/7K b - - 0 1", func(int) eval.Score { return 0 }},
	} {
		for ply := 1; ply < 6; ply++ {
			w := laid(t, e, tt.fen)
			w.rootPlies -= ply - 1
			if got := w.quiesce(ply, -infinity, infinity); got != tt.want(ply) {
				t.Errorf("%s: %s: quiescence on ply %d: %d, want %d", tt.name, tt.fen, ply, got, tt.want(ply))
			}
			w = laid(t, e, tt.fen)
			w.rootPlies -= ply - 1
			if got := w.search(ply, 2, -infinity, infinity, false); got != tt.want(ply) {
				t.Errorf("%s: %s: search on ply %d: %d, want %d", tt.name, tt.fen, ply, got, tt.want(ply))
			}
		}
	}
}

// TestDrawsByRule compares the draws of the search with slow ones.
func TestDrawsByRule(t *testing.T) {
	e := engine(t)
	drawn := 0
	for _, fen := range append([]string{
		"8/8/4k3/8/8/3B4/4K3/8 w - - 0 1", "8/8/4k3/2b5/8/3B4/4K3/8 w - - 0 1", "8/8/4k3/3b4/8/3B4/4K3/8 w - - 0 1",
		"8/8/4k3/2b5/8/2B5/4K3/8 w - - 0 1", "8/8/4k3/8/2N5/3B4/4K3/8 w - - 0 1", "8/8/4k3/8/2N5/3N4/4K3/8 w - - 0 1",
		"8/8/4k3/8/2P5/8/4K3/8 w - - 99 90", "8/8/4k3/8/2P5/8/4K3/8 w - - 100 90", "8/8/4k3/2n5/8/3N4/4K3/8 w - - 0 1",
	}, edgePositions...) {
		w := laid(t, e, fen)
		eachBelow(w, 2, func(ply int) {
			want := plainDraw(w.pos, ply)
			if got := w.isDraw(ply); got != want {
				t.Fatalf("%s on ply %d: drawn %v, want %v", w.pos, ply, got, want)
			}
			if want {
				drawn++
			}
		})
	}
	if drawn < 50 {
		t.Errorf("%d draws: too few to tell", drawn)
	}
}

// TestRepetitionIsADraw shows a position again: within the search once is
// enough, before its root it takes two.
func TestRepetitionIsADraw(t *testing.T) {
	e := engine(t)
	there := []string{"g1f3", "g8f6", "f3g1", "f6g8"}
	for _, tt := range []struct {
		times, ply int
		want       bool
	}{{1, 3, false}, {1, 4, false}, {1, 5, true}, {2, 1, true}} {
		var moves []string
		for range tt.times {
			moves = append(moves, there...)
		}
		w := laid(t, e, chess.StartFEN, moves...)
		if got := w.isDraw(tt.ply); got != tt.want {
			t.Errorf("the start position again after %d rounds, on ply %d: drawn %v, want %v", tt.times, tt.ply, got, tt.want)
		}
	}
}

// TestUpcomingRepetition: who can repeat has a draw at the least, and may have
// more.
func TestUpcomingRepetition(t *testing.T) {
	w := laid(t, engine(t), chess.StartFEN)
	for i, text := range []string{"a2a3", "a7a6", "g1f3", "g8f6", "f3g1"} {
		w.make(1+i, moveOf(t, w, text))
	}
	for _, tt := range []struct {
		alpha, beta, raised eval.Score
		done                bool
	}{{-100, 100, 0, false}, {-100, 0, 0, true}, {-100, -99, 0, true}, {50, 100, 50, false}} {
		n := &node{ply: 6, alpha: tt.alpha, beta: tt.beta}
		if score, done := w.settled(n); done != tt.done || n.alpha != tt.raised || done && score != 0 {
			t.Errorf("window %d to %d: settled %v with %d, alpha %d", tt.alpha, tt.beta, done, score, n.alpha)
		}
	}
}

// TestRepetitionBoundsTheResult: who can repeat is never below a draw, in the table neither.
func TestRepetitionBoundsTheResult(t *testing.T) {
	for depth := range Depth(4) {
		w := laid(t, engine(t), "6k1/6pp/8/8/8/8/1Q4PP/6K1 w - - 0 1")
		for i, text := range []string{"g1f1", "g8f8", "f1g1"} {
			w.make(1+i, moveOf(t, w, text))
		}
		score := w.search(4, depth, -2000, 2000, false)
		if tt := w.probe(4); score != draw || !tt.hit || tt.score < draw {
			t.Errorf("depth %d: a repetition scores %d, in the table %+v", depth, score, tt)
		}
	}
}

// TestEvasionsOfQuiescence: a mate that quiescence claims is one. In these
// positions the first evasions lose to a mating capture and a later one does
// not.
func TestEvasionsOfQuiescence(t *testing.T) {
	e := engine(t)
	for _, fen := range []string{
		"3k3r/Ppp2ppp/1b4bN/nPB5/B1P1n2N/P3P3/1p4PP/3R2K1 b - - 1 9",
		"5rk1/4p1b1/3R2PB/4P3/8/5KP1/3qR2r/8 w - - 6 41",
		"6k1/1p5p/p4rp1/8/P1P2R2/1Q6/3r1KBq/4R3 w - - 4 32",
		"4Q2k/6q1/6Rr/3pP3/3P1N2/6KP/8/8 b - - 4 43",
		"b3k2r/2pp1ppp/1p3n1N/BP6/B1P5/5Q2/P2P3P/4R1bK b - - 3 13",
	} {
		w := laid(t, e, fen)
		if score := w.quiesce(1, -infinity, infinity); isMate(score) && !honest(w.pos, score, -infinity, infinity) {
			t.Errorf("%s: quiescence says %d", fen, score)
		}
	}
}

// TestNullMove holds the null move to what it promises: none without pieces,
// none in a row, no mates, a bound from below.
func TestNullMove(t *testing.T) {
	e := engine(t)
	try := func(fen string, depth Depth, beta eval.Score, lay func(*worker, *node)) (eval.Score, bool) {
		w := laid(t, e, fen)
		n := ask(w, depth, beta)
		if lay != nil {
			lay(w, n)
		}
		return w.nullMove(n, w.at(1))
	}
	const ahead = "6k1/5ppp/8/8/8/8/Q4PPP/R5K1 w - - 0 1"
	if score, done := try(ahead, 4, 0, nil); !done || score < 0 || isMate(score) {
		t.Errorf("%s: a queen and a rook ahead: null move says %d, %v", ahead, score, done)
	}
	for _, tt := range []struct {
		name, fen string
		lay       func(*worker, *node)
	}{
		{"a pawn ending", "6k1/5p2/8/8/8/1PPP4/PPP5/1K6 w - - 0 1", nil},
		{"a pawn ending, Black", "1k6/ppp5/1ppp4/8/8/8/5P2/6K1 b - - 0 1", nil},
		{"after a null move", ahead, func(w *worker, _ *node) { w.at(0).move = chess.NoMove }},
		{"during its own verification", ahead, func(w *worker, _ *node) { w.nullFrom[chess.White] = 2 }},
		{"the table says that beta is not reached", ahead, func(_ *worker, n *node) { n.tt = entry{hit: true, bound: eval.Upper, score: n.beta - 1} }},
		{"a mate for beta", ahead, func(_ *worker, n *node) { n.beta = mated(30) }},
	} {
		if score, done := try(tt.fen, 4, -200, tt.lay); done {
			t.Errorf("%s: %s: the null move settles %d", tt.name, tt.fen, score)
		}
	}
	// The table says that the opponent is mated whatever it plays: still no proof
	// for a side that has passed.
	w := laid(t, e, ahead)
	n := ask(w, 6, 0)
	w.pos.MakeNull()
	e.table.store(w.pos.Key(), 2, entry{bound: eval.Upper, depth: 40, score: mated(10), eval: -n.raw})
	w.pos.Unmake()
	if score, done := w.nullMove(n, w.at(1)); !done || isMate(score) || score < n.beta {
		t.Errorf("%s: a null move that mates settles %d, %v", ahead, score, done)
	}
}
