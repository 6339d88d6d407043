package session

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/search"
)

// boardOf returns a board that closes when the test ends.
func boardOf(t *testing.T, c Config) *Board {
	t.Helper()
	b, err := New(c)
	must.Succeed(t, err)
	t.Cleanup(b.Close)
	return b
}

// The turn goes to the client who has had least, and of one client's work to what
// has had least; who came first is first among equals.
func TestChoose(t *testing.T) {
	const s = time.Second
	type wait struct {
		client int
		had    time.Duration
	}
	for _, tt := range []struct {
		name    string
		used    []time.Duration // of each client
		running []int           // clients
		waiting []wait
		want    int
	}{
		{"the first", []time.Duration{s, s}, nil, []wait{{1, 0}, {0, 0}}, 0},
		{"who had least", []time.Duration{3 * s, s, 2 * s}, nil, []wait{{0, 0}, {1, 9 * s}, {2, 0}}, 1},
		{"what had least", []time.Duration{s, 2 * s}, nil, []wait{{0, 5 * s}, {1, 0}, {0, s}}, 2},
		{"of equals the first, whatever its work has had", []time.Duration{s, s}, nil, []wait{{0, 9 * s}, {1, 0}}, 0},
		{"of one client's equals the first", []time.Duration{s}, nil, []wait{{0, s}, {0, s}}, 0},
		{"turns under way count", []time.Duration{0, s / 2}, []int{0}, []wait{{0, 0}, {1, 0}}, 1},
	} {
		clients := make([]client, len(tt.used))
		for i := range clients {
			clients[i].used = tt.used[i]
		}
		p := pool{times: usualTurns()}
		for _, c := range tt.running {
			p.running = append(p.running, &turn{client: &clients[c]})
		}
		for _, w := range tt.waiting {
			p.waiting = append(p.waiting, &turn{client: &clients[w.client], had: w.had})
		}
		if got := p.choose(); got != tt.want {
			t.Errorf("%s: turn %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestTurnLength(t *testing.T) {
	for _, tt := range []struct {
		engines, waiting int
		want             time.Duration
	}{
		{1, 1, time.Second}, {1, 9, 500 * time.Millisecond}, {1, 99, 100 * time.Millisecond}, {4, 36, 500 * time.Millisecond},
	} {
		p := pool{times: usualTurns(), running: make([]*turn, tt.engines), waiting: make([]*turn, tt.waiting)}
		if got := p.length(); got != tt.want {
			t.Errorf("%d engines, %d waiting: %v, want %v", tt.engines, tt.waiting, got, tt.want)
		}
	}
}

// Of the turns under way no more are cut short than others wait for.
func TestExpire(t *testing.T) {
	p := &pool{times: usualTurns()}
	for range 3 {
		e, err := search.NewEngine(1)
		must.Succeed(t, err)
		p.idle = append(p.idle, e)
	}
	defer p.close()
	var turns []*turn
	for range 3 {
		turn, err := p.take(t.Context(), &client{}, 0)
		must.Succeed(t, err)
		turns = append(turns, turn)
	}
	p.expire(turns[0])
	if turns[0].cut {
		t.Error("a turn was cut for nobody")
	}
	p.waiting = append(p.waiting, &turn{client: &client{}})
	p.expire(turns[1])
	p.expire(turns[2])
	if !turns[1].cut || turns[2].cut {
		t.Errorf("cut: %t and %t, want one alone", turns[1].cut, turns[2].cut)
	}
	p.waiting = nil
	for i, turn := range turns {
		if cut := turn.give(); cut != (i == 1) || turn.client.used <= 0 || turn.client.active != 0 {
			t.Errorf("turn %d: cut %t, client %+v", i, cut, turn.client)
		}
	}
}

// Who was away for long is before the others, but by one turn alone; and turns that
// are no longer wanted are given back.
func TestSleeper(t *testing.T) {
	e, err := search.NewEngine(1)
	must.Succeed(t, err)
	p := &pool{times: usualTurns(), idle: []*search.Engine{e}}
	defer p.close()
	busy, sleeper := &client{used: time.Hour}, &client{}
	turn, err := p.take(t.Context(), busy, 0)
	must.Succeed(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := p.take(ctx, sleeper, 0)
		done <- err
	}()
	for waiting := 0; waiting == 0; {
		p.mu.Lock()
		waiting = len(p.waiting)
		p.mu.Unlock()
	}
	cancel()
	if err := <-done; err != context.Canceled {
		t.Errorf("a turn no longer wanted: %v", err)
	}
	turn.give()
	if sleeper.used != time.Hour-p.times.longest || sleeper.active != 0 || busy.active != 0 || len(p.idle) != 1 || len(p.waiting)+len(p.running) != 0 {
		t.Errorf("sleeper %+v, busy %+v, pool %d idle, %d waiting, %d running", sleeper, busy, len(p.idle), len(p.waiting), len(p.running))
	}
}

// TestTurns has clients search by turns far too short for their work: limits count
// over all turns, what is shown never falls back, and all come to their end, beside
// one who has none.
func TestTurns(t *testing.T) {
	b := boardOf(t, Config{Shared: true, Hash: 1})
	b.pool.times = turnTimes{longest: 4 * time.Millisecond, shortest: 2 * time.Millisecond, round: 20 * time.Millisecond}
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
		must.Succeed(t, err)
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
