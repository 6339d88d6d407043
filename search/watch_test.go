package search

import (
	"sync"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/test/kit"
)

// fakeWatch is a watch that goes on by step each time it is looked at, so that
// time is counted in looks. Its timers never go off by themselves.
type fakeWatch struct {
	mu     sync.Mutex
	now    time.Time
	step   time.Duration
	looks  int
	timers []*fakeTimer
}

type fakeTimer struct {
	at      time.Time
	f       func()
	stopped bool
}

func (t *fakeTimer) Stop() bool {
	was := !t.stopped
	t.stopped = true
	return was
}

func (w *fakeWatch) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks++
	w.now = w.now.Add(w.step)
	return w.now
}

func (w *fakeWatch) AfterFunc(d time.Duration, f func()) timer {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := &fakeTimer{at: w.now.Add(d), f: f}
	w.timers = append(w.timers, t)
	return t
}

// sleep lets time pass without a look and the timers go off.
func (w *fakeWatch) sleep(d time.Duration) {
	w.mu.Lock()
	w.now = w.now.Add(d)
	var due []func()
	for _, t := range w.timers {
		if !t.stopped && !t.at.After(w.now) {
			t.stopped = true
			due = append(due, t.f)
		}
	}
	w.mu.Unlock()
	for _, f := range due {
		f()
	}
}

// timedEngine returns an engine whose watch goes on by a millisecond a look, so
// that a worker makes 512 nodes a millisecond.
func timedEngine(t testing.TB) (*Engine, *fakeWatch) {
	e := engine(t)
	w := &fakeWatch{now: time.Unix(1e9, 0), step: time.Millisecond}
	e.setWatch(w)
	return e, w
}

// Boards on which the first iteration alone takes seconds: quiescence finds no
// end of captures.
var crowded = []string{
	"2nQr2r/Pn1PP1BP/p2qNb1p/2bkq1Pp/5pP1/BpQN1pP1/2R1pR2/1K6 w - - 0 1",
	"q1RQq1b1/QNq2R1q/4qQ2/2q1b2n/1BQ2QK1/r1Q2qBq/1N2QQ2/2nQ1qrk w - - 0 1",
}

// TestHardLimitHoldsFromTheFirstNode counts the nodes of searches whose clock
// is set: none goes on for longer than a look at the clock after the hard
// limit, on any board, in any iteration, with any number of lines.
func TestHardLimitHoldsFromTheFirstNode(t *testing.T) {
	both := [2]bool{true, true}
	seconds := func(s time.Duration) [2]time.Duration { return [2]time.Duration{s * time.Second, s * time.Second} }
	positions := append([]string{chess.StartFEN, benchPositions[8], benchPositions[37]}, crowded...)
	for _, tt := range []struct {
		name   string
		limits Limits
		lines  int
		most   uint64 // milliseconds of the hard limit, each pollInterval nodes
	}{
		{"a node", Limits{Nodes: 1}, 1, 1},
		{"no time", Limits{Timed: both}, 1, 1},
		{"time long gone", Limits{Timed: both, Time: seconds(-5)}, 1, 1},
		{"movetime 1", Limits{MoveTime: time.Millisecond}, 1, 1},
		{"movetime 11", Limits{MoveTime: 11 * time.Millisecond}, 1, 11},
		{"movetime 50", Limits{MoveTime: 50 * time.Millisecond}, 1, 50},
		{"movetime 50, all lines", Limits{MoveTime: 50 * time.Millisecond}, 256, 50},
		{"one second", Limits{Timed: both, Time: seconds(1)}, 1, 120},
		{"one second, all lines", Limits{Timed: both, Time: seconds(1)}, 256, 120},
	} {
		for _, fen := range positions {
			e, _ := timedEngine(t)
			r, infos := collect(e, kit.Position(t, fen), tt.limits, Options{MultiPV: tt.lines})
			if r.Nodes > (tt.most+1)*pollInterval {
				t.Errorf("%s: %s: %d nodes, want at most %d", tt.name, fen, r.Nodes, (tt.most+1)*pollInterval)
			}
			last := lastLines(infos)[0]
			if p := kit.Position(t, fen); !p.IsLegal(r.Best) || last.Bound != eval.Exact || last.PV[0] != r.Best {
				t.Errorf("%s: %s: best move %v, last report %+v", tt.name, fen, r.Best, last)
			}
		}
	}
}

