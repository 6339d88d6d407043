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

	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
)

// enginesOf returns engines that nobody uses, and a service whose sessions take turns at them.
func enginesOf(n int, longest, shortest time.Duration) (*engines, *Service) {
	e, s := &engines{idle: make(chan *search.Engine, n), longest: longest, shortest: shortest}, newService(nil, n)
	for range n {
		e.idle <- nil
	}
	return e, s
}

// hold takes a turn and keeps it until it is cut or ctx ends.
func (e *engines) hold(ctx context.Context, s *Session) (cut bool, err error) {
	return e.turn(ctx, s, func(ctx context.Context, _ *search.Engine) { <-ctx.Done() })
}

// TestOrder lets sessions wait for one engine: each has one place in the queue of all, and its own
// searches follow each other in the order in which they came.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, service := enginesOf(1, time.Hour, time.Hour)
		greedy, guest, late := service.Session(), service.Session(), service.Session()
		first, end := context.WithCancel(t.Context())
		var turns sync.WaitGroup
		turns.Go(func() { _, _ = e.hold(first, greedy) }) // ended below
		synctest.Wait()
		var order []string
		for i, s := range []*Session{greedy, greedy, guest, greedy, late, guest} {
			turns.Go(func() {
				_, err := e.turn(t.Context(), s, func(context.Context, *search.Engine) {
					synctest.Wait() // until all that can wait do so
					order = append(order, map[*Session]string{greedy: "greedy", guest: "guest", late: "late"}[s]+fmt.Sprint(i))
				})
				kit.Succeed(t, err)
			})
			synctest.Wait()
		}
		end()
		turns.Wait()
		if got := strings.Join(order, " "); got != "guest2 late4 greedy0 guest5 greedy1 greedy3" {
			t.Errorf("turns in the order %s", got)
		}
	})
}

// TestGuest: beside a browser whose eight sessions have many searches a guest waits for no longer than a second.
func TestGuest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, service := enginesOf(1, longestTurn, shortestTurn)
		ctx, end := context.WithCancel(t.Context())
		for range 8 {
			greedy := service.Session()
			for range maxRequests {
				go func() {
					for ctx.Err() == nil {
						_, _ = e.hold(ctx, greedy) // the error is that of ctx
					}
				}()
			}
		}
		for range 20 {
			time.Sleep(777 * time.Millisecond)
			began := time.Now()
			_, err := e.turn(ctx, service.Session(), func(context.Context, *search.Engine) {})
			kit.Succeed(t, err)
			if waited := time.Since(began); waited > time.Second {
				t.Errorf("a guest waited %v", waited)
			}
		}
		end()
	})
}

// TestTurnLength: the more wait, the shorter is a turn; and it lasts where nobody waits.
func TestTurnLength(t *testing.T) {
	for waiting, want := range map[int]time.Duration{0: time.Hour, 1: longestTurn, 3: longestTurn / 3, 30: shortestTurn} {
		synctest.Test(t, func(t *testing.T) {
			e, service := enginesOf(1, longestTurn, shortestTurn)
			ctx, end := context.WithTimeout(t.Context(), time.Hour)
			defer end()
			began := time.Now()
			held := make(chan bool)
			go func() {
				cut, err := e.hold(ctx, service.Session())
				kit.Succeed(t, err)
				held <- cut
			}()
			synctest.Wait()
			for range waiting {
				go func() { _, _ = e.hold(ctx, service.Session()) }() // the error is that of ctx
			}
			if cut := <-held; cut != (waiting > 0) {
				t.Errorf("%d wait: cut %v", waiting, cut)
			}
			if got := time.Since(began); got < want || got > want+shortestTurn/4 {
				t.Errorf("%d wait: a turn of %v, want %v", waiting, got, want)
			}
			end()
			synctest.Wait()
			if len(e.idle) != 1 || len(service.queues[searching].places) != 0 {
				t.Errorf("%d wait: afterwards %d engines are idle, %d places taken", waiting, len(e.idle), len(service.queues[searching].places))
			}
		})
	}
}

// TestTurns has clients search by turns far too short for their work: limits count
// over all turns, what is shown never falls back, and all come to their end, beside
// one who has none.
func TestTurns(t *testing.T) {
	e, b := serviceOf(t, Config{Shared: true, Hash: 1})
	e.longest, e.shortest = 4*time.Millisecond, 2*time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var endless, clients sync.WaitGroup
	endless.Go(func() {
		in, out := io.Pipe()
		go func() { _, _ = io.WriteString(out, `{"id":1,"do":"analyse"}`+"\n") }()
		_ = b.Stream(ctx, in, io.Discard) // its end is ours
		in.Close()
	})
	const nodes = 20_000
	for i := range 8 {
		clients.Go(func() {
			var out strings.Builder
			in := strings.NewReader(fmt.Sprintf(`{"id":%d,"do":"analyse","position":{"chess960":%d},"limits":{"nodes":%d}}`, i, 100*i, nodes))
			if err := b.Stream(t.Context(), in, &out); err != nil {
				t.Error(err)
			}
			depth, seen := 0, uint64(0)
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
				if info.Depth < depth || info.Nodes < seen {
					t.Errorf("client %d: depth %d, %d nodes after depth %d, %d nodes", i, info.Depth, info.Nodes, depth, seen)
				}
				depth, seen = info.Depth, info.Nodes
			}
		})
	}
	clients.Wait()
	cancel()
	endless.Wait()
}

// serviceOf returns a service that closes when the test ends, and its engines.
func serviceOf(t *testing.T, c Config) (*engines, *Service) {
	t.Helper()
	e, err := newEngines(c)
	kit.Succeed(t, err)
	t.Cleanup(e.close)
	return e, e.service()
}

// TestRest: the limits of a search hold for all its turns.
func TestRest(t *testing.T) {
	for limits, want := range map[*search.Limits]search.Limits{
		{Nodes: 1001}:               {Nodes: 1},
		{Nodes: 1000}:               {Nodes: 1},
		{Nodes: 2000}:               {Nodes: 1000},
		{MoveTime: 4 * time.Second}: {MoveTime: time.Second},
		{MoveTime: 3 * time.Second}: {MoveTime: time.Millisecond},
		{Depth: 6}:                  {Depth: 6},
		{}:                          {},
	} {
		s := &task{limits: *limits, before: search.Info{Nodes: 1000, Time: 3 * time.Second}}
		if rest := s.rest(); fmt.Sprint(rest) != fmt.Sprint(want) {
			t.Errorf("%+v: rest %+v, want %+v", *limits, rest, want)
		}
	}
}
