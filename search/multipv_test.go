package search

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/test/kit"
)

// lastLines returns the last report of each line.
func lastLines(infos []Info) []Info {
	n := 0
	for i := len(infos) - 1; i >= 0; i-- {
		if n++; infos[i].MultiPV == 1 {
			return infos[len(infos)-n:]
		}
	}
	return nil
}

// TestLinesComeInOrder cuts searches of all lines off at many moments: the last
// report of each move stands in the order of the scores, each move once, and
// the first is the move given.
func TestLinesComeInOrder(t *testing.T) {
	e := engine(t)
	positions := append([]string{kiwipete}, benchPositions[:]...)
	if testing.Short() {
		positions = positions[:12]
	}
	for _, fen := range positions {
		for _, nodes := range []uint64{50, 700, 3000, 9000, 20000} {
			e.Clear()
			p := kit.Position(t, fen)
			r, infos := collect(e, p, Limits{Nodes: nodes}, Options{MultiPV: 256})
			lines := lastLines(infos)
			seen := map[chess.Move]bool{}
			for i, line := range lines {
				checkLine(t, fen, line)
				if seen[line.PV[0]] || line.MultiPV != i+1 {
					t.Errorf("%s, %d nodes: line %d of %v is number %d or repeats", fen, nodes, i+1, line.PV, line.MultiPV)
				}
				seen[line.PV[0]] = true
				if i > 0 && line.Score > lines[i-1].Score {
					t.Errorf("%s, %d nodes: line %d scores %d, the one before %d", fen, nodes, i+1, line.Score, lines[i-1].Score)
				}
			}
			if len(lines) == 0 || lines[0].PV[0] != r.Best {
				t.Errorf("%s, %d nodes: best %v, lines %v", fen, nodes, r.Best, lines)
			}
		}
	}
}

// TestLinesOfMatesAreBounded ends a search in which many lines are mates that
// were cut short: completing all of them takes no longer than one may.
func TestLinesOfMatesAreBounded(t *testing.T) {
	e := engine(t)
	w := e.workers[0]
	for _, fen := range []string{
		"k7/8/8/8/8/8/1RR5/1QQ4K w - - 0 1", "7k/8/5K2/8/8/8/QQQ5/8 w - - 0 1", "8/8/8/8/7k/8/QQ6/KQ6 w - - 0 1",
	} {
		e.Clear()
		p := kit.Position(t, fen)
		e.Search(p, Limits{Depth: 10}, Options{MultiPV: 256}, nil)
		mates := 0
		for i := range w.roots {
			if r := &w.roots[i]; isMate(r.shown) {
				mates++
				r.length = min(r.length, 1)
			}
		}
		e.table.clear() // so that each needs a search
		e.stopped.Store(true)
		w.halted = true
		budget, spent := uint64(completionNodes), uint64(0)
		for i := range w.roots {
			n := w.complete(&w.roots[i], budget)
			budget -= min(budget, n)
			spent += n
		}
		if most := uint64(completionNodes + 2*len(w.roots)); spent > most || mates < 20 {
			t.Errorf("%s: %d mates completed in %d nodes, want at most %d", fen, mates, spent, most)
		}
	}
}

// TestFailHighKeepsTheLine notes a root move that failed high, whose answer is
// not known: the line of the iteration before stands. A mate needs its own.
func TestFailHighKeepsTheLine(t *testing.T) {
	w := engine(t).workers[0]
	w.prepare(chess.NewPosition(), rootMoves(chess.NewPosition(), nil))
	r := &w.roots[0]
	for _, tt := range []struct {
		score       eval.Score
		beta        eval.Score
		child, want int // plies of the lines
	}{
		{50, 40, 0, 5}, {50, 60, 0, 1}, {50, 40, 7, 8}, {mate - 5, 40, 0, 1},
	} {
		r.length = 5
		w.at(1).length = tt.child
		w.noteRoot(&node{move: r.move, count: 1, alpha: 0, beta: tt.beta}, tt.score, 1)
		if r.length != tt.want || r.shown != tt.score {
			t.Errorf("score %d, beta %d, %d plies known: a line of %d, want %d", tt.score, tt.beta, tt.child, r.length, tt.want)
		}
	}
	if r.nodes != 4 {
		t.Errorf("%d nodes for four moves of one node each", r.nodes)
	}
}

