package session

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/search"
)

// serviceOf returns a service that closes when the test ends.
func serviceOf(t *testing.T, c Config) *Service {
	t.Helper()
	s, err := New(c)
	testkit.Succeed(t, err)
	t.Cleanup(s.Close)
	return s
}

// poolOf returns a pool that closes when the test ends.
func poolOf(t *testing.T, engines int, longest, shortest time.Duration) *pool {
	t.Helper()
	p := &pool{longest: longest, shortest: shortest}
	for range engines {
		e, err := search.NewEngine(1)
		testkit.Succeed(t, err)
		p.idle = append(p.idle, e)
	}
	t.Cleanup(p.close)
	return p
}

// wait lets clients ask for turns, one after the other, and returns what gives each turn once it begins.
func (p *pool) wait(t *testing.T, clients ...*client) (begun chan *turn) {
	t.Helper()
	begun = make(chan *turn, len(clients))
	for _, c := range clients {
		p.mu.Lock()
		before := len(p.waiting)
		p.mu.Unlock()
		go func() {
			if turn, err := p.take(t.Context(), c); err == nil {
				begun <- turn
			}
		}()
		for waiting := before; waiting == before; {
			p.mu.Lock()
			waiting = len(p.waiting)
			p.mu.Unlock()
		}
	}
	return begun
}

// TestOrder lets clients wait at one engine: a turn goes to the client whose last turn began longest ago,
// and of one client's turns to what came first.
func TestOrder(t *testing.T) {
	p := poolOf(t, 1, time.Hour, time.Hour)
	greedy, guest, late := &client{}, &client{}, &client{}
	turn, err := p.take(t.Context(), greedy)
	testkit.Succeed(t, err)
	begun := p.wait(t, greedy, greedy, guest, greedy, late, guest)
	for i, want := range []*client{guest, late, greedy, guest, greedy, greedy} {
		turn.give()
		if turn = <-begun; turn.client != want {
			t.Errorf("turn %d goes to the wrong client", i)
		}
	}
	turn.give()
	if len(p.idle) != 1 || len(p.running)+len(p.waiting) != 0 {
		t.Errorf("%d idle, %d running, %d waiting", len(p.idle), len(p.running), len(p.waiting))
	}
}

// TestGuest: beside one who has many searches a guest waits for no longer than the longest turn.
func TestGuest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := poolOf(t, 1, longestTurn, shortestTurn)
		greedy := &client{}
		for range 16 {
			go func() {
				for {
					turn, err := p.take(t.Context(), greedy)
					if err != nil {
						return
					}
					<-turn.ctx.Done()
					turn.give()
				}
			}()
		}
		for range 20 {
			time.Sleep(777 * time.Millisecond)
			began := time.Now()
			turn, err := p.take(t.Context(), &client{})
			testkit.Succeed(t, err)
			if waited := time.Since(began); waited > time.Second {
				t.Errorf("a guest waited %v", waited)
			}
			turn.give()
		}
	})
}

