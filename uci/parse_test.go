package uci

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/search"
)

func TestParseGo(t *testing.T) {
	const ms = time.Millisecond
	e2e4, d2d4 := chess.NewMove(12, 28, chess.Normal), chess.NewMove(11, 27, chess.Normal)
	for _, tt := range []struct {
		args    string
		want    search.Limits
		bounded bool
		notes   int
	}{
		{args: "", want: search.Limits{Infinite: true}},
		{args: "depth 7", want: search.Limits{Depth: 7}, bounded: true},
		{args: "depth 7 infinite", want: search.Limits{Depth: 7, Infinite: true}},
		{args: "nodes 20000", want: search.Limits{Nodes: 20000}, bounded: true},
		{args: "mate 2", want: search.Limits{Mate: 2}},
		{args: "movetime 500", want: search.Limits{MoveTime: 500 * ms}, bounded: true},
		{
			args: "wtime 1000 btime 2000 winc 10 binc 20 movestogo 40",
			want: search.Limits{
				Time: [2]time.Duration{1000 * ms, 2000 * ms}, Inc: [2]time.Duration{10 * ms, 20 * ms},
				Timed: [2]bool{true, true}, MovesToGo: 40,
			},
			bounded: true,
		},
		{
			args:    "binc 20 btime 2000 wtime -5",
			want:    search.Limits{Time: [2]time.Duration{-5 * ms, 2000 * ms}, Inc: [2]time.Duration{0, 20 * ms}, Timed: [2]bool{true, true}},
			bounded: true,
		},
		{args: "wtime 100", want: search.Limits{Time: [2]time.Duration{100 * ms}, Timed: [2]bool{true}}, bounded: true},
		{
			args:    "btime 100 binc 7", // the opponent's clock alone
			want:    search.Limits{Time: [2]time.Duration{100 * ms, 100 * ms}, Inc: [2]time.Duration{7 * ms, 7 * ms}, Timed: [2]bool{true, true}},
			bounded: true, notes: 1,
		},
		{
			args:    "btime 90000 winc 30 binc 20", // a clock that is left out because it stands at zero
			want:    search.Limits{Time: [2]time.Duration{30 * ms, 90000 * ms}, Inc: [2]time.Duration{30 * ms, 20 * ms}, Timed: [2]bool{true, true}},
			bounded: true, notes: 1,
		},
		{
			args: "winc 30 binc 20", bounded: true, notes: 1,
			want: search.Limits{Time: [2]time.Duration{30 * ms}, Inc: [2]time.Duration{30 * ms, 20 * ms}, Timed: [2]bool{true}},
		},
		{
			args: "binc 20", bounded: true, notes: 1,
			want: search.Limits{Time: [2]time.Duration{20 * ms}, Inc: [2]time.Duration{20 * ms, 20 * ms}, Timed: [2]bool{true}},
		},
		{
			args: "winc 30 movestogo 20", bounded: true, notes: 1,
			want: search.Limits{Time: [2]time.Duration{30 * ms}, Inc: [2]time.Duration{30 * ms}, Timed: [2]bool{true}, MovesToGo: 20},
		},
		{args: "movestogo 20", want: search.Limits{Time: [2]time.Duration{shortClock}, Timed: [2]bool{true}, MovesToGo: 20}, bounded: true, notes: 1},
		{args: "movestogo 0", want: search.Limits{Time: [2]time.Duration{shortClock}, Timed: [2]bool{true}}, bounded: true, notes: 1},
		{args: "winc 0 binc 0", want: search.Limits{Time: [2]time.Duration{shortClock}, Timed: [2]bool{true}}, bounded: true, notes: 1},
		{
			args: "ponder winc 30", notes: 1,
			want: search.Limits{Time: [2]time.Duration{30 * ms}, Inc: [2]time.Duration{30 * ms}, Timed: [2]bool{true}, Ponder: true},
		},
		{args: "wtime 0", want: search.Limits{Timed: [2]bool{true}}, bounded: true},
		{args: "btime 0", want: search.Limits{Timed: [2]bool{true, true}}, bounded: true, notes: 1},
		{args: "wtime 0 winc 30", want: search.Limits{Inc: [2]time.Duration{30 * ms}, Timed: [2]bool{true}}, bounded: true},
		{args: "depth 3 winc 30", want: search.Limits{Depth: 3, Inc: [2]time.Duration{30 * ms}}, bounded: true},
		{args: "movetime 5 movestogo 20", want: search.Limits{MoveTime: 5 * ms, MovesToGo: 20}, bounded: true},
		{args: "mate 3 winc 30", want: search.Limits{Mate: 3, Inc: [2]time.Duration{30 * ms}}},
		{args: "infinite winc 30", want: search.Limits{Inc: [2]time.Duration{30 * ms}, Infinite: true}},
		{args: "infinite btime 90 winc 30", notes: 1, want: search.Limits{
			Time: [2]time.Duration{30 * ms, 90 * ms}, Inc: [2]time.Duration{30 * ms}, Timed: [2]bool{true, true}, Infinite: true}},
		{
			args: "ponder wtime 100 btime 100",
			want: search.Limits{Time: [2]time.Duration{100 * ms, 100 * ms}, Timed: [2]bool{true, true}, Ponder: true},
		},
		{
			args: "depth 3 searchmoves e2e4 d2d4 e2e4 nodes 5",
			want: search.Limits{Depth: 3, Nodes: 5, SearchMoves: []chess.Move{e2e4, d2d4}}, bounded: true,
		},
		{args: "searchmoves e2e4", want: search.Limits{Infinite: true, SearchMoves: []chess.Move{e2e4}}},
		{
			args: "depth 3 searchmoves e2e5 d2d4 zz", want: search.Limits{Depth: 3, SearchMoves: []chess.Move{d2d4}},
			bounded: true, notes: 2,
		},
		{args: "depth 3 searchmoves e2e5", want: search.Limits{Depth: 3}, bounded: true, notes: 2},
		{args: "depth 0x5", want: search.Limits{Depth: 1}, bounded: true, notes: 2},
		{args: "depth", want: search.Limits{Depth: 1}, bounded: true, notes: 2},
		{args: "fast", want: search.Limits{Depth: 1}, bounded: true, notes: 2},
		{args: "depth nodes 9", want: search.Limits{Nodes: 9}, bounded: true, notes: 1},
		{args: "depth 0", want: search.Limits{Depth: 1}, bounded: true, notes: 1},
		{args: "depth 99999999999999999999", want: search.Limits{Depth: maxDepth}, notes: 1},
		{args: "nodes 0", want: search.Limits{Nodes: 1}, bounded: true, notes: 1},
		{args: "movetime 0", want: search.Limits{MoveTime: ms}, bounded: true, notes: 1},
		{args: "movetime 9999999999999999", want: search.Limits{MoveTime: maxMillis * ms}, notes: 1},
		{
			args: "wtime -99999999999999999999", bounded: true, notes: 1,
			want: search.Limits{Time: [2]time.Duration{-maxMillis * ms}, Timed: [2]bool{true}},
		},
		{args: "depth 2 movestogo 0", want: search.Limits{Depth: 2, MovesToGo: 0}, bounded: true},
		{args: "depth 2 movestogo -1", want: search.Limits{Depth: 2}, bounded: true, notes: 1},
	} {
		r := parseGo(chess.NewPosition(), strings.Fields(tt.args), time.Time{})
		if d := cmp.Diff(tt.want, r.limits); d != "" {
			t.Errorf("go %s: limits (-want +got):\n%s", tt.args, d)
		}
		if r.bounded != tt.bounded || len(r.notes) != tt.notes || r.perft != -1 {
			t.Errorf("go %s: bounded %v notes %q perft %d, want %v, %d notes, -1",
				tt.args, r.bounded, r.notes, r.perft, tt.bounded, tt.notes)
		}
	}
}

