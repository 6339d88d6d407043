package search

import (
	"testing"

	"github.com/tabula-chess/tabula/eval"
)

// Single steps of reductions. See steps_test.go.

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
