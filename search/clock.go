package search

import (
	"sync/atomic"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// clock is the time budget of one search. Two limits apply: soft, after which
// no iteration starts, and hard, at which the search is cut off. Source: CPW
// "Time Management".
type clock struct {
	base       time.Time // when the engine was made
	start      time.Time
	limited    bool
	fixed      bool // time per move: the soft limit does not count
	soft, hard time.Duration
	pondering  atomic.Bool
	hit        atomic.Int64 // when pondering ended, after base; 0 without
}

// begin starts the clock, or the time of pondering before it. What ponderHit
// reads is written here and not in set, which may come after it.
func (c *clock) begin(l *Limits) {
	c.pondering.Store(false)
	c.start = l.Start
	if c.start.IsZero() {
		c.start = time.Now()
	}
	c.hit.Store(0)
	c.pondering.Store(l.Ponder)
}

// set plans a search of colour us.
func (c *clock) set(l *Limits, us chess.Color, overhead time.Duration) {
	c.limited, c.fixed = false, false
	c.soft, c.hard = 0, 0
	if l.Infinite {
		return
	}
	if l.Timed[us] {
		c.limited = true
		c.soft, c.hard = plan(l.Time[us], l.Inc[us], l.MovesToGo, overhead)
	}
	if l.MoveTime > 0 {
		if usable := l.MoveTime - overhead; !c.limited || usable < c.hard {
			c.limited, c.fixed = true, true
			c.soft, c.hard = usable, usable
		}
	}
}

// plan divides the time on the clock. The overhead is taken off first, so that
// what is left can all be used; a clock at zero leaves nothing.
func plan(left, inc time.Duration, movesToGo int, overhead time.Duration) (soft, hard time.Duration) {
	usable := left - overhead
	if usable <= 0 {
		return 0, 0
	}
	if movesToGo > 0 {
		// Planned for two moves more than there are: what is left at the time
		// control is not lost, what is missing loses the game.
		moves := time.Duration(min(movesToGo, 40))
		pool := usable + (moves-1)*(inc-overhead)
		pool = max(pool, usable/2)
		soft = pool / (moves + 2)
		hard = min(5*soft, usable/2)
		return min(soft, hard), hard
	}
	// Every move to come loses the overhead beyond its increment. What the next
	// ones lose is set aside, or a long game without increments runs dry.
	pool := max(usable-reserved*max(0, overhead-inc), usable/16)
	soft = pool/18 + max(0, inc-overhead)*8/10
	hard = min(5*soft, pool/2)
	return min(soft, hard), hard
}

// reserved is the number of moves whose overhead is set aside.
const reserved = 50

// elapsed returns the time since the command arrived.
func (c *clock) elapsed(now time.Time) time.Duration { return now.Sub(c.start) }

// expired reports whether the hard limit has passed. The clock does not run
// while pondering.
func (c *clock) expired(now time.Time) bool {
	if !c.limited || c.pondering.Load() {
		return false
	}
	if hit := c.hit.Load(); hit > 0 {
		return now.Sub(c.base)-time.Duration(hit) >= c.hard
	}
	return c.elapsed(now) >= c.hard
}

// spent reports whether no further iteration should start when the soft limit
// is stretched by factor.
func (c *clock) spent(factor float64, now time.Time) bool {
	if !c.limited || c.pondering.Load() {
		return false
	}
	if c.fixed {
		return c.expired(now)
	}
	limit := min(time.Duration(float64(c.soft)*factor), c.hard)
	return c.elapsed(now) >= limit
}

// ponderHit starts the clock. It may run beside a search.
func (c *clock) ponderHit() {
	if c.pondering.Load() {
		c.hit.Store(int64(time.Since(c.base)))
		c.pondering.Store(false)
	}
}

// effort judges from the last iterations how much of the soft limit a position
// deserves.
type effort struct {
	best   chess.Move
	stable int // iterations with the same best move
	last   eval.Score
	seen   bool
}

// factor returns by how much to stretch the soft limit: less where most nodes
// went into the best move and it stays the same, more where its score drops.
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
	share := float64(r.nodes) / float64(max(1, w.nodes))
	byNodes := 1.9 - 1.4*share
	byStability := 1.25 - 0.06*float64(e.stable)
	byScore := max(0.85, min(1.5, 1+drop/80))
	if len(w.roots) == 1 || isMate(r.shown) && int(w.depth) > matePlies(r.shown)+8 {
		return 0.1
	}
	return byNodes * byStability * byScore
}
