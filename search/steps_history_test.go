package search

import (
	"cmp"
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/movegen"
)

// Single steps of histories, corrections and the order of moves. See steps_test.go.

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
		w.at(0).continuation, w.at(-1).continuation = &w.history.continuation[0][7], &w.history.continuation[0][9]
		m := moveOf(t, w, "h7h6")
		tt.set(w, m, pieceToOf(w.pos, m)%pieceTos)
		if rank := quietRank(w, 1, m); rank != 0 {
			t.Errorf("history by %s: %d quiet moves before the best", tt.name, rank)
		}
	}
}

// TestContinuationByKind: answers to a capture are learnt apart from those to a quiet move
// of the same piece to the same square.
func TestContinuationByKind(t *testing.T) {
	w := laid(t, engine(t), "6k1/8/8/3p4/8/8/3R4/6K1 w - - 0 1")
	capture := moveOf(t, w, "d2d5")
	w.make(1, capture)
	w.at(1).continuation[3].add(1000)
	w.pos.Unmake()
	w.pos.CopyFrom(testkit.Position(t, "6k1/8/8/8/8/8/3R4/6K1 w - - 0 1"))
	w.make(1, capture)
	if got := w.at(1).continuation[3]; got != 0 {
		t.Errorf("a quiet move has the history %d of a capture, want 0", got)
	}
}

// TestCameQuietly plays a move of each kind: those that are not quiet moves of the
// search earn nothing for having led here.
func TestCameQuietly(t *testing.T) {
	e := engine(t)
	for _, tt := range []struct {
		fen, move string
		want      bool
	}{
		{"4k3/P6p/8/8/8/6p1/7P/4K2R w K - 0 1", "h1f1", true},
		{"4k3/P6p/8/8/8/6p1/7P/4K2R w K - 0 1", "e1g1", true},
		{"4k3/P6p/8/8/8/6p1/7P/4K2R w K - 0 1", "h2g3", false},
		{"4k3/P6p/8/8/8/6p1/7P/4K2R w K - 0 1", "a7a8q", false},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", false},
		{"4k3/P6p/8/8/8/6p1/7P/4K2R w K - 0 1", "", false},
	} {
		w := e.workers[0]
		p := testkit.Position(t, tt.fen)
		w.prepare(p, rootMoves(p, nil))
		if w.cameQuietly(0) {
			t.Errorf("%s: a quiet move of the search led to the root", tt.fen)
		}
		if tt.move == "" {
			w.makeNull(0)
		} else {
			m := testkit.Move(t, p, tt.move)
			w.make(0, m)
		}
		if got := w.cameQuietly(1); got != tt.want {
			t.Errorf("%s after %q: quiet %v, want %v", tt.fen, tt.move, got, tt.want)
		}
	}
}

// TestPiecesKey: the key depends on each piece of one side, and on nothing else.
func TestPiecesKey(t *testing.T) {
	e := engine(t)
	key := func(fen string) uint64 {
		w := laid(t, e, fen)
		return w.piecesKey(chess.White)
	}
	base := key("4k3/pp6/8/8/8/8/PP6/RNBQK3 w - - 0 1")
	for fen, same := range map[string]bool{
		"4k3/pp6/8/8/8/8/P1P5/RNBQK3 w - - 0 1":  true,
		"3k1n2/p7/8/8/8/8/PP6/RNBQK3 b - - 0 1":  true,
		"4k3/pp6/8/8/8/2N5/PP6/R1BQK3 w - - 0 1": false,
		"4k3/pp6/8/8/8/2B5/PP6/RN1QK3 w - - 0 1": false,
		"4k3/pp6/8/8/8/2R5/PP6/1NBQK3 w - - 0 1": false,
		"4k3/pp6/8/8/8/2Q5/PP6/RNB1K3 w - - 0 1": false,
		"4k3/pp6/8/8/8/2K5/PP6/RNBQ4 w - - 0 1":  false,
	} {
		if got := key(fen); (got == base) != same {
			t.Errorf("%s: key %#x, want that of the first position, %#x: %v", fen, got, base, same)
		}
	}
}

// TestPriorMove: the quiet move that led to a node earns a bonus where the node finds no
// move, and loses where it fails high, if it was among the first of its own node.
func TestPriorMove(t *testing.T) {
	w := laid(t, engine(t), quietMiddlegame)
	cut, early := moveOf(t, w, "f8e7"), w.params.PriorMoves
	for _, tt := range []struct {
		name  string
		best  eval.Score // beta is 100
		move  chess.Move
		count int
		quiet bool
		want  int // the sign of what it earns
	}{
		{"a node without a good move", 0, chess.NoMove, early + 1, true, 1},
		{"a result of beta", 100, cut, early, true, -1},
		{"a result above beta", 300, cut, 1, true, -1},
		{"a result below beta", 99, cut, 1, true, 0},
		{"a late move", 300, cut, early + 1, true, 0},
		{"no good move after a null move", 0, chess.NoMove, 1, false, 0},
		{"a cut after a null move", 300, cut, 1, false, 0},
	} {
		const moved = 7
		before, prev := w.at(-1), w.at(0)
		before.move, before.continuation = chess.NewMove(1, 2, chess.Normal), &w.history.continuation[0][5]
		prev.move, prev.moved, prev.count = before.move, moved, tt.count
		if !tt.quiet {
			prev.move = chess.NoMove
		}
		before.continuation[moved] = 0
		n := ask(w, 6, 100)
		n.best, n.bestMove = tt.best, tt.move
		w.conclude(n, w.at(1), &tried{})
		if got := int(before.continuation[moved]); cmp.Compare(got, 0) != tt.want {
			t.Errorf("%s: the move before earns %d, want the sign of %d", tt.name, got, tt.want)
		}
	}
}

// quietRank returns how many quiet moves come before m.
func quietRank(w *worker, ply int, m chess.Move) int {
	pk := w.newPicker(ply, chess.NoMove, 0, false)
	rank := 0
	for got := w.pick(&pk); got != chess.NoMove && got != m; got = w.pick(&pk) {
		if pk.stage == stageQuiets {
			rank++
		}
	}
	return rank
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
