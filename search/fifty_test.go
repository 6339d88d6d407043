package search

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestTableMatesObeyTheFiftyMoves leaves a mate in the table that the same
// pieces with a later clock have no time for: neither a search nor quiescence
// takes it at its word.
func TestTableMatesObeyTheFiftyMoves(t *testing.T) {
	w := engine(t).workers[0]
	root := kit.Position(t, "8/8/8/3k4/8/8/8/KQ6 b - - 87 80")
	w.prepare(root, rootMoves(root, nil))
	w.make(0, chess.NewMove(chess.D5, chess.D4, chess.Normal))
	queen := chess.NewMove(chess.B1, chess.B2, chess.Normal)
	raw := w.evaluate()
	for bound, window := range map[eval.Bound][2]eval.Score{eval.Exact: {400, 401}, eval.Lower: {mate - 50, mate - 49}} {
		w.engine.table.store(w.pos.Key(), 1, entry{bound: bound, depth: 40, score: mate - 16, move: queen, eval: raw})
		if tt := w.probe(1); tt.score != eval.Limit {
			t.Errorf("bound %d: the table gives %d, want %d", bound, tt.score, eval.Limit)
		}
		if score := w.quiesce(1, window[0], window[1]); isMate(score) {
			t.Errorf("bound %d: quiescence returns %d, a mate that there is no time for", bound, score)
		}
	}
}

// TestObeyFifty takes mates out of scores of the table by the plies left.
func TestObeyFifty(t *testing.T) {
	for _, tt := range []struct {
		score      eval.Score
		clock, ply int
		want       eval.Score
	}{
		{mate - 9, 0, 0, mate - 9}, {mate - 9, 91, 0, mate - 9}, {mate - 9, 92, 0, eval.Limit},
		{mate - 9, 92, 1, mate - 9}, // eight plies from the node
		{mated(8), 92, 0, mated(8)}, {mated(8), 93, 0, -eval.Limit},
		{tableWin - 9, 91, 0, tableWin - 9}, {tableWin - 9, 92, 0, eval.Limit}, {9 - tableWin, 92, 0, -eval.Limit},
		{tableWin - 9, 92, 1, tableWin - 9}, {9 - tableWin, 91, 0, 9 - tableWin},
		{300, 99, 0, 300}, {-300, 99, 0, -300}, {0, 99, 0, 0}, {mate - 9, 5000, 0, eval.Limit},
	} {
		e := entry{hit: true, score: tt.score}
		if e.obeyFifty(tt.clock, tt.ply); e.score != tt.want {
			t.Errorf("%d at clock %d on ply %d becomes %d, want %d", tt.score, tt.clock, tt.ply, e.score, tt.want)
		}
	}
}

// TestCorrectionIsNotTheDamping evaluates with empty histories: the clock draws
// the evaluation to zero, but nothing has been corrected.
func TestCorrectionIsNotTheDamping(t *testing.T) {
	w := engine(t).workers[0]
	p := kit.Position(t, "4k3/8/8/8/8/8/8/KQ6 w - - 60 90")
	w.prepare(p, rootMoves(p, nil))
	n := node{ply: 1}
	w.static(&n, w.at(1))
	if n.raw < 300 || w.at(1).static >= n.raw || n.correction != 0 {
		t.Errorf("raw %d, static %d, correction %d; want it large, less, 0", n.raw, w.at(1).static, n.correction)
	}
	w.learn(1, 10, -200)
	w.static(&n, w.at(1))
	if n.correction == 0 {
		t.Error("what was learnt does not correct")
	}
}

// TestRecaptures tells a capture on the square of the move before from one on
// a1 after a null move.
func TestRecaptures(t *testing.T) {
	p := kit.Position(t, "4k3/8/8/8/8/2b5/8/R4K2 b - - 0 1")
	m := kit.Move(t, p, "c3a1")
	if recaptures(p, m) {
		t.Error("a capture at the start of the game recaptures")
	}
	p = kit.Position(t, "4k3/8/8/8/8/2b5/8/1R3K2 w - - 0 1", "b1a1")
	if !recaptures(p, m) {
		t.Error("a capture of the piece that has just moved does not recapture")
	}
	p = kit.Position(t, "4k3/8/8/8/8/2b5/8/R4K2 w - - 0 1")
	if p.MakeNull(); recaptures(p, m) {
		t.Error("a capture on a1 after a null move recaptures")
	}
}

// TestVerificationLearnsNothingTwice searches a node as the verification of a
// null move does: what the move before it is worth has been noted by then.
func TestVerificationLearnsNothingTwice(t *testing.T) {
	w := engine(t).workers[0]
	p := kit.Position(t, benchPositions[8])
	m := rootMoves(p, nil)[0]
	for _, verifying := range []bool{false, true} {
		w.forget()
		w.prepare(p, rootMoves(p, nil))
		prev := w.at(0)
		attacks := *w.enemyAttacks(0)
		w.make(0, m)
		prev.static, prev.attacksKnown, prev.attacks = 300, true, attacks
		entry := &w.history.quiet[p.SideToMove()][attacks.index(m)][m&4095]
		w.at(1).verifying = verifying
		w.search(1, 1, 0, 1, true)
		if (*entry == 0) != verifying {
			t.Errorf("verifying %v: the entry of the move before is %d", verifying, *entry)
		}
	}
}
