package pgn_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

func TestComment(t *testing.T) {
	at := func(d time.Duration) *time.Duration { return &d }
	for _, tt := range []struct {
		text, written string // written "" where it is text
		want          pgn.Comment
	}{
		{"", "", pgn.Comment{}},
		{"just words", "", pgn.Comment{Text: "just words"}},
		{"[%eval 0.17] [%clk 0:03:00]", "", pgn.Comment{Eval: &pgn.Eval{Centipawns: 17}, Clock: at(3 * time.Minute)}},
		{"[%eval #-3]", "", pgn.Comment{Eval: &pgn.Eval{Mate: -3}}},
		{"[%eval -1.5,22] good", "[%eval -1.50,22] good", pgn.Comment{Eval: &pgn.Eval{Centipawns: -150, Depth: 22}, Text: "good"}},
		{"[%clk 0:02:59.9] [%emt 0:00:00.1]", "", pgn.Comment{Clock: at(179900 * time.Millisecond), Elapsed: at(100 * time.Millisecond)}},
		{"[%emt 75]", "[%emt 0:01:15]", pgn.Comment{Elapsed: at(75 * time.Second)}},
		{"[%clk 100:00:07.125]", "", pgn.Comment{Clock: at(100*time.Hour + 7125*time.Millisecond)}},
		{
			"[%csl Ga4,Rb5] [%cal Ge2e4]", "",
			pgn.Comment{Squares: []pgn.Mark{{'G', chess.A4}, {'R', chess.B5}}, Arrows: []pgn.Arrow{{'G', chess.E2, chess.E4}}},
		},
		{"before [%clk 0:00:01] after", "[%clk 0:00:01] before after", pgn.Comment{Text: "before after", Clock: at(time.Second)}},
		{"[%evp 0,34,19,-22]", "", pgn.Comment{Commands: []pgn.Command{{"evp", "0,34,19,-22"}}}},
		{"[%clk soon] [%eval x] [%eval #0]", "", pgn.Comment{Commands: []pgn.Command{{"clk", "soon"}, {"eval", "x"}, {"eval", "#0"}}}},
		{"[%csl ga4]", "", pgn.Comment{Commands: []pgn.Command{{"csl", "ga4"}}}},
		{"[%csl Ga9] [%cal Ge2] [%draw]", "", pgn.Comment{Commands: []pgn.Command{{"csl", "Ga9"}, {"cal", "Ge2"}, {"draw", ""}}}},
		{"[%clk 0:00:01", "", pgn.Comment{Text: "[%clk 0:00:01"}},
		{"[%clk 01:59] late", "[%clk 0:01:59] late", pgn.Comment{Clock: at(119 * time.Second), Text: "late"}},
		{"[%clk 1:59]", "[%clk 0:01:59]", pgn.Comment{Clock: at(119 * time.Second)}},
		{
			"[%clk 90:00.5] [%emt 1:30]", "[%clk 1:30:00.5] [%emt 0:01:30]",
			pgn.Comment{Clock: at(90*time.Minute + 500*time.Millisecond), Elapsed: at(90 * time.Second)},
		},
		{"[%clk 100] [%emt 1:60]", "", pgn.Comment{Commands: []pgn.Command{{"clk", "100"}, {"emt", "1:60"}}}},
		{"[%clk 0:09:58.1239]", "[%clk 0:09:58.123]", pgn.Comment{Clock: at(598123 * time.Millisecond)}},
		{"[%clk :59] [%clk 1:]", "", pgn.Comment{Commands: []pgn.Command{{"clk", ":59"}, {"clk", "1:"}}}},
		{"[%clk 0:90:00] [%clk -0:00:05]", "", pgn.Comment{Commands: []pgn.Command{{"clk", "0:90:00"}, {"clk", "-0:00:05"}}}},
		{"[%clk 0:00:01.234x]", "", pgn.Comment{Commands: []pgn.Command{{"clk", "0:00:01.234x"}}}},
		{
			"[%clk 0:00:02] [%clk 0:00:01] [%eval 0.30] [%eval 0.40]", "[%eval 0.30] [%clk 0:00:02] [%clk 0:00:01] [%eval 0.40]",
			pgn.Comment{Eval: &pgn.Eval{Centipawns: 30}, Clock: at(2 * time.Second), Commands: []pgn.Command{{"clk", "0:00:01"}, {"eval", "0.40"}}},
		},
		{"[%eval NaN] [%clk 1:1:1:1]", "", pgn.Comment{Commands: []pgn.Command{{"eval", "NaN"}, {"clk", "1:1:1:1"}}}},
	} {
		got := pgn.ParseComment(tt.text)
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, d)
		}
		if tt.written == "" {
			tt.written = tt.text
		}
		if got.String() != tt.written {
			t.Errorf("%q is written %q, want %q", tt.text, got.String(), tt.written)
		}
	}
}

func TestNodeComment(t *testing.T) {
	g := oneGame(t, "1. e4 {(0.14 → 0.80) Inaccuracy.} { [%eval 0.8] [%clk 0:09:45] } *")
	n := &g.Main.Moves[0]
	c := n.Comment()
	if c.Text != "(0.14 → 0.80) Inaccuracy." || c.Eval.Centipawns != 80 || *c.Clock != 9*time.Minute+45*time.Second {
		t.Errorf("%+v", c)
	}
	c.Text, c.Clock = "", nil
	n.SetComment(c)
	if d := cmp.Diff([]string{"[%eval 0.80]"}, n.Comments); d != "" {
		t.Error(d)
	}
	n.SetComment(pgn.Comment{})
	if n.Comments != nil {
		t.Errorf("an empty comment is kept: %q", n.Comments)
	}
}

func FuzzComment(f *testing.F) {
	f.Add("[%clk 0:00:01] [%eval 0.3] text [%cal Ra1a2]")
	f.Fuzz(func(t *testing.T, text string) {
		once := pgn.ParseComment(text).String()
		if twice := pgn.ParseComment(once).String(); once != twice {
			t.Errorf("%q is written %q, which is written %q", text, once, twice)
		}
	})
}
