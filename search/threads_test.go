package search

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/test/kit"
)

func threaded(t testing.TB, n int) *Engine {
	t.Helper()
	e := engine(t)
	kit.Succeed(t, e.SetThreads(n))
	return e
}

// TestThreadsKeepTheRules searches with several workers under every kind of
// limit: legal moves, lines that can be played and end where they say, the last
// report beginning with the move given.
func TestThreadsKeepTheRules(t *testing.T) {
	both := [2]bool{true, true}
	for _, n := range []int{1, 2, 4, 8, 16} {
		e := threaded(t, n)
		for i, fen := range []string{benchPositions[8], benchPositions[37], benchPositions[45], crowded[0]} {
			p := kit.Position(t, fen)
			moves := rootMoves(p, nil)
			only := moves[len(moves)/2:]
			for _, l := range []Limits{
				{Depth: 8}, {Nodes: 20000}, {Mate: 1, Nodes: 30000}, {MoveTime: 20 * time.Millisecond},
				{Timed: both, Time: [2]time.Duration{time.Second, time.Second}}, {SoftNodes: 20000, SearchMoves: only},
			} {
				if l.Nodes == 0 {
					l.Nodes = 50000 // crowded boards know no end
				}
				r, infos := collect(e, p, l, Options{MultiPV: 1 + 2*(i%2)})
				if most := l.Nodes + uint64(n)*(pollInterval+1); r.Nodes > most || l.Depth > 0 && r.Depth > l.Depth {
					t.Errorf("%d threads, %s, %+v: depth %d after %d nodes, want at most %d", n, fen, l, r.Depth, r.Nodes, most)
				}
				last := infos[len(infos)-1]
				for _, info := range infos {
					checkLine(t, fen, info)
					if info.MultiPV == 1 {
						last = info
					}
				}
				if !p.IsLegal(r.Best) || last.PV[0] != r.Best || last.Bound != eval.Exact {
					t.Errorf("%d threads, %s, %+v: best %v, last line %v", n, fen, l, r.Best, last.PV)
				}
				if l.SearchMoves != nil && !slices.Contains(only, r.Best) {
					t.Errorf("%d threads, %s: best %v is not among the moves to look at", n, fen, r.Best)
				}
			}
		}
	}
}

// TestNodesOfAllThreads stops by the sum of the nodes and tells the sum.
func TestNodesOfAllThreads(t *testing.T) {
	for _, n := range []int{2, 4, 16} {
		e := threaded(t, n)
		for _, limit := range []uint64{100, 5000, 200000} {
			r, infos := collect(e, kit.Position(t, benchPositions[8]), Limits{Nodes: limit}, Options{})
			// Each worker may overstep by what it does between two polls, and by the
			// node in hand.
			most := limit + uint64(n)*(max(1, min(limit/uint64(2*n), pollInterval))+1)
			if r.Nodes < limit || r.Nodes > most {
				t.Errorf("%d threads, %d nodes: %d in all, want %d to %d", n, limit, r.Nodes, limit, most)
			}
			for i := 1; i < len(infos); i++ {
				if infos[i].Nodes < infos[i-1].Nodes {
					t.Errorf("%d threads: the nodes told fall from %d to %d", n, infos[i-1].Nodes, infos[i].Nodes)
				}
			}
			sum := uint64(0)
			for _, w := range e.workers {
				sum += w.nodes
			}
			if sum != r.Nodes {
				t.Errorf("%d threads: %d nodes told, the workers have %d", n, r.Nodes, sum)
			}
		}
	}
}

// TestWorkersAreMadeBeforehand makes sure that no search makes a worker, and
// that those which are not needed go.
func TestWorkersAreMadeBeforehand(t *testing.T) {
	e := threaded(t, 8)
	before := slices.Clone(e.workers)
	e.Search(chess.NewPosition(), Limits{Depth: 5}, Options{}, nil)
	if !slices.Equal(before, e.workers) {
		t.Error("a search changed the workers")
	}
	if err := e.SetThreads(3); err != nil || e.Threads() != 3 {
		t.Errorf("3 threads of 8: %v, %d workers", err, e.Threads())
	}
	for _, n := range []int{0, -1, MaxThreads + 1} {
		if err := e.SetThreads(n); err == nil || e.Threads() != 3 {
			t.Errorf("SetThreads(%d): error %v, %d workers", n, err, e.Threads())
		}
	}
}