// TestTurnLength: the more wait, the shorter is a turn; it lasts where nobody waits; and no more turns end
// than others wait for.
func TestTurnLength(t *testing.T) {
	for waiting, want := range map[int]time.Duration{1: time.Second, 4: 250 * time.Millisecond, 30: shortestTurn} {
		synctest.Test(t, func(t *testing.T) {
			p := poolOf(t, 2, longestTurn, shortestTurn)
			var turns []*turn
			for range 2 {
				turn, err := p.take(t.Context(), &client{})
				testkit.Succeed(t, err)
				turns = append(turns, turn)
			}
			for range waiting {
				go func() { _, _ = p.take(t.Context(), &client{}) }()
			}
			began := time.Now()
			select {
			case <-turns[0].ctx.Done():
			case <-turns[1].ctx.Done():
			}
			synctest.Wait()
			if got := time.Since(began); got != want {
				t.Errorf("%d wait: a turn of %v, want %v", waiting, got, want)
			}
			if both := turns[0].cut() && turns[1].cut(); both != (waiting > 1) {
				t.Errorf("%d wait: both turns are cut: %v", waiting, both)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		p := poolOf(t, 1, longestTurn, shortestTurn)
		turn, err := p.take(t.Context(), &client{})
		testkit.Succeed(t, err)
		time.Sleep(time.Hour)
		if turn.ctx.Err() != nil {
			t.Error("a turn ended for nobody")
		}
	})
}

// TestNotWanted: turns that are no longer wanted are given back, and a pool that is closed gives none.
func TestNotWanted(t *testing.T) {
	p := poolOf(t, 1, time.Hour, time.Hour)
	turn, err := p.take(t.Context(), &client{})
	testkit.Succeed(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.take(ctx, &client{}); err != context.Canceled {
		t.Errorf("a turn no longer wanted: %v", err)
	}
	turn.give()
	if len(p.idle) != 1 || len(p.waiting)+len(p.running) != 0 {
		t.Errorf("%d idle, %d waiting, %d running", len(p.idle), len(p.waiting), len(p.running))
	}
	p.close()
	if _, err := p.take(t.Context(), &client{}); err != errClosed {
		t.Errorf("of a closed pool: %v", err)
	}
}

// TestTurns has clients search by turns far too short for their work: limits count
// over all turns, what is shown never falls back, and all come to their end, beside
// one who has none.
func TestTurns(t *testing.T) {
	b := serviceOf(t, Config{Shared: true, Hash: 1})
	b.pool.longest, b.pool.shortest = 4*time.Millisecond, 2*time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var endless, clients sync.WaitGroup
	endless.Go(func() {
		in := strings.NewReader(`{"id":1,"do":"analyse"}`)
		given := false
		read := func() (io.Reader, error) {
			if given {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			given = true
			return in, nil
		}
		_ = b.Session().Run(ctx, read, func([]byte) error { return nil }) // its end is ours
	})
	const nodes = 20_000
	for i := range 8 {
		clients.Go(func() {
			var out strings.Builder
			in := strings.NewReader(fmt.Sprintf(`{"id":%d,"do":"analyse","position":{"chess960":%d},"limits":{"nodes":%d}}`, i, 100*i, nodes))
			if err := b.Stream(t.Context(), in, &out); err != nil {
				t.Error(err)
			}
			depth := 0
			for line := range strings.Lines(out.String()) {
				var r struct {
					ID     int
					Info   *Info
					Result *Analysis
				}
				if err := json.Unmarshal([]byte(line), &r); err != nil || r.ID != i {
					t.Fatalf("%v: %s", err, line)
				}
				info := r.Info
				if r.Result != nil {
					info = r.Result.Info
					if info.Nodes < nodes || info.Nodes > 2*nodes || r.Result.Best == nil || r.Result.Best.UCI != info.Lines[0].UCI[0] {
						t.Errorf("client %d: %d nodes, want about %d; best %v, line %v", i, info.Nodes, nodes, r.Result.Best, info.Lines[0])
					}
				}
				if info.Depth < depth {
					t.Errorf("client %d: depth %d after %d", i, info.Depth, depth)
				}
				depth = info.Depth
			}
		})
	}
	clients.Wait()
	cancel()
	endless.Wait()
}

// What turns have done adds up, and a search is done once all of them have reached a limit.
func TestTurnsAddUp(t *testing.T) {
	root := chess.NewPosition()
	var moves []chess.Move
	for _, text := range []string{"e4", "d4"} {
		m, err := readMove(root, text)
		testkit.Succeed(t, err)
		moves = append(moves, m)
	}
	before := counters{nodes: 1000, tbhits: 20, time: 3 * time.Second}
	s := &task{
		session: &Session{out: newOutbox()}, call: &call{key: "1"}, root: root, before: before, deepest: 5,
		options: search.Options{MultiPV: 2},
	}
	report := func(depth search.Depth, rank int, nodes uint64) {
		s.report(search.Info{
			Depth: depth, MultiPV: rank, Nodes: nodes, TBHits: nodes / 10, Time: time.Duration(nodes) * time.Millisecond, HashFull: int(nodes),
			PV: []chess.Move{moves[rank-1]},
		})
	}
	want := func(when string, lines int, c counters) {
		t.Helper()
		if len(s.shown.lines) != lines || s.shown.counters != c {
			t.Errorf("%s: %d lines, %+v; want %d, %+v", when, len(s.shown.lines), s.shown.counters, lines, c)
		}
	}
	report(5, 1, 10)
	report(5, 2, 20)
	want("two lines", 2, counters{1020, 22, 3020 * time.Millisecond})
	s.current = nil
	report(4, 1, 30)
	report(4, 2, 40)
	want("a shallower turn", 2, counters{1040, 24, 3040 * time.Millisecond})
	if s.shown.lines[0].depth != 5 || s.shown.hashFull != 40 || s.before != before {
		t.Errorf("shown at depth %d, table %d, before %+v", s.shown.lines[0].depth, s.shown.hashFull, s.before)
	}
	for _, tt := range []struct {
		limits search.Limits
		rest   search.Limits
		done   bool
	}{
		{search.Limits{Nodes: 1001}, search.Limits{Nodes: 1}, false},
		{search.Limits{Nodes: 1000}, search.Limits{Nodes: 1}, true},
		{search.Limits{Nodes: 2000}, search.Limits{Nodes: 1000}, false},
		{search.Limits{MoveTime: 4 * time.Second}, search.Limits{MoveTime: time.Second}, false},
		{search.Limits{MoveTime: 3 * time.Second}, search.Limits{MoveTime: time.Millisecond}, true},
		{search.Limits{Depth: 6}, search.Limits{Depth: 6}, true},
		{search.Limits{Depth: 7}, search.Limits{Depth: 7}, false},
		{search.Limits{}, search.Limits{}, false},
	} {
		s.limits = tt.limits
		if rest, done := s.rest(), s.done(search.Result{Depth: 6}); done != tt.done || fmt.Sprint(rest) != fmt.Sprint(tt.rest) {
			t.Errorf("%+v: done %t, rest %+v; want %t, %+v", tt.limits, done, rest, tt.done, tt.rest)
		}
	}
}

// TestOutbox holds the box to keep the newest event of each request, every final
// reply, and their order.
func TestOutbox(t *testing.T) {
	o := newOutbox()
	event := func(key string, n int) {
		o.event(key, func() Reply { return Reply{ID: json.RawMessage(key), Progress: n} })
	}
	for n := range 1000 {
		event("1", n)
		event("2", n)
	}
	o.final("1", Reply{ID: json.RawMessage("1"), Result: "end"})
	event("1", 7) // of a request that took the id again
	o.close()
	var got []string
	for {
		data, ok := o.take(t.Context())
		if !ok {
			break
		}
		got = append(got, string(data))
	}
	want := []string{`{"id":1,"progress":999}`, `{"id":2,"progress":999}`, `{"id":1,"result":"end"}`, `{"id":1,"progress":7}`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
