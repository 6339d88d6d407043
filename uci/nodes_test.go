package uci

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/search"
)

// TestNodesTime: with nodestime the first clock of a game counts, less what each side
// searched, and the GUI's clock where that is another one's.
func TestNodesTime(t *testing.T) {
	// The stand-in searches one node each time, a thousandth of a second here.
	e := &fakeEngine{nodes: 1}
	script(t, e, testConfig, "setoption name nodestime value 1\n"+
		"go wtime 100 btime 100 winc 5\nwait\n"+ // 100
		"go wtime 50 btime 50 winc 5\nwait\n"+ // 100 - 1 + 5
		"position startpos moves e2e4\ngo wtime 50 btime 60\nwait\n"+ // Black's 60
		"go wtime 50 btime 7 movestogo 3\nwait\n"+ // the GUI's 7
		"go wtime 50 btime 7\nwait\n"+ // 60 - 1
		"go movetime 9\nwait\n"+
		"ucinewgame\ngo wtime 33 btime 44\nwait\n"+
		"setoption name nodestime value 0\ngo wtime 22 btime 11\nwait\n")
	type clock struct{ white, black, nodes int }
	var got []clock
	for _, l := range e.limits {
		got = append(got, clock{int(l.Time[chess.White].Milliseconds()), int(l.Time[chess.Black].Milliseconds()), l.NodeTime})
	}
	want := []clock{{100, 100, 1}, {104, 50, 1}, {50, 60, 1}, {50, 7, 1}, {50, 59, 1}, {0, 0, 1}, {33, 44, 1}, {22, 11, 0}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(clock{})); d != "" {
		t.Errorf("clocks (-want +got):\n%s", d)
	}
}

// TestNodesTimeRepeats: with nodestime the engine plays the same game twice by a clock
// that runs otherwise.
func TestNodesTimeRepeats(t *testing.T) {
	game := func(passed time.Duration) (moves []chess.Move) {
		e, err := search.NewEngine(1)
		must.Succeed(t, err)
		c := nodeClock{perMS: 100}
		p := chess.NewPosition()
		left := 200 * time.Millisecond
		for len(moves) < 16 {
			l := search.Limits{Timed: [2]bool{true, true}, Time: [2]time.Duration{left, left}}
			taken := c.wind(&l, p.SideToMove())
			r := e.Search(p, l, search.Options{}, nil)
			taken(r.Nodes)
			moves = append(moves, r.Best)
			p.Make(r.Best)
			if len(moves) >= 2 { // both sides have heard their time
				left -= passed
			}
		}
		if c.left[0] <= 0 || c.left[0] >= 200*time.Millisecond {
			t.Errorf("White has %v left of 200ms", c.left[0])
		}
		return moves
	}
	if d := cmp.Diff(game(0), game(10*time.Millisecond)); d != "" {
		t.Errorf("(-slow clock +fast clock):\n%s", d)
	}
}
