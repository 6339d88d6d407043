package session

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/search"
)

// turnTimes say how long a turn at an engine lasts. Where nobody waits for it: for
// ever. Where some wait: so long that all have had one after a round, within the
// bounds. The search that was cut short begins anew in its next turn, with the
// transposition table to tell it most of what it knew.
type turnTimes struct{ longest, shortest, round time.Duration }

// usualTurns returns the times of a board.
func usualTurns() turnTimes {
	return turnTimes{longest: time.Second, shortest: 100 * time.Millisecond, round: 5 * time.Second}
}

// pool shares engines among clients by time: when an engine is free it goes to the
// client who has had the least. A client who comes back from doing nothing is
// before those who wait, but by no more than one turn: idleness is not saved up.
// Source: the "sleeper fairness" of Linux's completely fair scheduler, and
// start-time fair queuing, P. Goyal, H. Vin and H. Cheng, 1996.
type pool struct {
	times turnTimes

	mu      sync.Mutex
	idle    []*search.Engine
	waiting []*turn // in the order of their coming
	running []*turn
	closed  bool
}

// client is somebody whose turns are counted. The fields are the pool's.
type client struct {
	used   time.Duration // of engines, over all turns
	active int           // turns that wait or run
}

// newSlots returns a pool for other work than searching: its turns have no engine, and
// end when they are given back.
func newSlots(n int) pool { return pool{times: usualTurns(), idle: make([]*search.Engine, n)} }

// turn is a stretch of time at an engine.
type turn struct {
	engine *search.Engine // while it runs; nil where the pool has none
	pool   *pool
	client *client
	had    time.Duration // that the same work has had in earlier turns
	began  time.Time
	given  chan struct{} // closed when the turn begins
	cut    bool          // it was told to end, as others wait; guarded by pool.mu
	timer  *time.Timer
}

var errClosed = errors.New("the engines are closed")

// add gives the pool another engine.
func (p *pool) add(e *search.Engine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, e)
	p.assign()
}

// take waits for a turn of c, whose work has had some time already. Give it back.
func (p *pool) take(ctx context.Context, c *client, had time.Duration) (*turn, error) {
	t := &turn{pool: p, client: c, had: had, given: make(chan struct{})}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed
	}
	if c.active == 0 {
		c.used = max(c.used, p.least()-p.times.longest)
	}
	c.active++
	p.waiting = append(p.waiting, t)
	p.assign()
	p.mu.Unlock()
	select {
	case <-t.given:
		return t, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, t); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
		c.active--
	} else {
		p.end(t)
	}
	return nil, context.Cause(ctx)
}

// give ends a turn. cut says that it ended for others' sake.
func (t *turn) give() (cut bool) {
	t.pool.mu.Lock()
	defer t.pool.mu.Unlock()
	t.pool.end(t)
	return t.cut
}

// end is give, with the lock held.
func (p *pool) end(t *turn) {
	t.timer.Stop()
	p.running = slices.DeleteFunc(p.running, func(r *turn) bool { return r == t })
	t.client.used += time.Since(t.began)
	t.client.active--
	if p.closed && t.engine != nil {
		t.engine.Close()
	} else if !p.closed {
		p.idle = append(p.idle, t.engine)
		p.assign()
	}
	t.engine = nil
}

// least returns the least time that a client has had who waits or runs.
func (p *pool) least() time.Duration {
	least := time.Duration(-1)
	for _, list := range [2][]*turn{p.waiting, p.running} {
		for _, t := range list {
			if least < 0 || t.client.used < least {
				least = t.client.used
			}
		}
	}
	return max(least, 0)
}

// assign gives idle engines to those that wait, and sees to it that turns under
// way end in time where some still do.
func (p *pool) assign() {
	for len(p.idle) > 0 && len(p.waiting) > 0 {
		i := p.choose()
		t := p.waiting[i]
		p.waiting = slices.Delete(p.waiting, i, i+1)
		t.engine, p.idle = p.idle[len(p.idle)-1], p.idle[:len(p.idle)-1]
		t.began = time.Now()
		t.timer = time.AfterFunc(time.Hour, func() { p.expire(t) })
		t.timer.Stop()
		p.running = append(p.running, t)
		close(t.given)
	}
	if len(p.waiting) > 0 {
		for _, t := range p.running {
			if !t.cut {
				t.timer.Reset(max(0, p.length()-time.Since(t.began)))
			}
		}
	}
}

// length returns how long a turn lasts by how many wait.
func (p *pool) length() time.Duration {
	engines := len(p.running) + len(p.idle)
	each := p.times.round * time.Duration(engines) / time.Duration(len(p.waiting)+engines)
	return min(p.times.longest, max(p.times.shortest, each))
}

// expire tells a turn to end if others wait, as many as were told so far.
func (p *pool) expire(t *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.cut || t.engine == nil {
		return
	}
	told := 0
	for _, r := range p.running {
		if r.cut {
			told++
		}
	}
	if told < len(p.waiting) {
		t.cut = true
		t.engine.Stop()
	}
}

// choose returns the index of the turn of waiting that is next: the client's who
// has had least, counting turns under way; of one client's the work that has had
// least; of equals the one that came first.
func (p *pool) choose() int {
	used := func(t *turn) time.Duration {
		sum := t.client.used
		for _, r := range p.running {
			if r.client == t.client {
				sum += p.times.longest
			}
		}
		return sum
	}
	best := 0
	for i, t := range p.waiting {
		b := p.waiting[best]
		if u, v := used(t), used(b); u < v || t.client == b.client && t.had < b.had {
			best = i
		}
	}
	return best
}

// close releases the engines, those of turns under way when they end, and refuses
// further turns; those that wait are left to their contexts.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, e := range p.idle {
		if e != nil {
			e.Close()
		}
	}
	p.idle = nil
}

// search searches p in this turn until a limit, the end of ctx or the end of the
// turn. ran is false where the turn ended before it began.
func (t *turn) search(ctx context.Context, p *chess.Position, l search.Limits, o search.Options, report func(search.Info)) (r search.Result, ran bool) {
	t.pool.mu.Lock()
	if t.cut {
		t.pool.mu.Unlock()
		return r, false
	}
	t.engine.Arm(l) // a stop from now on counts for this search
	t.pool.mu.Unlock()
	stopped := make(chan struct{})
	detach := context.AfterFunc(ctx, func() {
		defer close(stopped)
		t.engine.Stop()
	})
	r = t.engine.Search(p, l, o, report)
	if !detach() {
		<-stopped // or it would stop the next one's search
	}
	return r, true
}
