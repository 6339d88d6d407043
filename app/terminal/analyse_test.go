package terminal

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
)

func TestPlainRun(t *testing.T) {
	e, err := search.NewEngine(1)
	kit.Succeed(t, err)
	var out bytes.Buffer
	// Black mates: scores are White's all the same.
	s := AnalysisSettings{Engine: e, Position: kit.Position(t, "r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 30"), Limits: search.Limits{MoveTime: time.Hour, Depth: 5}, Lines: 2, Title: "Test"}
	kit.Succeed(t, Analyse(t.Context(), &out, s))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if want := "Black to move, searching for 1h0m0s or depth 5; scores are White's"; lines[2] != want {
		t.Errorf("line 3 is %q, want %q", lines[2], want)
	}
	found := false
	for _, l := range lines[3 : len(lines)-1] {
		if !regexp.MustCompile(`^depth +\d+  line [12]  +\S+  .*nodes  .*/s  30\.\.\. \S+`).MatchString(l) {
			t.Errorf("line %q has another form", l)
		}
		found = found || strings.Contains(l, "#-1") && strings.HasSuffix(l, "30... Ra1#")
	}
	if last := lines[len(lines)-1]; !found || last != "best move: Ra1#" {
		t.Errorf("mate in one not shown:\n%s", out.String())
	}
}

func TestFrame(t *testing.T) {
	v := newView(AnalysisSettings{Position: kit.Position(t, "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"), Lines: 1, Title: "Test"})
	ra8 := chess.NewMove(0, 56, chess.Normal)
	mate := search.Info{Depth: 3, SelDepth: 4, Nodes: 1234, Time: time.Second, HashFull: 14, PV: []chess.Move{ra8}}
	for s := mate.Score; ; s++ {
		if m, ok := s.MateIn(); ok && m == 1 {
			mate.Score = s
			break
		}
	}
	v.take(mate)
	v.finish(ra8, 1)
	want := []string{
		"",
		" 8 [ ] ·     ·     ·  ♚  ·    Test",
		" 7  ·     ·     ·  ♟  ♟  ♟    White to move",
		" 6     ·     ·     ·     ·",
		" 5  ·     ·     ·     ·       #+1      White expects 100 %",
		" 4     ·     ·     ·     ·    [################################]",
		" 3  ·     ·     ·     ·",
		" 2     ·     ·     ·     ·    depth 3/4   time 1.0 s   hash 1 %",
		" 1 [♖]    ·     ·     ·  ♔    nodes 1.23k   nodes/s 1.23k",
		"    a  b  c  d  e  f  g  h    by depth ▅",
		"",
		"  3    #+1 1. Ra8#",
		"",
		" Best move  Ra8#",
	}
	got := v.picture(100, 40, style{})
	for i := range got {
		got[i] = strings.TrimRight(got[i], " ")
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestScoreText(t *testing.T) {
	for _, tt := range []struct {
		in       BestLine
		text     string
		expected float64
	}{
		{BestLine{}, "+0.00", 0.5},
		{BestLine{Score: 400}, "+4.00", 10.0 / 11},
		{BestLine{Score: -37}, "-0.37", 0.447},
		{BestLine{Score: review.Score(eval.Mate) - 5}, "#+3", 1},
		{BestLine{Score: 23 - review.Score(eval.Mate)}, "#-12", 0},
	} {
		if got := tt.in.scoreText(); got != tt.text {
			t.Errorf("%+v: %q, want %q", tt.in, got, tt.text)
		}
		if got := tt.in.expected(); got < tt.expected-0.001 || got > tt.expected+0.001 {
			t.Errorf("%+v: expects %v, want %v", tt.in, got, tt.expected)
		}
	}
}

// TestScreenRedraws makes sure that each drawing goes back to the first line of
// the last, and that the cursor comes back at the end.
func TestScreenRedraws(t *testing.T) {
	var out bytes.Buffer
	s := newScreen(&out, false)
	s.draw([]string{"one", "two", "three"})
	s.draw([]string{"1", "2"})
	s.close()
	line := func(text string) string { return clearLine + text + resetStyle + "\r\n" }
	want := hideCursor + noWrap +
		beginUpdate + line("one") + line("two") + line("three") + clearBelow + finishUpdate +
		beginUpdate + "\r\x1b[3A" + line("1") + line("2") + clearBelow + finishUpdate +
		resetStyle + wrap + showCursor
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestSmallTerminals makes sure that what fits is shown from the bottom: the best line and
// the answer are there on every terminal, and the block leaves a line to the cursor.
func TestSmallTerminals(t *testing.T) {
	for _, n := range []int{1, 3, 20} {
		v := newView(AnalysisSettings{Position: chess.NewPosition(), Lines: n, Title: "Test"})
		p := chess.NewPosition()
		for i, m := range movegen.Legal(p, nil)[:n] {
			v.take(search.Info{Depth: 9, MultiPV: i + 1, PV: []chess.Move{m}})
		}
		first := p.SAN(v.lines[0].first)
		for _, over := range []bool{false, true} {
			if over {
				v.finish(v.lines[0].first, n)
			}
			for _, size := range [][2]int{{80, 24}, {40, 10}, {200, 60}, {63, 16}, {62, 16}, {20, 5}} {
				for _, on := range []bool{false, true} {
					lines := v.picture(size[0], size[1], style{on: on})
					text := strings.Join(lines, "\n")
					if len(lines) > size[1]-1 || !strings.Contains(text, "1. "+first) || over && !strings.Contains(lines[len(lines)-1], first) {
						t.Errorf("%d lines on %v, over %v: %d rows\n%s", n, size, over, len(lines), text)
					}
				}
			}
		}
	}
}

func TestJSON(t *testing.T) {
	e, err := search.NewEngine(1)
	kit.Succeed(t, err)
	for _, tt := range []struct{ fen, want string }{
		{"r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 30", `"best":{"uci":"a8a1","san":"Ra1#"},"depth":3`},
		{"r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 30", `"lines":[{"depth":3,"score":{"mate":-1},"uci":["a8a1"],"text":"30... Ra1#"}]`},
		{"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2", `0 2","eco":"B20","opening":"Sicilian Defense","best":{`},
		{"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", `"over":"Stalemate: the game is drawn","best":null`},
	} {
		var out bytes.Buffer
		if err := Analyse(t.Context(), &out, AnalysisSettings{Engine: e, Position: kit.Position(t, tt.fen), Limits: search.Limits{Depth: 3}, Lines: 1, JSON: true}); err != nil || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: %v\n%s", tt.fen, err, &out)
		}
		read, full := io.Pipe()
		_ = read.Close()
		for _, asJSON := range []bool{false, true} { // or an analysis of many positions would go on for nobody
			s := AnalysisSettings{Engine: e, Position: kit.Position(t, tt.fen), Limits: search.Limits{Depth: 1}, Lines: 1, JSON: asJSON}
			if err := Analyse(t.Context(), full, s); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("%s: %v where nothing can be written", tt.fen, err)
			}
		}
	}
}