// TestNumberNotes: a number that is out of range is told as it was given, with the
// range and what is taken for it.
func TestNumberNotes(t *testing.T) {
	for args, want := range map[string]string{
		"nodes 18446744073709551615": `nodes "18446744073709551615" is out of range 1 to 9223372036854775807, taken as 9223372036854775807`,
		"nodes 9223372036854775808":  `nodes "9223372036854775808" is out of range 1 to 9223372036854775807, taken as 9223372036854775807`,
		"depth -3":                   `depth "-3" is out of range 1 to 1000, taken as 1`,
	} {
		if r := parseGo(chess.NewPosition(), strings.Fields(args), time.Time{}); len(r.notes) == 0 || r.notes[0] != want {
			t.Errorf("go %s: notes %q, want %q", args, r.notes, want)
		}
	}
	if r := parseGo(chess.NewPosition(), strings.Fields("nodes 9223372036854775807"), time.Time{}); len(r.notes) > 0 {
		t.Errorf("the largest number is noted: %q", r.notes)
	}
}

func TestSetOption(t *testing.T) {
	normal := search.Options{MultiPV: 1, MoveOverhead: 10 * time.Millisecond, Tables: search.Tables{Pieces: 7, Depth: 1}}
	for option, change := range map[string]func(*search.Options){
		"MultiPV value 4":              func(o *search.Options) { o.MultiPV = 4 },
		"multipv value 4":              func(o *search.Options) { o.MultiPV = 4 },
		"MultiPV value 256":            func(o *search.Options) { o.MultiPV = 256 },
		"MultiPV value 0":              func(*search.Options) {},
		"Move Overhead value 250":      func(o *search.Options) { o.MoveOverhead = 250 * time.Millisecond },
		" move   overhead  value  250": func(o *search.Options) { o.MoveOverhead = 250 * time.Millisecond },
		"MoveOverhead value 250":       func(o *search.Options) { o.MoveOverhead = 250 * time.Millisecond },
		"Move Overhead value 0":        func(o *search.Options) { o.MoveOverhead = 0 },
		"Move Overhead value 5000":     func(o *search.Options) { o.MoveOverhead = 5 * time.Second },
		"MultiPV value\u00a04":         func(o *search.Options) { o.MultiPV = 4 },
		"SyzygyProbeDepth value 5":     func(o *search.Options) { o.Tables.Depth = 5 },
		"SyzygyProbeLimit value 0":     func(o *search.Options) { o.Tables.Pieces = 0 },
		"Syzygy50MoveRule value false": func(o *search.Options) { o.Tables.IgnoreRule50 = true },
	} {
		e, want := &fakeEngine{}, normal
		change(&want)
		script(t, e, testConfig, "setoption name "+option+"\ngo depth 1\n")
		if d := cmp.Diff([]search.Options{want}, e.options); d != "" {
			t.Errorf("%s (-want +got):\n%s", option, d)
		}
	}
}

