package search

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// watch is the source of time. Tests use a fake one.
type watch interface {
	Now() time.Time
	// AfterFunc calls f once d has passed, on a goroutine of its own.
	AfterFunc(d time.Duration, f func()) timer
}

// timer is a pending call of a watch.
type timer interface{ Stop() bool }

// wallWatch is the system clock.
type wallWatch struct{}

func (wallWatch) Now() time.Time { return time.Now() }

func (wallWatch) AfterFunc(d time.Duration, f func()) timer { return time.AfterFunc(d, f) }

// clock is the time budget of one search. No iteration starts after the soft limit.
// The hard limit cuts the search off: the first worker that polls does so, or a timer
// if no worker polls in time. Source: CPW "Time Management".
type clock struct {
	watch watch
	base  time.Time     // when the engine was made
	out   atomic.Int64  // the hard limit, as time after base; never for none
	up    func()        // called by the timer when the hard limit has passed
	nodes func() uint64 // of this search, as counted so far

	pondering atomic.Bool

	// mu guards the rest, since ponderHit runs beside the search.
	mu         sync.Mutex
	timer      timer     // of the hard limit, nil without
	perMS      uint64    // nodes that count as a millisecond, 0 to use the watch
	start      time.Time // when the command arrived
	from       time.Time // when the hard limit began to run: at start or when pondering ended
	planned    bool
	limited    bool
	fixed      bool // time per move: no soft limit
	soft, hard time.Duration
	enough     time.Duration // after start: no further iteration would begin
	least      time.Duration // after start: the earliest answer
}

const never = math.MaxInt64

// begin starts the clock or the pondering time before it.
func (c *clock) begin(l *Limits) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.Store(never)
	c.start, c.perMS = l.Start, uint64(max(0, l.NodeTime))
	switch {
	case c.perMS > 0:
		c.start = c.base
	case c.start.IsZero():
		c.start = c.watch.Now()
	}
	c.from, c.planned, c.enough, c.least = c.start, false, never, 0
	c.pondering.Store(l.Ponder)
}

// now returns the time. With NodeTime it depends on the nodes searched.
func (c *clock) now() time.Time {
	if c.perMS > 0 {
		return c.start.Add(time.Duration(c.nodes() * uint64(time.Millisecond) / c.perMS))
	}
	return c.watch.Now()
}

// set plans a search of colour us with the parameters k.
func (c *clock) set(l *Limits, us chess.Color, overhead time.Duration, k *Params) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit(l, us, overhead, k)
	c.planned = true
	if !c.pondering.Load() {
		c.arm()
	}
}

// budget returns the nodes that end the search, or math.MaxUint64 if the watch ends it
// or the search ponders.
func (c *clock) budget() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.perMS == 0 || !c.limited || c.pondering.Load() {
		return math.MaxUint64
	}
	return max(1, uint64(c.hard.Seconds()*1000*float64(c.perMS)))
}

// arm starts the hard limit.
func (c *clock) arm() {
	if !c.limited {
		return
	}
	out := c.from.Add(c.hard)
	c.out.Store(int64(out.Sub(c.base)))
	if c.perMS > 0 {
		return // no watch to set: the workers count
	}
	c.timer = c.watch.AfterFunc(out.Sub(c.watch.Now()), func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.expired() { // not the timer of an earlier search
			c.up()
		}
	})
}

// ponderHit starts the clock and reports whether the search has already had enough
// time while pondering. It may run beside a search.
func (c *clock) ponderHit() (enough bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.pondering.Load() {
		return false
	}
	c.from = c.now()
	c.pondering.Store(false)
	if c.planned {
		c.arm()
	}
	return c.limited && !c.fixed && c.from.Sub(c.start) >= c.enough
}

// linger delays the answer of a weakened engine, which would otherwise move at once.
func (c *clock) linger() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limited && !c.fixed && c.perMS == 0 {
		c.least = min(c.soft/lingerPart, lingerMost)
	}
}

// early returns how long the answer has to wait.
func (c *clock) early() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.least == 0 {
		return 0
	}
	return c.least - c.elapsed()
}

// stop stops the clock at the end of a search.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.Store(never)
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
}

