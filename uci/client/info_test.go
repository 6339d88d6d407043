package client

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/must"
)

func TestParseInfo(t *testing.T) {
	p := chess.NewPosition()
	moves := func(text string) (out []chess.Move) {
		q := p.Clone()
		for _, w := range strings.Fields(text) {
			m, err := q.ParseUCI(w)
			must.Succeed(t, err)
			q.Make(m)
			out = append(out, m)
		}
		return out
	}
	for _, tt := range []struct {
		line string
		want Info
	}{
		{"info", Info{}},
		{
			"info depth 12 seldepth 20 multipv 2 score cp -31 upperbound nodes 12345 nps 1000000 hashfull 17 tbhits 3 time 1500 pv e2e4 e7e5",
			Info{
				Depth: 12, SelDepth: 20, MultiPV: 2, Score: Score{Centipawns, -31, Upper}, Nodes: 12345, NPS: 1000000,
				HashFull: 17, TBHits: 3, Time: 1500 * time.Millisecond, PV: moves("e2e4 e7e5"),
			},
		},
		{"info score mate -2 wdl 0 1 999", Info{Score: Score{Kind: Mate, Value: -2}, WDL: &WDL{0, 1, 999}}},
		{"info score lowerbound cp 5 depth 3", Info{Depth: 3, Score: Score{Centipawns, 5, Lower}}},
		{"info currmove g1f3 currmovenumber 4 cpuload 990", Info{Move: moves("g1f3")[0], MoveNumber: 4, CPULoad: 990}},
		{"info refutation e2e4 e7e5", Info{Refutation: moves("e2e4 e7e5")}},
		{"info currline 1 e2e4 e7e5", Info{CurrLine: moves("e2e4 e7e5")}},
		{"info currline e2e4", Info{CurrLine: moves("e2e4")}},
		{"info string depth 3 pv e2e4", Info{Text: "depth 3 pv e2e4"}},
		{"info depth 1 string NNUE  on", Info{Depth: 1, Text: "NNUE  on"}},
		{"info pv e2e4 e7e4 g1f3 depth 2", Info{Depth: 2, PV: moves("e2e4"), Unread: []string{"e7e4", "g1f3"}}},
		{"info depth x nodes -5 frob 7", Info{Unread: []string{"x", "frob", "7"}}},
		{"info depth 99999999999999999999", Info{Unread: []string{"99999999999999999999"}}},
		{"info score cp", Info{Score: Score{Kind: Centipawns}}},
		{"info score cp x", Info{Unread: []string{"x"}}},
		{"info currmove", Info{}},
		{"info pv", Info{}},
	} {
		if d := cmp.Diff(tt.want, ParseInfo(p, tt.line)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.line, d)
		}
	}
}

func TestScore(t *testing.T) {
	for _, tt := range []struct {
		score      Score
		text, flip string
	}{
		{Score{}, "", ""},
		{Score{Kind: Centipawns, Value: 35}, "+0.35", "-0.35"},
		{Score{Kind: Centipawns, Value: -207, Bound: Lower}, "≥-2.07", "≤+2.07"},
		{Score{Kind: Mate, Value: 3, Bound: Upper}, "≤#3", "≥#-3"},
		{Score{Kind: Mate, Value: -1}, "#-1", "#1"},
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
