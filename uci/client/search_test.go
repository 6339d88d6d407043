package client

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/test/kit"
)

func TestSearchManners(t *testing.T) {
	for _, tt := range []struct {
		manner string
		limits GoLimits
		kind   func(error) bool
		text   string
		alive  bool // the engine can go on
	}{
		{"good", GoLimits{Depth: 1}, isNil, "", true},
		{"chatters", GoLimits{Depth: 1}, isNil, "", true},
		{"hangs", GoLimits{MoveTime: time.Millisecond}, isTimeout, `"go movetime 1" within 1.001s`, false},
		{"hangs", GoLimits{Time: [2]time.Duration{time.Millisecond, time.Hour}}, isTimeout, `within 1.001s`, false},
		{"crashes", GoLimits{Depth: 1}, isExit, `"go depth 1" (exit status 134): assertion failed`, false},
		{"illegal", GoLimits{Depth: 1}, isProtocol, `"bestmove e2e5"`, true},
		{"none", GoLimits{Depth: 1}, isProtocol, "no best move", true},
		{"floods", GoLimits{Depth: 1}, isNil, "", true},
		{"half a line", GoLimits{Depth: 1}, isNil, "", false},
	} {
		t.Run(tt.manner, func(t *testing.T) {
			goroutines(t)
			var e *Engine
			if tt.manner == "hangs" {
				e = hastyFake(t, tt.manner)
			} else {
				e = fake(t, tt.manner)
			}
			_, err := e.Search(t.Context(), start(), tt.limits, nil)
			if !tt.kind(err) || err != nil && !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v (%T), want one with %q", err, err, tt.text)
			}
			if err := e.Ready(t.Context()); (err == nil) != tt.alive {
				t.Errorf("afterwards Ready is %v, want alive %v", err, tt.alive)
			}
			e.Close()
			reaped(t, e)
		})
	}
}

// TestClocks: where the game has clocks, both are sent, and one at zero is neither none nor without a bound.
func TestClocks(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		limits GoLimits
		want   string
		bound  time.Duration // for White
	}{
		{GoLimits{Inc: [2]time.Duration{1000 * ms, 1000 * ms}}, "go wtime 1 btime 1 winc 1000 binc 1000", ms},
		{GoLimits{Time: [2]time.Duration{0, 5000 * ms}}, "go wtime 1 btime 5000", ms},
		{GoLimits{Time: [2]time.Duration{5000 * ms, 0}, Inc: [2]time.Duration{0, 10 * ms}}, "go wtime 5000 btime 1 binc 10", 5000 * ms},
		{GoLimits{Time: [2]time.Duration{-5 * ms, -6 * ms}}, "go wtime 1 btime 1", ms},
		{GoLimits{MovesToGo: 20}, "go wtime 1 btime 1 movestogo 20", ms},
		{GoLimits{MoveTime: 7 * ms}, "go movetime 7", 7 * ms},
		{GoLimits{Depth: 3}, "go depth 3", 0},
		{GoLimits{}, "go infinite", 0},
	} {
		if got := tt.limits.command(nil); got != tt.want || tt.limits.bound(chess.White) != tt.bound {
			t.Errorf("%+v: %q within %v, want %q within %v", tt.limits, got, tt.limits.bound(chess.White), tt.want, tt.bound)
		}
	}
}

func TestSearchResult(t *testing.T) {
	e := fake(t, "good")
	var infos []InfoLine
	r, err := e.Search(t.Context(), start(), GoLimits{Depth: 2}, func(in InfoLine) { infos = append(infos, in) })
	kit.Succeed(t, err)
	if r.Best.String() != "d2d4" || r.Ponder != chess.NoMove { // e7e4 is not legal
		t.Errorf("move %v, ponder %v, want d2d4 and none", r.Best, r.Ponder)
	}
	if len(infos) != 2 || infos[0].Depth != 1 || infos[0].Score.String() != "+0.13" || len(infos[0].PV) != 2 {
		t.Errorf("infos %+v, want two, the first of depth 1, +0.13, with two moves", infos)
	}
	if last := r.Info(); last.Score.String() != "#3" || len(last.PV) != 1 {
		t.Errorf("last %+v, want #3 and one move", last)
	}
}

