//go:build !tabula_rules

package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/search"
)

// How long a search keeps an engine while others wait: the longest time divided by the number of
// waiting turns, but at least the shortest. In its next turn a search starts again, with its results
// still in the transposition table.
const (
	longestTurn  = time.Second
	shortestTurn = 100 * time.Millisecond
)

// pool shares engines among clients: a free engine goes to the client whose last turn began longest
// ago, and among the turns of one client to the oldest.
type pool struct {
	longest, shortest time.Duration // of a turn

	mu      sync.Mutex
	idle    []*search.Engine
	waiting []*turn // in order of arrival
	running []*turn
	turns   uint64 // that have begun
	closed  bool
}

// client takes turns. Only the pool uses the field.
type client struct{ last uint64 } // number of its last turn

// turn is a period of use of an engine. It ends with ctx.
type turn struct {
	ctx    context.Context
	end    context.CancelCauseFunc
	engine *search.Engine // while it runs
	pool   *pool
	client *client
	began  time.Time
	given  chan struct{} // closed when the turn begins
	timer  *time.Timer   // ends the turn; nil until another client waits
}

var (
	errClosed = errors.New("the engines are closed")
	errCut    = errors.New("others wait for the engine")
)

// take waits for a turn of c. The caller must end it with give.
func (p *pool) take(ctx context.Context, c *client) (*turn, error) {
	t := &turn{pool: p, client: c, given: make(chan struct{})}
	t.ctx, t.end = context.WithCancelCause(ctx)
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		t.end(errClosed)
		return nil, errClosed
	}
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
		t.end(nil)
	} else {
		p.free(t)
	}
	return nil, context.Cause(ctx)
}

// cut reports whether the turn ended because others wait.
func (t *turn) cut() bool { return context.Cause(t.ctx) == errCut }

// give ends a turn.
func (t *turn) give() {
	t.pool.mu.Lock()
	defer t.pool.mu.Unlock()
	t.pool.free(t)
}

// free is give with the lock held.
func (p *pool) free(t *turn) {
	if t.timer != nil {
		t.timer.Stop()
	}
	t.end(nil)
	p.running = slices.DeleteFunc(p.running, func(r *turn) bool { return r == t })
	if p.closed {
		t.engine.Close()
		return
	}
	p.idle = append(p.idle, t.engine)
	p.assign()
}

// assign gives idle engines to waiting turns. If some still wait, it limits the running turns.
func (p *pool) assign() {
	for len(p.idle) > 0 && len(p.waiting) > 0 {
		t := slices.MinFunc(p.waiting, func(a, b *turn) int { return cmp.Compare(a.client.last, b.client.last) })
		p.waiting = slices.DeleteFunc(p.waiting, func(w *turn) bool { return w == t })
		t.engine, p.idle = p.idle[len(p.idle)-1], p.idle[:len(p.idle)-1]
		p.turns++
		t.client.last, t.began = p.turns, time.Now()
		p.running = append(p.running, t)
		close(t.given)
	}
	if len(p.waiting) == 0 {
		return
	}
	length := max(p.shortest, p.longest/time.Duration(len(p.waiting)))
	for _, t := range p.running {
		left := max(0, length-time.Since(t.began))
		if t.timer == nil {
			t.timer = time.AfterFunc(left, func() { p.expire(t) })
		} else if !t.cut() {
			t.timer.Reset(left)
		}
	}
}

// expire ends a turn if others wait and not enough turns have been ended for them yet.
func (p *pool) expire(t *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	told := 0
	for _, r := range p.running {
		if r.cut() {
			told++
		}
	}
	if told < len(p.waiting) {
		t.end(errCut)
	}
}

// close refuses further turns and releases the engines: an engine in use when its turn ends. Waiting
// turns end with their contexts.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, e := range p.idle {
		e.Close()
	}
	p.idle = nil
}