// TestStopBeforeTheFirstNode cuts searches off before the first move is searched: the move
// given is the one that would have been looked at first, not the first of the list.
func TestStopBeforeTheFirstNode(t *testing.T) {
	for _, tt := range []struct {
		fen, best string
		lines     int
	}{{"7k/8/8/3q4/4P3/8/8/K7 w - - 0 1", "e4d5", 1}, {chess.StartFEN, "", 1}, {crowded[1], "", 1}, {crowded[1], "", 256}} { // a queen hangs
		e := engine(t)
		r, infos := collect(e, kit.Position(t, tt.fen), Limits{Infinite: true}, Options{MultiPV: tt.lines}, e.Stop)
		if tt.best != "" && r.Best.String() != tt.best || r.Ponder != chess.NoMove || r.Depth != 1 || r.Nodes > 1 || tt.lines == 1 && len(infos) != 1 {
			t.Errorf("%s, %d lines: %+v after %d reports, want %s at depth 1 and one", tt.fen, tt.lines, r, len(infos), tt.best)
		}
		if in := infos[0]; in.Depth != 1 || in.SelDepth != 1 || len(in.PV) != 1 || in.PV[0] != r.Best {
			t.Errorf("%s: report %+v, want %v at depth 1", tt.fen, in, r.Best)
		}
	}
}

// TestMoveTimeIsUsed searches for the requested time, less the overhead, but for at least half of it.
func TestMoveTimeIsUsed(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct{ moveTime, overhead, want time.Duration }{
		{100 * ms, 40 * ms, 60 * ms}, {10 * ms, 10 * ms, 5 * ms}, {50 * ms, 5000 * ms, 25 * ms}, {1000 * ms, 0, 1000 * ms},
	} {
		e, w := timedEngine(t)
		began := w.now
		l := Limits{MoveTime: tt.moveTime, Start: began}
		e.Search(kit.Position(t, benchPositions[10]), l, Options{MoveOverhead: tt.overhead}, nil)
		if took := w.now.Sub(began); took < tt.want || took > tt.want+4*ms {
			t.Errorf("movetime %v, overhead %v: took %v, want %v", tt.moveTime, tt.overhead, took, tt.want)
		}
	}
}

// TestSoftLimit: a quiet position takes about the soft limit, and never the hard one.
func TestSoftLimit(t *testing.T) {
	k := DefaultParams()
	both := [2]bool{true, true}
	for _, fen := range []string{chess.StartFEN, benchPositions[3], benchPositions[9], benchPositions[17]} {
		e, w := timedEngine(t)
		began := w.now
		left := 9 * time.Second
		e.Search(kit.Position(t, fen), Limits{Timed: both, Time: [2]time.Duration{left, left}, Start: began}, Options{}, nil)
		soft, hard := plan(left, 0, 0, 0, &k)
		if took := w.now.Sub(began); took < soft/8 || took >= hard {
			t.Errorf("%s: took %v, soft limit %v, hard %v", fen, took, soft, hard)
		}
	}
}

// TestOneLegalMove gives it after a tenth of the soft limit.
func TestOneLegalMove(t *testing.T) {
	e, w := timedEngine(t)
	began := w.now
	p := kit.Position(t, "1r5k/8/8/8/8/8/8/K7 w - - 0 1")
	if n := len(rootMoves(p, nil)); n != 1 {
		t.Fatalf("%d legal moves, want 1", n)
	}
	both := [2]bool{true, true}
	e.Search(p, Limits{Timed: both, Time: [2]time.Duration{time.Minute, time.Minute}, Start: began}, Options{}, nil)
	soft, _ := plan(time.Minute, 0, 0, 0, &e.params)
	if took := w.now.Sub(began); took > soft/5 {
		t.Errorf("one legal move: took %v, soft limit %v", took, soft)
	}
}

// TestFactor stretches the soft limit by what the iterations tell.
func TestFactor(t *testing.T) {
	w := engine(t).workers[0]
	w.prepare(chess.NewPosition(), rootMoves(chess.NewPosition(), nil))
	judge := func(share float64, scores ...int) float64 {
		w.nodes, w.roots[0].nodes, w.depth = 1000, uint64(1000*share), 10
		var e effort
		f := 0.0
		for _, s := range scores {
			w.roots[0].shown = eval.Score(s)
			f = e.factor(w)
		}
		return f
	}
	steady := []int{20, 20, 20, 20, 20, 20, 20, 20, 20}
	if easy, hard := judge(0.9, steady...), judge(0.2, steady...); easy >= hard || easy > 0.6 {
		t.Errorf("factor %v where the best move took most nodes, %v where it did not", easy, hard)
	}
	if up, calm, down := judge(0.5, 20, 20, 60), judge(0.5, 20, 20, 20), judge(0.5, 20, 20, -60); up >= calm || calm >= down {
		t.Errorf("factor %v with a rising score, %v with a steady one, %v with a falling one", up, calm, down)
	}
	if fresh, settled := judge(0.5, 20, 20), judge(0.5, steady...); settled >= fresh {
		t.Errorf("factor %v after two iterations, %v after nine with the same move", fresh, settled)
	}
}