// TestBest reads answers where there are moves and where there are none.
func TestBest(t *testing.T) {
	for _, tt := range []struct {
		line, move, ponder string // "" for an error
		none               bool   // it is right where no move is legal
	}{
		{line: "bestmove", none: true}, {line: "bestmove (none)", none: true},
		{line: "bestmove 0000", none: true}, {line: "bestmove NULL", none: true},
		{line: "bestmove none"}, {line: "bestmove e2e5"}, {line: "bestmove e7e5"},
		{"bestmove e2e4", "e2e4", "0000", false}, {"bestmove e2e4 ponder", "e2e4", "0000", false},
		{"bestmove e2e4 hash e7e5", "e2e4", "0000", false}, {"bestmove e2e4 ponder e7e4", "e2e4", "0000", false},
		{"bestmove e2e4 ponder e7e5", "e2e4", "e7e5", false},
	} {
		p, got := start(), Answer{}
		err := got.best(p, tt.line)
		if isProtocol(err) != (tt.move == "") || err == nil && (got.Best.String() != tt.move || got.Ponder.String() != tt.ponder) {
			t.Errorf("%q: %v ponder %v, %v; want %s ponder %s", tt.line, got.Best, got.Ponder, err, tt.move, tt.ponder)
		}
		if p.FEN() != chess.StartFEN {
			t.Errorf("%q changes the position to %s", tt.line, p.FEN())
		}
		got, p = Answer{}, kit.Position(t, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
		if err := got.best(p, tt.line); (err == nil) != tt.none || got.Best != chess.NoMove {
			t.Errorf("%q without a legal move: %v, %v", tt.line, got.Best, err)
		}
	}
}

// TestPonder: the clock runs once the expected move is played; until then nobody else may ask.
func TestPonder(t *testing.T) {
	goroutines(t)
	e, hit, heard := fake(t, "waits"), make(chan struct{}), ""
	r, err := e.Search(t.Context(), start(), GoLimits{Ponder: hit, MoveTime: time.Millisecond}, func(in InfoLine) {
		if heard += in.Text; in.Text != "" {
			return
		}
		if _, err := e.Search(t.Context(), start(), GoLimits{}, nil); !errors.Is(err, ErrBusy) {
			t.Errorf("a second search: %v, want %v", err, ErrBusy)
		}
		close(hit)
	})
	if err != nil || r.Best.String() != "e2e4" || r.Ponder.String() != "e7e5" || heard != "heard ponderhit" {
		t.Errorf("%v ponder %v, %q, %v", r.Best, r.Ponder, heard, err)
	}
}

// TestSearchContext: the end of the context stops the search, not the engine.
func TestSearchContext(t *testing.T) {
	goroutines(t)
	enough := errors.New("enough")
	for _, limits := range []GoLimits{{Infinite: true}, {Ponder: make(chan struct{}), MoveTime: time.Millisecond}} {
		e, heard := fake(t, "waits"), ""
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		r, err := e.Search(ctx, start(), limits, func(in InfoLine) { heard += in.Text; cancel(enough) })
		if !errors.Is(err, enough) || r.Best.String() != "e2e4" || heard != "heard stop" {
			t.Errorf("%v, %q, %v, want e2e4 and %v", r.Best, heard, err, enough)
		}
		if err := e.Ready(t.Context()); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	}
	e := fake(t, "slow")
	early, cancelled := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, enough)
	defer cancelled()
	if _, err := e.Search(early, start(), GoLimits{Infinite: true}, nil); !errors.Is(err, enough) && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled while the position is set up: %v", err)
	}
	if err := e.Ready(t.Context()); err != nil {
		t.Errorf("after a search that was cancelled while its position was set up: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	deaf := hastyFake(t, "hangs")
	if _, err := deaf.Search(ctx, start(), GoLimits{}, func(InfoLine) { cancel(enough) }); !isTimeout(err) {
		t.Errorf("an engine that does not hear stop: %v, want a TimeoutError", err)
	}
}

func TestBadLimits(t *testing.T) {
	e := fake(t, "good")
	for _, l := range []GoLimits{
		{Depth: -1}, {Mate: -2}, {MoveTime: -1}, {MovesToGo: -1}, {Inc: [2]time.Duration{0, -1}},
		{SearchMoves: []chess.Move{chess.NoMove}},
	} {
		if _, err := e.Search(t.Context(), start(), l, nil); err == nil {
			t.Errorf("%+v: no error", l)
		}
	}
}

// TestCloseDuringSearch: whoever waits is told.
func TestCloseDuringSearch(t *testing.T) {
	goroutines(t)
	e := hastyFake(t, "waits") // it does not hear quit
	closed := func(InfoLine) { go e.Close() }
	if _, err := e.Search(t.Context(), start(), GoLimits{}, closed); !errors.Is(err, ErrClosed) {
		t.Errorf("%v, want %v", err, ErrClosed)
	}
	e.Close()
	reaped(t, e)
}

// TestLongTime: no time is too long to wait for.
func TestLongTime(t *testing.T) {
	e := fake(t, "good")
	for _, l := range []GoLimits{{MoveTime: math.MaxInt64}, {Time: [2]time.Duration{math.MaxInt64, math.MaxInt64}}} {
		if _, err := e.Search(t.Context(), chess.NewPosition(), l, nil); err != nil {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

func TestParseInfo(t *testing.T) {
	p := chess.NewPosition()
	moves := func(text string) (out []chess.Move) {
		q := p.Clone()
		for _, w := range strings.Fields(text) {
			m := kit.Move(t, q, w)
			q.Make(m)
			out = append(out, m)
		}
		return out
	}
	for _, tt := range []struct {
		line string
		want InfoLine
	}{
		{"info", InfoLine{}},
		{
			"info depth 12 seldepth 20 multipv 2 score cp -31 upperbound nodes 12345 nps 1000000 hashfull 17 tbhits 3 time 1500 pv e2e4 e7e5",
			InfoLine{
				Depth: 12, SelDepth: 20, MultiPV: 2, Score: EngineScore{Centipawns, -31, eval.Upper}, Nodes: 12345, NPS: 1000000,
				HashFull: 17, TBHits: 3, Time: 1500 * time.Millisecond, PV: moves("e2e4 e7e5"),
			},
		},
		{"info score mate -2 wdl 0 1 999", InfoLine{Score: EngineScore{Kind: Mate, Value: -2}, WDL: &WDL{0, 1, 999}}},
		{"info score lowerbound cp 5 depth 3", InfoLine{Depth: 3, Score: EngineScore{Centipawns, 5, eval.Lower}}},
		{"info currmove g1f3 currmovenumber 4 cpuload 990", InfoLine{Move: moves("g1f3")[0], MoveNumber: 4, CPULoad: 990}},
		{"info string depth 3 pv e2e4", InfoLine{Text: "depth 3 pv e2e4"}},
		{"info depth 1 string NNUE  on", InfoLine{Depth: 1, Text: "NNUE  on"}},
		{"info pv e2e4 e7e4 g1f3 depth 2", InfoLine{Depth: 2, PV: moves("e2e4"), Unread: []string{"e7e4", "g1f3"}}},
		{"info depth x nodes -5 frob 7", InfoLine{Unread: []string{"x", "frob", "7"}}},
		{"info depth 99999999999999999999", InfoLine{Unread: []string{"99999999999999999999"}}},
		{"info score cp", InfoLine{Score: EngineScore{Kind: Centipawns}}},
		{"info score cp x", InfoLine{Unread: []string{"x"}}},
		{"info currmove", InfoLine{}},
		{"info depth 2 sbhits 0 currline 1 d2d4 d7d5 nodes 7", InfoLine{Depth: 2, Nodes: 7}},
		{"info currline x", InfoLine{Unread: []string{"x"}}},
		{"info pv", InfoLine{}},
	} {
		if d := cmp.Diff(tt.want, ParseInfo(p, tt.line)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.line, d)
		}
	}
}

func TestScore(t *testing.T) {
	for _, tt := range []struct {
		score      EngineScore
		text, flip string
	}{
		{EngineScore{}, "", ""},
		{EngineScore{Kind: Centipawns, Value: 35}, "+0.35", "-0.35"},
		{EngineScore{Kind: Centipawns, Value: -207, Bound: eval.Lower}, "≥-2.07", "≤+2.07"},
		{EngineScore{Kind: Mate, Value: 3, Bound: eval.Upper}, "≤#3", "≥#-3"},
		{EngineScore{Kind: Mate, Value: -1}, "#-1", "#1"},
	} {
		if got := tt.score.String(); got != tt.text {
			t.Errorf("%+v: %q, want %q", tt.score, got, tt.text)
		}
		if got := tt.score.For(chess.White, chess.Black).String(); got != tt.flip {
			t.Errorf("%+v for White with Black to move: %q, want %q", tt.score, got, tt.flip)
		}
		if got := tt.score.For(chess.Black, chess.Black); got != tt.score {
			t.Errorf("%+v for the side to move: %+v", tt.score, got)
		}
	}
}

func FuzzParseInfo(f *testing.F) {
	for _, line := range []string{"info depth 3 score cp 1 pv e2e4", "info currline 2 e2e4 string x", "info wdl 1"} {
		f.Add(line)
	}
	p := chess.NewPosition()
	f.Fuzz(func(t *testing.T, line string) {
		q := p.Clone()
		for _, m := range ParseInfo(p, line).PV {
			if err := q.Play(m); err != nil {
				t.Fatalf("%q: %v in the line: %v", line, m, err)
			}
		}
		if o, ok := parseOption(line); ok && (o.Name == "" || o.Type == "") {
			t.Errorf("%q: option %+v", line, o)
		}
	})
}