// TestMemoryOptions: workers and tables are made when the option is set.
func TestMemoryOptions(t *testing.T) {
	e := &fakeEngine{}
	got := script(t, e, testConfig, "setoption name Threads value 8\nsetoption name Threads value 5000\nsetoption name Hash value 64\n"+
		"setoption name CLEAR hash\nsetoption name Hash value 999999999\n")
	if d := cmp.Diff([]string{"threads 8", "threads 1024", "hash 64", "clear", "hash 1048576"}, e.events); d != "" {
		t.Errorf("engine calls (-want +got):\n%s", d)
	}
	if countLines(got, "info string setoption: Hash") != 1 || countLines(got, "info string setoption: Threads") != 1 {
		t.Errorf("each clamped option should be told once: %q", got)
	}
	got = script(t, &fakeEngine{hashErr: errGone}, testConfig, "setoption name Hash value 64\n")
	if got[0] != "info string error: Hash: gone; the table stays at 5 MiB, paper, all there" {
		t.Errorf("a failed Hash is answered %q", got)
	}
}

// TestSearchMovesEnd: the moves of searchmoves end at every other word of go.
func TestSearchMovesEnd(t *testing.T) {
	p := chess.NewPosition()
	for _, w := range goWords() {
		rest := []string{w.word}
		switch w.takes {
		case "":
		case takesMoves:
			rest = append(rest, "d2d4")
		default:
			rest = append(rest, "7")
		}
		got := parseGo(p, append([]string{"searchmoves", "e2e4"}, rest...), time.Time{})
		alone := parseGo(p, rest, time.Time{})
		if len(got.notes) != len(alone.notes) || got.perft != alone.perft || got.limits.SearchMoves[0].String() != "e2e4" {
			t.Errorf("searchmoves e2e4 %q: %+v, alone %+v", rest, got, alone)
		}
		got.limits.SearchMoves, alone.limits.SearchMoves = nil, nil
		if d := cmp.Diff(alone.limits, got.limits); d != "" {
			t.Errorf("searchmoves e2e4 %q (-alone +got):\n%s", rest, d)
		}
	}
}
