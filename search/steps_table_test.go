package search

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/internal/must"
)

// Single steps of the table and its bounds. See steps_test.go.

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

// TestQuiescenceKeepsTheMark: that a position was once in an open window stays known
// when quiescence stores it again.
func TestQuiescenceKeepsTheMark(t *testing.T) {
	e := engine(t)
	for _, marked := range []bool{true, false} {
		w := laid(t, e, quietMiddlegame)
		e.table.store(w.pos.Key(), 1, entry{pv: marked, bound: Upper, score: 2000, eval: 0})
		w.search(1, 0, 700, 701, true)
		if got := e.table.probe(w.pos.Key(), 1); !got.hit || got.score == 2000 || got.pv != marked {
			t.Errorf("marked %v: stored again as %+v", marked, got)
		}
	}
}

// TestTableKeepsTheDeeperOfAPosition stores results of one position.
func TestTableKeepsTheDeeperOfAPosition(t *testing.T) {
	table, err := newTable(1)
	must.Succeed(t, err)
	const key = chess.Key(0x9e3779b97f4a7c15)
	table.store(key, 1, entry{bound: Lower, depth: 20, score: 50, move: 77})
	for _, tt := range []struct {
		name  string
		e     entry
		depth Depth
		move  chess.Move
		score eval.Score
	}{
		{"a shallow bound", entry{bound: Upper, depth: 3, score: 1}, 20, 77, 50},
		{"a shallow bound with a move", entry{bound: Lower, depth: 3, score: 2, move: 78}, 20, 78, 50},
		{"one nearly as deep, without a move", entry{bound: Upper, depth: 17, score: 3}, 17, 78, 3},
		{"a shallow exact score", entry{bound: Exact, depth: 2, score: 4}, 2, 78, 4},
	} {
		table.store(key, 1, tt.e)
		if got := table.probe(key, 1); got.depth != tt.depth || got.move != tt.move || got.score != tt.score {
			t.Errorf("after %s: %+v, want depth %d, move %v, score %d", tt.name, got, tt.depth, tt.move, tt.score)
		}
	}
}
