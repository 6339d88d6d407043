package search_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/test/kit"
)

const backRank = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"

func TestSearchFunction(t *testing.T) {
	p := kit.Position(t, backRank)
	reports := 0
	a, err := search.Search(t.Context(), p, search.Limits{Depth: 4}, search.Config{MultiPV: 2}, func(search.Info) { reports++ })
	if err != nil || a.SAN() != "Ra8#" || a.LineSAN(0) != "1. Ra8#" || a.Lines[0].Score.String() != "#1" {
		t.Errorf("%+v, %v, want Ra8#", a, err)
	}
	if len(a.Lines) != 2 || a.Lines[1].Moves[0] == a.Best || reports < 2 {
		t.Errorf("lines %+v after %d reports, want two that differ", a.Lines, reports)
	}
	if a, err := search.Search(t.Context(), kit.Position(t, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"), search.Limits{Depth: 1}, search.Config{}, nil); err != nil ||
		a.Best != chess.NoMove || a.SAN() != "--" || len(a.Lines) != 0 || a.LineSAN(0) != "" || a.LineSAN(-1) != "" {
		t.Errorf("mated: %+v, %v", a, err)
	}
}

// TestSearchTables: the tables of a Config decide the score.
func TestSearchTables(t *testing.T) {
	tables, err := syzygy.Open()
	kit.Succeed(t, err)
	defer tables.Close()
	p := kit.Position(t, "8/8/8/4k3/8/8/8/KR6 w - - 90 80") // too late to mate
	for _, with := range []*syzygy.Tables{nil, tables} {
		a, err := search.Search(t.Context(), p, search.Limits{Depth: 2}, search.Config{Tables: with}, nil)
		if known := a.Score < 50; err != nil || known != (with != nil) {
			t.Errorf("with tables %v: score %v, %v", with != nil, a.Score, err)
		}
	}
}

func TestSearchRefuses(t *testing.T) {
	p := chess.NewPosition()
	var bad *search.LimitError
	for _, l := range []search.Limits{
		{Depth: -1}, {Mate: -1}, {MoveTime: -1}, {Depth: 1, MovesToGo: -1}, {Depth: 1, Inc: [2]time.Duration{-1, 0}}, {Depth: 1, NodeTime: -1},
		{Depth: 1, SearchMoves: []chess.Move{chess.NoMove}},
	} {
		if _, err := search.Search(t.Context(), p, l, search.Config{}, nil); !errors.As(err, &bad) {
			t.Errorf("%+v: %v, want a LimitError", l, err)
		}
	}
	for _, l := range []search.Limits{{}, {Mate: 3}, {Infinite: true, Depth: 3}, {Ponder: true, Depth: 3}} {
		if _, err := search.Search(context.Background(), p, l, search.Config{}, nil); err == nil {
			t.Errorf("%+v without an end: no error", l)
		}
	}
	for _, c := range []search.Config{{Hash: -1}, {Threads: -1}, {Threads: search.MaxThreads + 1}, {MultiPV: -1}} {
		if _, err := search.Search(t.Context(), p, search.Limits{Depth: 1}, c, nil); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
	if _, err := search.NewPool(0, search.Config{}); err == nil {
		t.Error("a pool of no engines")
	}
}

// TestSearchContext: the end of the context ends the search with what it found.
func TestSearchContext(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, l := range []search.Limits{{}, {Infinite: true}} {
		ctx, cancel := context.WithCancel(t.Context())
		a, err := search.Search(ctx, chess.NewPosition(), l, search.Config{Threads: 2}, func(search.Info) { cancel() })
		cancel()
		if !errors.Is(err, context.Canceled) || a.Best == chess.NoMove || len(a.Lines) != 1 {
			t.Errorf("%+v: %v, %v, want a move and %v", l, a.Best, err, context.Canceled)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	// The time of a program whose context is its clock may be over before the engine is there.
	if a, err := search.Search(ended, chess.NewPosition(), search.Limits{Depth: 1}, search.Config{}, nil); !errors.Is(err, context.Canceled) ||
		!chess.NewPosition().IsLegal(a.Best) || a.LineSAN(0) == "" {
		t.Errorf("an ended context: %v", err)
	}
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(10 * time.Millisecond) {
		if runtime.NumGoroutine() <= before {
			return
		}
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

// TestPool: more searches than engines all end, each with its own answer.
func TestPool(t *testing.T) {
	pool, err := search.NewPool(2, search.Config{Hash: 1})
	kit.Succeed(t, err)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			fen, want := backRank, "Ra8#"
			if i%2 == 1 {
				fen, want = "r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", "Ra1#"
			}
			p, err := chess.ParseFEN(fen)
			if err != nil {
				t.Error(err)
				return
			}
			if a, err := pool.Search(t.Context(), p, search.Limits{Depth: 5}, nil); err != nil || a.SAN() != want {
				t.Errorf("search %d: %s, %v, want %s", i, a.SAN(), err, want)
			}
		})
	}
	wg.Wait()

	// With every engine busy, a context that ends is all that a search needs.
	busy, stop := context.WithCancel(t.Context())
	for range 2 {
		wg.Go(func() { _, _ = pool.Search(busy, chess.NewPosition(), search.Limits{}, nil) })
	}
	for { // until both are at it
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err = pool.Search(ctx, chess.NewPosition(), search.Limits{Depth: 1}, nil)
		cancel()
		if err != nil {
			break
		}
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a busy pool: %v", err)
	}
	stop()
	wg.Wait()
	pool.Close()
	pool.Close() // does nothing
}

// TestSearchClock: a clock ends a search by its time alone, and no clock or increment is too large.
func TestSearchClock(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, l := range []search.Limits{
		{Time: [2]time.Duration{20 * time.Millisecond, 20 * time.Millisecond}},
		{Time: [2]time.Duration{math.MaxInt64, 0}, Inc: [2]time.Duration{math.MaxInt64, 0}, Depth: 6},
	} {
		if a, err := search.Search(ctx, chess.NewPosition(), l, search.Config{}, nil); err != nil || len(a.Lines) != 1 || l.Depth > 0 && a.Lines[0].Depth != l.Depth {
			t.Errorf("%+v: %+v, %v", l, a, err)
		}
	}
}

func TestWhiteScore(t *testing.T) {
	black := kit.Position(t, "7k/8/8/8/8/8/8/K7 b - - 0 1")
	for _, s := range []eval.Score{35, -120, 0} {
		if search.WhiteScore(black, s) != -s || search.WhiteScore(chess.NewPosition(), s) != s {
			t.Errorf("%d: White sees it wrongly", s)
		}
	}
}