func TestVote(t *testing.T) {
	type opinion struct {
		move  chess.Move
		score eval.Score
		depth Depth
	}
	for _, tt := range []struct {
		name     string
		opinions []opinion
		want     int // worker
	}{
		{"alone", []opinion{{1, 10, 5}}, 0},
		{"two against one", []opinion{{1, 30, 10}, {2, 25, 10}, {2, 25, 10}}, 1},
		{"the deeper one of the same opinion", []opinion{{1, 30, 10}, {1, 25, 12}}, 1},
		{"shallow and poor", []opinion{{1, 30, 12}, {2, 10, 6}}, 0},
		{"a mate wins", []opinion{{1, 500, 20}, {1, 500, 20}, {2, mate - 9, 8}}, 2},
		{"the shortest mate wins", []opinion{{1, mate - 9, 20}, {2, mate - 5, 8}, {1, mate - 9, 20}}, 1},
		{"rather lost than mated", []opinion{{1, mated(6), 20}, {2, -900, 20}}, 1},
		{"mated, which the other has yet to see", []opinion{{1, mated(6), 20}, {2, -900, 8}}, 0},
		{"the longest way to being mated", []opinion{{1, mated(6), 20}, {2, mated(10), 8}}, 1},
		{"one without a result", []opinion{{0, 0, 0}, {2, -30, 8}}, 1},
		{"none with a result", []opinion{{0, 0, 0}, {0, 0, 0}}, 0},
	} {
		e := threaded(t, len(tt.opinions))
		for i, o := range tt.opinions {
			e.workers[i].roots = []rootMove{{move: o.move, shown: o.score, depth: o.depth, length: min(1, int(o.depth))}}
		}
		if got := e.vote(); got.id != tt.want {
			t.Errorf("%s: worker %d wins, want %d", tt.name, got.id, tt.want)
		}
	}
}

// TestRandomCommands runs searches of many workers and stops, ponderhits and
// changes of settings at random moments; no search may hang, and none may give
// a move that is not legal. The race detector looks on in CI.
func TestRandomCommands(t *testing.T) {
	cycles := 300
	if testing.Short() {
		cycles = 150
	}
	r := rand.New(rand.NewPCG(7, 7))
	e := threaded(t, 8)
	for i := range cycles {
		switch r.IntN(8) {
		case 0:
			kit.Succeed(t, e.SetThreads(1+r.IntN(8)))
		case 1:
			kit.Succeed(t, e.SetHash(1+r.IntN(4)))
		case 2:
			e.Clear()
		}
		p := kit.Position(t, benchPositions[r.IntN(len(benchPositions))])
		l := Limits{Ponder: r.IntN(2) == 0, Infinite: r.IntN(3) == 0, MoveTime: time.Duration(1+r.IntN(5)) * time.Millisecond}
		done, search := make(chan Result, 1), e.Prepare(p, l, Options{MultiPV: 1 + r.IntN(2)*3}, func(Info) {})
		go func() { done <- search() }()
		time.Sleep(time.Duration(r.IntN(2000)) * time.Microsecond)
		if r.IntN(2) == 0 {
			e.PonderHit()
			time.Sleep(time.Duration(r.IntN(1000)) * time.Microsecond)
		}
		e.Stop()
		select {
		case result := <-done:
			if !p.IsLegal(result.Best) {
				t.Fatalf("cycle %d, %s: best %v", i, p.FEN(), result.Best)
			}
		case <-time.After(patience):
			t.Fatalf("cycle %d: %+v hangs", i, l)
		}
	}
}

// TestClearIsPutOff: what Clear leaves to the next search or to Ready is done by both, and a
// worker that has not searched has nothing to forget.
func TestClearIsPutOff(t *testing.T) {
	e := engine(t)
	kit.Succeed(t, e.SetThreads(3))
	p := kit.Position(t, kiwipete)
	var want Result
	for i := range 4 {
		e.Clear()
		if i > 1 {
			e.Ready()
		}
		for _, w := range e.workers {
			if w.stale != (i == 1) {
				t.Errorf("%d: a worker that has something to forget: %v", i, w.stale)
			}
		}
		kit.Succeed(t, e.SetThreads(1)) // the same on every run
		r := e.Search(p, Limits{Depth: 7}, Options{}, nil)
		if i > 0 && r.Nodes != want.Nodes {
			t.Errorf("%d: %d nodes, want %d", i, r.Nodes, want.Nodes)
		}
		want = r
		kit.Succeed(t, e.SetThreads(3))
		e.Search(p, Limits{Depth: 7}, Options{}, nil)
		for _, w := range e.workers {
			w.learnt = true // whether it came to its turn or not
		}
	}
}

// TestLateWorkers: workers whose first turn comes after a stop do not begin, and the result is
// that of the others.
func TestLateWorkers(t *testing.T) {
	e := engine(t)
	kit.Succeed(t, e.SetThreads(40))
	p := kit.Position(t, kiwipete)
	e.Search(p, Limits{Depth: 4}, Options{}, nil)
	for range 5 {
		search := e.Prepare(p, Limits{Infinite: true}, Options{}, nil)
		e.Stop()
		if r := search(); !p.IsLegal(r.Best) {
			t.Fatalf("best move %v", r.Best)
		}
		for _, w := range e.workers[1:] {
			if w.nodes > 0 || len(w.roots) > 0 {
				t.Errorf("a worker has searched %d nodes after the stop", w.nodes)
			}
		}
	}
}
