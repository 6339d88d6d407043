package search

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/test/kit"
)

func engine(t testing.TB) *Engine {
	t.Helper()
	e, err := NewEngine(16)
	kit.Succeed(t, err)
	return e
}

// patience bounds every wait for what should come at once; a busy machine may
// take its time.
const patience = time.Minute

// collect searches and returns the result with copies of all reports.
func collect(e *Engine, p *chess.Position, l Limits, o Options, prepared ...func()) (Result, []Info) {
	var infos []Info
	search := e.Prepare(p, l, o, func(i Info) {
		i.PV = slices.Clone(i.PV)
		infos = append(infos, i)
	})
	for _, do := range prepared {
		do()
	}
	return search(), infos
}

func TestGameOverAtRoot(t *testing.T) {
	for _, tt := range []struct {
		name, fen string
		want      eval.Score
	}{
		{"mated", "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", -mate},
		{"stalemated", "7k/8/6Q1/8/8/8/8/7K b - - 0 1", 0},
	} {
		r, infos := collect(engine(t), kit.Position(t, tt.fen), Limits{Depth: 5}, Options{})
		if r.Best != chess.NoMove || len(infos) != 1 || infos[0].Depth != 0 || infos[0].Score != tt.want {
			t.Errorf("%s: %s: best %v, reports %+v, want none and score %d", tt.name, tt.fen, r.Best, infos, tt.want)
		}
	}
}

func TestDraws(t *testing.T) {
	for _, tt := range []struct {
		name, fen   string
		moves       []string
		depth       Depth
		least, most eval.Score
	}{
		{"perpetual across an en-passant square that cannot be used", "5kbq/3Q2n1/6p1/r3PpKn/2n5/8/8/q7 w - f6 7 4",
			[]string{"d7c8", "f8f7", "c8d7", "f7f8", "d7d8", "f8f7", "d8d7"}, 10, 0, 0},
		{"fifty moves", "8/8/8/8/8/4k3/R7/4K3 w - - 99 150", nil, 6, 0, 0},
		{"stalemate is the best to be had", "7k/8/5K2/6P1/8/8/8/8 b - - 0 1", nil, 12, -eval.Limit, 0},
		// No rule ends this game, as a mate could be helped into being.
		{"opposite bishops alone", "8/8/4k3/2b5/8/3B4/4K3/8 w - - 0 1", nil, 10, -40, 40},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := engine(t).Search(kit.Position(t, tt.fen, tt.moves...), Limits{Depth: tt.depth}, Options{}, nil)
			if r.Score < tt.least || r.Score > tt.most {
				t.Errorf("%s %v: score %d, want %d to %d", tt.fen, tt.moves, r.Score, tt.least, tt.most)
			}
		})
	}
}

// checkLine walks a reported line: it is legal, goes not past the end of the game, and
// ends in mate where the score says so.
func checkLine(t *testing.T, fen string, info Info) {
	t.Helper()
	p := kit.Position(t, fen)
	for i, m := range info.PV {
		if !p.IsLegal(m) {
			t.Fatalf("%s: illegal move %v in line %v", fen, m, info.PV)
		}
		if i > 0 && (p.HalfmoveClock() >= 100 || p.Repetitions() >= 2 || p.InsufficientMaterial()) {
			t.Errorf("%s: line %v goes on after the game ends at %d", fen, info.PV, i)
		}
		p.Make(m)
	}
	moves, ok := info.Score.MateIn()
	if !ok || info.Bound != eval.Exact {
		return
	}
	plies := 2*moves - 1
	if moves <= 0 {
		plies = -2 * moves
	}
	if len(info.PV) != plies || p.HasLegalMove() || !p.InCheck() {
		t.Errorf("%s: mate %d but line %v has %d plies", fen, moves, info.PV, len(info.PV))
	}
}

func TestSearchMoves(t *testing.T) {
	e := engine(t)
	p := kit.Position(t, chess.StartFEN)
	var only []chess.Move
	for _, text := range []string{"a2a3", "h2h3"} {
		m := kit.Move(t, p, text)
		only = append(only, m)
	}
	r, infos := collect(e, p, Limits{Depth: 6, SearchMoves: append(only, chess.NoMove)}, Options{MultiPV: 10})
	if !slices.Contains(only, r.Best) {
		t.Errorf("searchmoves %v: best %v", only, r.Best)
	}
	if last := infos[len(infos)-1]; last.MultiPV != 2 {
		t.Errorf("two moves to look at: last report is line %d, want 2", last.MultiPV)
	}
}