// TestRankLines ranks lines by hand, the first of which an iteration that was
// cut off has finished: no line of the iteration before overtakes them but a
// mate.
func TestRankLines(t *testing.T) {
	w := engine(t).workers[0]
	p := kit.Position(t, "7k/8/8/8/8/8/8/K5R1 w - - 0 1")
	for _, tt := range []struct {
		name         string
		ranked       int
		scores, want []eval.Score
		order        []int
	}{
		{"all finished", 4, []eval.Score{50, 40, 30, 20}, []eval.Score{50, 40, 30, 20}, []int{0, 1, 2, 3}},
		{"two finished", 2, []eval.Score{50, 40, 60, 55}, []eval.Score{50, 40, 40, 40}, []int{0, 1, 2, 3}},
		{"none finished", 0, []eval.Score{-50, 0, 10, -90}, []eval.Score{-50, -50, -50, -90}, []int{0, 1, 2, 3}},
		{"a mate that cannot be shown", 4, []eval.Score{mate - 3, 40, 30, 20}, []eval.Score{eval.Limit, 40, 30, 20}, []int{0, 1, 2, 3}},
		{"lost by tables", 2, []eval.Score{50, 9 - tableWin, 60, 55}, []eval.Score{50, 9 - tableWin, 9 - tableWin, 9 - tableWin}, []int{0, 1, 2, 3}},
		{"mated is last", 4, []eval.Score{50, 40, mated(100), 20}, []eval.Score{50, 40, 20, -eval.Limit}, []int{0, 1, 3, 2}},
	} {
		moves := rootMoves(p, nil)
		w.prepare(p, moves)
		w.halted = true
		for i, s := range tt.scores {
			r := &w.roots[i]
			r.shown, r.length, r.line[0] = s, 1, r.move
		}
		w.ranked = tt.ranked
		w.rankLines(len(tt.scores))
		for i := range tt.scores {
			if r := &w.roots[i]; r.shown != tt.want[i] || r.move != moves[tt.order[i]] {
				t.Errorf("%s: line %d is %v at %d, want %v at %d", tt.name, i+1, r.move, r.shown, moves[tt.order[i]], tt.want[i])
			}
		}
	}
}

// TestRankMated leaves moves out that a search which was cut off has ranked
// behind one that is mated: their old lines do not show that mate.
func TestRankMated(t *testing.T) {
	w := engine(t).workers[0]
	p := kit.Position(t, "6k1/8/8/8/8/1r6/r6P/7K w - - 0 1")
	w.prepare(p, rootMoves(p, nil))
	w.halted, w.ranked = true, 1
	for i := range w.roots {
		r := &w.roots[i]
		r.shown, r.length, r.line[0] = 10, 1, r.move
	}
	first := &w.roots[0]
	first.shown, first.length, first.line[1] = mated(2), 2, chess.NewMove(chess.B3, chess.B1, chess.Normal)
	w.rankLines(len(w.roots))
	if r := &w.roots[0]; r.shown != mated(2) || r.length != 2 {
		t.Errorf("the first line has %d plies at %d, want 2 at %d", r.length, r.shown, mated(2))
	}
	for i := range w.roots[1:] {
		if r := &w.roots[1+i]; r.length != 0 {
			t.Errorf("line %d is %v of %d plies at %d, want none", i+2, r.move, r.length, r.shown)
		}
	}
}

// TestCutOffBeforeAllMoves cuts an iteration off after its first move, which is mated earlier than the iteration before
// said. Others that were not tried may last longer, so that the earlier result stands; where there is none, the
// position is lost, and no more is said.
func TestCutOffBeforeAllMoves(t *testing.T) {
	w := engine(t).workers[0]
	p := kit.Position(t, "8/8/R4k2/8/8/bP3K2/8/3R4 b - - 0 9")
	for _, tt := range []struct {
		name   string
		ranked int
		last   eval.Score
		length int // of the earlier line
		want   eval.Score
	}{
		{"an earlier score", 0, -700, 1, -700}, {"nothing earlier", 0, -infinity, 0, -eval.Limit},
		{"after all moves", 1, -700, 1, mated(8)},
	} {
		w.prepare(p, rootMoves(p, nil))
		w.depth, w.ranked, w.halted = 9, tt.ranked, true
		r := &w.roots[0]
		w.last = *r
		w.last.shown, w.last.depth, w.last.length, w.last.line[0] = tt.last, 8, tt.length, r.move
		r.shown, r.depth, r.length, r.line[0] = mated(8), 9, 1, r.move
		w.withdraw()
		if r.shown != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, r.shown, tt.want)
		}
	}
}

// TestNobodyIsMatedTooEarly repeats searches that were cut off when one move had been tried, and then said that Black
// is mated in four moves. It takes five.
func TestNobodyIsMatedTooEarly(t *testing.T) {
	e := engine(t)
	p := kit.Position(t, "8/8/R4k2/8/8/bP3K2/8/3R4 b - - 0 9")
	bishop := chess.NewMove(chess.A3, chess.D6, chess.Normal)
	for _, nodes := range [][2]uint64{{13457, 4735}, {11945, 3710}, {11934, 4352}} {
		e.Clear()
		e.Search(p, Limits{Nodes: nodes[0], SearchMoves: []chess.Move{bishop}}, Options{}, nil)
		_, infos := collect(e, p, Limits{Nodes: nodes[1]}, Options{})
		last := infos[len(infos)-1]
		if n, ok := last.Score.MateIn(); ok && -5 < n && n < 0 {
			t.Errorf("%d nodes: mated in %d: %v", nodes[1], -n, last.PV)
		}
		checkLine(t, p.FEN(), last)
	}
}

// TestAnalysisKeepsExactLines: neither a bound nor a report without a line is a result.
func TestAnalysisKeepsExactLines(t *testing.T) {
	one, other := []chess.Move{1, 2}, []chess.Move{3}
	var a Analysis
	for _, in := range []Info{
		{MultiPV: 1, Score: 5, Depth: 4, PV: one}, {MultiPV: 2, Score: 3, PV: other}, {MultiPV: 1, Score: 77, Depth: 5, Bound: eval.Lower, PV: other}, {MultiPV: 1, Score: 9},
	} {
		a.keep(&in)
	}
	if d := cmp.Diff([]Variation{{5, 4, one}, {3, 0, other}}, a.Lines); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
