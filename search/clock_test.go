package search

import (
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
)

// TestPlanStaysWithinTheClock tries clocks of all kinds: what the plan allows
// and the overhead never exceed what is left.
func TestPlanStaysWithinTheClock(t *testing.T) {
	const ms = time.Millisecond
	for _, left := range []time.Duration{-time.Second, 0, 1 * ms, 5 * ms, 11 * ms, 50 * ms, 100 * ms, time.Second, time.Minute, time.Hour} {
		for _, inc := range []time.Duration{0, 10 * ms, time.Second, time.Minute} {
			for _, moves := range []int{0, 1, 2, 5, 40, 1000} {
				for _, overhead := range []time.Duration{0, 10 * ms, time.Second} {
					soft, hard := plan(left, inc, moves, overhead)
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
			soft, hard := plan(left, tt.inc, togo, overhead)
			if left -= hard + 8*ms; left < 0 {
				t.Errorf("%s: move %d takes what it may: clock at %v", tt.name, move+1, left)
				break
			}
			left += hard - soft + 6*ms + tt.inc // the move took soft and 2 ms
		}
	}
}

func TestClockOfTheOtherSideDoesNotCount(t *testing.T) {
	c := clock{watch: &fakeWatch{}}
	c.set(&Limits{Timed: [2]bool{false, true}, Time: [2]time.Duration{0, time.Second}}, chess.White, 0)
	if c.limited {
		t.Error("White's search is limited by Black's clock")
	}
	c.set(&Limits{Timed: [2]bool{false, true}, Time: [2]time.Duration{0, time.Second}}, chess.Black, 0)
	if !c.limited {
		t.Error("Black's search is not limited by Black's clock")
	}
}