// TestGoMate: a search for a mate in N moves ends at a mate in at most N, for either
// side, and at no other.
func TestGoMate(t *testing.T) {
	const matedInTwo = "8/8/3K1p1p/2N2pbr/2B1k2p/2P2p1P/2P2P2/8 b - - 0 1"
	for _, tt := range []struct {
		fen  string
		mate int
		ends bool
	}{
		{matedInTwo, 2, true}, {matedInTwo, 3, true}, {matedInTwo, 1, false},
		{"7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", 1, true}, {"k7/8/8/2K5/8/8/8/7R w - - 0 1", 2, true},
		{"7k/8/8/8/8/8/R7/1R5K w - - 0 1", 2, true}, {"7k/8/8/8/8/8/R7/1R5K w - - 0 1", 1, false},
		{"k7/8/8/8/8/8/8/7K w - - 0 1", 3, false},
	} {
		const nodes = 30_000
		r := engine(t).Search(kit.Position(t, tt.fen), Limits{Mate: tt.mate, Nodes: nodes, Depth: 40}, Options{}, nil)
		moves, ok := r.Score.MateIn()
		found := ok && max(moves, -moves) <= tt.mate
		if early := r.Nodes < nodes && r.Depth < 40; early != tt.ends || found != tt.ends {
			t.Errorf("%s: mate %d: ends after %d nodes at depth %d with %d %v, want the end there: %v", tt.fen, tt.mate, r.Nodes, r.Depth, moves, ok, tt.ends)
		}
	}
}

// TestSoftNodes: the iteration ends the search that is the first after which another
// one, half as long again as the last, would go beyond the soft limit.
func TestSoftNodes(t *testing.T) {
	e := engine(t)
	_, infos := collect(e, chess.NewPosition(), Limits{Depth: 14}, Options{})
	for _, soft := range []uint64{1, 100, 500, 2000, 9000, 30_000} {
		want, before := Depth(0), uint64(0)
		for _, info := range infos {
			if info.Depth > want && info.Bound == eval.Exact {
				if want = info.Depth; info.Nodes+(info.Nodes-before)*3/2 >= soft {
					break
				}
				before = info.Nodes
			}
		}
		e.Clear()
		if r := e.Search(chess.NewPosition(), Limits{SoftNodes: soft}, Options{}, nil); r.Depth != want {
			t.Errorf("%d soft nodes: depth %d, want %d", soft, r.Depth, want)
		}
	}
}

func TestStopPonderInfinite(t *testing.T) {
	mateInOne := "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"
	for _, tt := range []struct {
		name, fen string
		limits    Limits
		end       func(*Engine)
	}{
		{"infinite", chess.StartFEN, Limits{Infinite: true}, (*Engine).Stop},
		{"infinite with a mate", mateInOne, Limits{Infinite: true}, (*Engine).Stop},
		{"infinite without a move", "7k/8/6Q1/8/8/8/8/7K b - - 0 1", Limits{Infinite: true}, (*Engine).Stop},
		{"infinite beyond its nodes", chess.StartFEN, Limits{Infinite: true, Nodes: 600}, (*Engine).Stop},
		{"infinite beyond its time", chess.StartFEN, Limits{Infinite: true, MoveTime: time.Millisecond}, (*Engine).Stop},
		{"ponder beyond its nodes", chess.StartFEN, Limits{Ponder: true, Nodes: 600}, (*Engine).PonderHit},
		{"ponder beyond its nodes, stopped", chess.StartFEN, Limits{Ponder: true, Nodes: 600}, (*Engine).Stop},
		{"ponder stopped", chess.StartFEN, Limits{Ponder: true, MoveTime: time.Millisecond}, (*Engine).Stop},
		{"ponder hit", mateInOne, Limits{Ponder: true, Depth: 3}, (*Engine).PonderHit},
		{"ponder hit with time", chess.StartFEN, Limits{Ponder: true, MoveTime: 20 * time.Millisecond}, (*Engine).PonderHit},
	} {
		for _, threads := range []int{1, 3} {
			e := engine(t)
			kit.Succeed(t, e.SetThreads(threads))
			p := kit.Position(t, tt.fen)
			done := make(chan Result, 1)
			search := e.Prepare(p, tt.limits, Options{}, nil)
			go func() { done <- search() }()
			select {
			case <-done:
				t.Fatalf("%s, %d threads: returned before it was told to", tt.name, threads)
			case <-time.After(60 * time.Millisecond):
			}
			tt.end(e)
			select {
			case <-done:
			case <-time.After(patience):
				t.Fatalf("%s, %d threads: did not return", tt.name, threads)
			}
		}
	}
}