// TestTimerStopsTheSearch lets no worker look at the clock: the timer alone
// ends the search at the hard limit, and one of an earlier search does not.
func TestTimerStopsTheSearch(t *testing.T) {
	e := engine(t)
	w := &fakeWatch{now: time.Unix(1e9, 0)} // stands still
	e.setWatch(w)
	p := chess.NewPosition()
	e.Search(p, Limits{MoveTime: time.Second, Depth: 1}, Options{}, nil)
	if len(w.timers) != 1 || !w.timers[0].stopped {
		t.Fatalf("a search that ended early leaves its timer: %+v", w.timers)
	}
	old := w.timers[0].f
	done, search := make(chan Result), e.Prepare(p, Limits{MoveTime: time.Minute}, Options{}, nil)
	go func() { done <- search() }()
	w.awaitTimer(2)
	old()
	w.sleep(59 * time.Second)
	old()
	if e.stopped.Load() {
		t.Error("stopped before its time")
	}
	w.sleep(time.Second)
	if r := <-done; !p.IsLegal(r.Best) {
		t.Errorf("best move %v", r.Best)
	}
}

func (w *fakeWatch) awaitTimer(n int) {
	for {
		w.mu.Lock()
		set := len(w.timers)
		w.mu.Unlock()
		if set >= n {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestPonderHit starts the clock where the time of pondering was not enough,
// and gives the move at once where it was.
func TestPonderHit(t *testing.T) {
	both := [2]bool{true, true}
	for _, tt := range []struct {
		name     string
		limits   Limits
		pondered time.Duration
		atOnce   bool
		most     time.Duration // after the hit
	}{
		{"short, then the hard limit", Limits{Ponder: true, Timed: both, Time: [2]time.Duration{36 * time.Second, 36 * time.Second}}, time.Millisecond, false, 10 * time.Second},
		{"long enough", Limits{Ponder: true, Timed: both, Time: [2]time.Duration{36 * time.Second, 36 * time.Second}}, 20 * time.Second, true, 0},
		{"movetime runs from the hit", Limits{Ponder: true, MoveTime: 3 * time.Second}, time.Minute, false, 3 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := engine(t)
			w := &fakeWatch{now: time.Unix(1e9, 0)}
			e.setWatch(w)
			p := chess.NewPosition()
			deep := make(chan bool)
			told := false
			done := make(chan Result)
			search := e.Prepare(p, tt.limits, Options{}, func(i Info) {
				if i.Depth >= 3 && !told {
					told = true
					close(deep)
				}
			})
			go func() { done <- search() }()
			<-deep // the third iteration ends: the soft limit is known
			w.sleep(tt.pondered)
			if e.stopped.Load() {
				t.Fatal("the clock runs while pondering")
			}
			e.PonderHit()
			if e.stopped.Load() != tt.atOnce {
				t.Fatalf("stopped at the hit: %v, want %v", !tt.atOnce, tt.atOnce)
			}
			if !tt.atOnce {
				w.sleep(tt.most)
			}
			<-done
		})
	}
}

// TestPlanStaysWithinTheClock tries clocks of all kinds: what the plan allows and the
// overhead never exceed what is left. More time on the clock, a larger increment or a
// smaller overhead never give less.
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
					for _, more := range [][3]time.Duration{{left + ms, inc, overhead}, {left, inc + ms, overhead}, {left, inc, overhead - ms}} {
						if s, h := plan(more[0], more[1], moves, more[2], &k); s < soft || h < hard {
							t.Errorf("moves %d: soft %v, hard %v with %v, but %v and %v with %v", moves, s, h, more, soft, hard, [...]any{left, inc, overhead})
						}
					}
				}
			}
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

// TestEmptyClock: with nothing left, or all of it held back, a search has time for its first iterations.
func TestEmptyClock(t *testing.T) {
	c, k := clock{watch: &fakeWatch{}}, DefaultParams()
	for _, left := range []time.Duration{-time.Second, 0, 10 * time.Millisecond} {
		c.set(&Limits{Timed: [2]bool{true, true}, Time: [2]time.Duration{left, left}}, chess.White, 10*time.Millisecond, &k)
		if c.soft != 0 || c.hard != leastTime {
			t.Errorf("%v left: soft %v, hard %v", left, c.soft, c.hard)
		}
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
