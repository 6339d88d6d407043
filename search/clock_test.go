package search

import (
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
)

// TestPlanStaysWithinTheClock tries clocks of all kinds: what the plan allows
// and the overhead never exceed what is left.
func TestPlanStaysWithinTheClock(t *testing.T) {
	k := DefaultParams()
	const ms = time.Millisecond
	for _, left := range []time.Duration{-time.Second, 0, 1 * ms, 5 * ms, 11 * ms, 50 * ms, 100 * ms, time.Second, time.Minute, time.Hour} {
		for _, inc := range []time.Duration{0, 10 * ms, time.Second, time.Minute} {
			for _, moves := range []int{0, 1, 2, 5, 40, 1000} {
				for _, overhead := range []time.Duration{0, 10 * ms, time.Second} {
					soft, hard := plan(left, inc, moves, overhead, &k)
					if soft < 0 || soft > hard || hard > max(0, left-overhead) {
						t.Errorf("left %v inc %v moves %d overhead %v: soft %v hard %v", left, inc, moves, overhead, soft, hard)
					}
				}
			}
		}
	}
}

// TestGameNeverRunsOut plays out clocks: at each move there must be time for all
// that the plan allows and most of the overhead; the game goes on after a move
// of usual length and delay.
func TestGameNeverRunsOut(t *testing.T) {
	k := DefaultParams()
	const ms = time.Millisecond
	for _, tt := range []struct {
		name      string
		left, inc time.Duration
		session   int // moves to the next time control, 0 for none
	}{
		{"1+0.01", time.Second, 10 * ms, 0},
		{"3+0.03", 3 * time.Second, 30 * ms, 0},
		{"5+0", 5 * time.Second, 0, 0},
		{"40/4", 4 * time.Second, 0, 40},
		{"40/4+0.01", 4 * time.Second, 10 * ms, 40},
	} {
		left := tt.left
		for move := range 250 {
			togo := 0
			if tt.session > 0 {
				togo = tt.session - move%tt.session
				if move > 0 && move%tt.session == 0 {
					left += tt.left
				}
			}
			const overhead = 10 * ms
			soft, hard := plan(left, tt.inc, togo, overhead, &k)
			if left -= hard + 8*ms; left < 0 {
				t.Errorf("%s: move %d takes what it may: clock at %v", tt.name, move+1, left)
				break
			}
			left += hard - soft + 6*ms + tt.inc // the move took soft and 2 ms
		}
	}
}

func TestClockOfTheOtherSideDoesNotCount(t *testing.T) {
	c, k := clock{watch: &fakeWatch{}}, DefaultParams()
	c.set(&Limits{Timed: [2]bool{false, true}, Time: [2]time.Duration{0, time.Second}}, chess.White, 0, &k)
	if c.limited {
		t.Error("White's search is limited by Black's clock")
	}
	c.set(&Limits{Timed: [2]bool{false, true}, Time: [2]time.Duration{0, time.Second}}, chess.Black, 0, &k)
	if !c.limited {
		t.Error("Black's search is not limited by Black's clock")
	}
}

// TestNodeTime searches by a clock that nodes drive: twice alike, to the same
// node, no longer than the hard limit allows, and further where a node counts for less.
func TestNodeTime(t *testing.T) {
	e := engine(t)
	p, k := chess.NewPosition(), DefaultParams()
	think := func(perMS int) Result {
		e.Clear()
		both := [2]time.Duration{time.Second, time.Second}
		return e.Search(p, Limits{NodeTime: perMS, Timed: [2]bool{true, true}, Time: both, Start: time.Now()}, Options{}, nil)
	}
	_, hard := plan(time.Second, 0, 0, 0, &k)
	one, again, more := think(100), think(100), think(1000)
	if one != again {
		t.Errorf("by nodes %+v, the second time %+v", one, again)
	}
	if most := uint64(hard.Milliseconds()+1) * 100; one.Nodes == 0 || one.Nodes > most {
		t.Errorf("%d nodes at 100 a millisecond, want at most %d", one.Nodes, most)
	}
	if more.Nodes < 3*one.Nodes {
		t.Errorf("%d nodes at 1000 a millisecond, %d at 100", more.Nodes, one.Nodes)
	}
	if r := e.Search(p, Limits{NodeTime: 100, MoveTime: 50 * time.Millisecond}, Options{}, nil); r.Nodes != 5000 {
		t.Errorf("movetime 50 at 100 nodes a millisecond: %d nodes, want 5000", r.Nodes)
	}
}