func TestNoAllocationInNodes(t *testing.T) {
	e := engine(t)
	p := kit.Position(t, benchPositions[8])
	e.Search(p, Limits{Depth: 4}, Options{}, nil)
	w := e.workers[0]
	roots := rootMoves(p, nil)
	var nodes uint64
	run := func() {
		clear(e.table.clusters)
		w.prepare(p, roots)
		w.nodeLimit, w.depth = 1<<60, 1
		e.stopped.Store(false)
		for depth := Depth(1); depth <= 15; depth++ {
			w.depth = depth
			w.search(0, depth, -infinity, infinity, false)
		}
		nodes = w.nodes
	}
	allocs := testing.AllocsPerRun(3, run)
	for range 5 { // what goroutines of the runtime allocate meanwhile is counted too
		if allocs == 0 {
			break
		}
		allocs = min(allocs, testing.AllocsPerRun(1, run))
	}
	if allocs != 0 || nodes < 2000 {
		t.Errorf("%s: %v allocations in %d nodes, want 0 in many", p, allocs, nodes)
	}
}

func TestSetHashKeepsTheOldTableOnError(t *testing.T) {
	e := engine(t)
	old := e.table
	for _, mib := range []int{0, -1, MaxHash + 1} {
		if err := e.SetHash(mib); err == nil {
			t.Errorf("SetHash(%d): no error", mib)
		}
	}
	if e.table != old {
		t.Error("the table was replaced")
	}
	if err := e.SetHash(3); err != nil || len(e.table.clusters) != 3<<20/64 {
		t.Errorf("SetHash(3): %v, %d clusters", err, len(e.table.clusters))
	}
}

// TestNoLimitBelowZero: numbers below zero limit as little as zeros.
func TestNoLimitBelowZero(t *testing.T) {
	p := kit.Position(t, benchPositions[8])
	var results []Result
	for _, n := range []int{0, -1, -100} {
		e := engine(t)
		results = append(results, e.Search(p, Limits{Depth: Depth(n), Mate: n, MoveTime: time.Duration(n), MovesToGo: n, Nodes: 3000}, Options{}, nil))
	}
	for _, r := range results {
		if r != results[0] || r.Nodes < 3000 {
			t.Errorf("%+v, want all alike and 3000 nodes", results)
			break
		}
	}
}

// TestAfterNull searches a position that a null move led to as the same one without a history.
func TestAfterNull(t *testing.T) {
	for fen, move := range map[string]string{"4k3/8/8/8/8/8/8/1R2K3 b - - 0 1": "b1a1", "4k3/8/8/8/8/8/8/R3K3 b Q - 0 1": "e1c1"} {
		p := kit.Position(t, fen)
		p.MakeNull()
		only := kit.Move(t, p, move)
		got, err := Search(t.Context(), p, Limits{Depth: 3, SearchMoves: []chess.Move{only}}, Config{Hash: 1}, nil)
		if kit.Succeed(t, err); got.Best != only {
			t.Errorf("%s: %v, want %v", p.FEN(), got.Best, only)
		}
		fresh := kit.Position(t, p.FEN())
		got, err = Search(t.Context(), p, Limits{Depth: 6}, Config{Hash: 1}, nil)
		kit.Succeed(t, err)
		if p.FEN() != fresh.FEN() || !p.IsLegal(got.Best) {
			t.Errorf("%s after the search: %s, %v", fen, p.FEN(), got.Best)
		}
	}
}

// TestFewerLines: a report of fewer lines than the one before leaves no old line behind it.
func TestFewerLines(t *testing.T) {
	var a Analysis
	for _, line := range []int{1, 2, 3, 1, 2} {
		a.keep(&Info{MultiPV: line, PV: []chess.Move{1}, Depth: Depth(line)})
	}
	if len(a.Lines) != 2 {
		t.Errorf("%d lines, want 2", len(a.Lines))
	}
	if got := new(Analysis).SAN(); got != "--" {
		t.Errorf("no search has the best move %s", got)
	}
}

// TestOtherClock: the clock of the side that waits ends no search.
func TestOtherClock(t *testing.T) {
	l := Limits{Time: [2]time.Duration{time.Second}, Timed: [2]bool{true}}
	p := kit.Position(t, "4k3/8/8/8/8/8/8/4K2R b - - 0 1")
	if _, err := Search(context.Background(), p, l, Config{Hash: 1}, nil); !errors.Is(err, errEndless) {
		t.Errorf("error %v", err)
	}
}