// limit sets the limits of a search of colour us.
func (c *clock) limit(l *Limits, us chess.Color, overhead time.Duration, k *Params) {
	c.limited, c.fixed = false, false
	c.soft, c.hard = 0, 0
	if l.Infinite {
		return
	}
	if l.timed(us) {
		c.limited = true
		c.soft, c.hard = plan(min(l.Time[us], mostTime), min(l.Inc[us], mostTime), l.MovesToGo, overhead, k)
		c.hard = max(c.hard, leastTime)
	}
	if l.MoveTime > 0 {
		// At least half is used: an answer at once would be worthless.
		if usable := max(l.MoveTime-overhead, l.MoveTime/2); !c.limited || usable < c.hard {
			c.limited, c.fixed = true, true
			c.soft, c.hard = usable, usable
		}
	}
}

// mostTime is what counts of a clock or an increment: no product of it overflows.
const mostTime = 1000 * time.Hour

// leastTime is what a move may take however little is left: it finds more than the first move of the list.
const leastTime = time.Millisecond

// plan divides the time on the clock. It subtracts the overhead first, so that all the
// rest can be used. A clock at zero leaves nothing.
func plan(left, inc time.Duration, movesToGo int, overhead time.Duration, k *Params) (soft, hard time.Duration) {
	usable := left - overhead
	if usable <= 0 {
		return 0, 0
	}
	if movesToGo > 0 {
		// Plan for two extra moves: time left at the time control is not lost, but
		// too little time loses the game.
		moves := time.Duration(min(movesToGo, 40))
		pool := usable + (moves-1)*(inc-overhead)
		pool = max(pool, usable/2)
		soft = pool / (moves + 2)
		hard = min(soft/64*time.Duration(k.ClockHard), usable/2)
		return min(soft, hard), hard
	}
	// Each move loses the overhead beyond its increment. Reserve it for the next
	// moves, or a long game without increments runs out of time.
	pool := max(usable-reserved*max(0, overhead-inc), usable/16)
	soft = pool/time.Duration(k.ClockMoves)*16 + max(0, inc-overhead)/64*time.Duration(k.ClockInc)
	hard = min(soft/64*time.Duration(k.ClockHard), pool/2)
	return min(soft, hard), hard
}

// reserved is the number of moves whose overhead is reserved.
const reserved = 50

// elapsed returns the time since the command arrived.
func (c *clock) elapsed() time.Duration { return c.now().Sub(c.start) }

// expired reports whether the hard limit has passed. It has not while pondering.
func (c *clock) expired() bool {
	out := c.out.Load()
	return out != never && int64(c.now().Sub(c.base)) >= out
}

// spent reports whether no further iteration should start. factor scales the soft limit.
func (c *clock) spent(factor float64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.limited {
		return false
	}
	if c.fixed {
		return c.expired()
	}
	c.enough = min(time.Duration(float64(c.soft)*factor), c.hard)
	return !c.pondering.Load() && c.elapsed() >= c.enough
}

// effort estimates from the last iterations how much time a position deserves.
type effort struct {
	best   chess.Move
	stable int // iterations with the same best move
	last   eval.Score
	seen   bool
}

// factor returns the factor for the soft limit. It is small when most nodes went into
// a best move that stays the same, and large when the score drops.
func (e *effort) factor(w *worker) float64 {
	r := &w.roots[0]
	if r.move == e.best {
		e.stable = min(e.stable+1, 8)
	} else {
		e.best, e.stable = r.move, 0
	}
	drop := 0.0
	if e.seen && !isMate(r.shown) && !isMate(e.last) {
		drop = float64(e.last - r.shown)
	}
	e.last, e.seen = r.shown, true
	k := &w.params
	share := float64(r.nodes) / float64(max(1, w.nodes))
	byNodes := float64(k.ClockNodes)/64 - float64(k.ClockShare)/64*share
	byStability := float64(k.ClockChange)/64 - float64(k.ClockStable)/256*float64(e.stable)
	byScore := max(float64(k.ClockRise)/64, min(float64(k.ClockFall)/64, 1+drop/float64(k.ClockDrop)))
	if len(w.roots) == 1 || isMate(r.shown) && int(w.depth) > matePlies(r.shown)+8 {
		return 0.1
	}
	return max(0.1, byNodes*byStability*byScore)
}
