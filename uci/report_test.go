package uci

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/search"
)

func TestAppendInfo(t *testing.T) {
	e2e4 := chess.NewMove(12, 28, chess.Normal)
	short := chess.NewMove(chess.E8, chess.H8, chess.Castling)
	long := chess.NewMove(chess.E1, chess.A1, chess.Castling)
	mateIn := func(moves int) eval.Score {
		for s := eval.Score(-32100); s <= 32100; s++ {
			if m, ok := s.MateIn(); ok && m == moves {
				return s
			}
		}
		t.Fatalf("no score is a mate in %d", moves)
		return 0
	}
	for _, tt := range []struct {
		name     string
		in       search.Info
		chess960 bool
		want     string
	}{
		{
			"everything",
			search.Info{
				Depth: 9, SelDepth: 14, MultiPV: 2, Score: -37, Nodes: 3000, Time: 1500 * time.Millisecond,
				HashFull: 12, TBHits: 3, PV: []chess.Move{e2e4, short, long},
			},
			false,
			"info depth 9 seldepth 14 multipv 2 score cp -37 nodes 3000 nps 2000 hashfull 12 tbhits 3 time 1500 pv e2e4 e8g8 e1c1\n",
		},
		{
			"castling in Chess960", search.Info{Depth: 1, SelDepth: 1, PV: []chess.Move{short, long}}, true,
			"info depth 1 seldepth 1 multipv 1 score cp 0 nodes 0 hashfull 0 tbhits 0 time 0 pv e8h8 e1a1\n",
		},
		{
			"lower bound", search.Info{Depth: 2, SelDepth: 3, Score: 50, Bound: eval.Lower}, false,
			"info depth 2 seldepth 3 multipv 1 score cp 50 lowerbound nodes 0 hashfull 0 tbhits 0 time 0\n",
		},
		{
			"upper bound", search.Info{Depth: 2, SelDepth: 3, Score: 50, Bound: eval.Upper}, false,
			"info depth 2 seldepth 3 multipv 1 score cp 50 upperbound nodes 0 hashfull 0 tbhits 0 time 0\n",
		},
		{
			"mate", search.Info{Depth: 2, SelDepth: 3, Score: mateIn(2)}, false,
			"info depth 2 seldepth 3 multipv 1 score mate 2 nodes 0 hashfull 0 tbhits 0 time 0\n",
		},
		{
			"mated", search.Info{Depth: 2, SelDepth: 3, Score: mateIn(-2)}, false,
			"info depth 2 seldepth 3 multipv 1 score mate -2 nodes 0 hashfull 0 tbhits 0 time 0\n",
		},
		{
			"mated root", search.Info{Score: mateIn(0)}, false,
			"info depth 0 score mate 0 nodes 0 hashfull 0 tbhits 0 time 0\n",
		},
		{
			"a time under a millisecond", search.Info{Depth: 1, SelDepth: 1, Nodes: 20, Time: 10 * time.Microsecond}, false,
			"info depth 1 seldepth 1 multipv 1 score cp 0 nodes 20 nps 2000000 hashfull 0 tbhits 0 time 0\n",
		},
	} {
		if got := string((&reporter{chess960: tt.chess960}).appendInfo(nil, &tt.in)); got != tt.want {
			t.Errorf("%s:\ngot  %swant %s", tt.name, got, tt.want)
		}
	}
}

// TestShowWDL holds the chances behind a score: none unless asked for, and the
// side to move's.
func TestShowWDL(t *testing.T) {
	root := chess.NewPosition()
	chances := func(in search.Info) []int {
		t.Helper()
		for _, wanted := range []bool{false, true} {
			line := string((&reporter{root: root, chances: wanted}).appendInfo(nil, &in))
			m := regexp.MustCompile(` score \S+ \S+(?: \w+bound)? wdl (\d+) (\d+) (\d+) nodes `).FindStringSubmatch(line)
			if (m != nil) != wanted {
				t.Fatalf("asked for: %t, have %q", wanted, line)
			}
			if wanted {
				c := make([]int, 3)
				for i := range c {
					c[i], _ = strconv.Atoi(m[i+1])
				}
				return c
			}
		}
		return nil
	}
	ahead, behind := chances(search.Info{Depth: 9, Score: 150}), chances(search.Info{Depth: 9, Score: -150})
	if ahead[0]+ahead[1]+ahead[2] != 1000 || ahead[0] <= 3*ahead[2] || behind[0] != ahead[2] || behind[2] != ahead[0] {
		t.Errorf("150 centipawns ahead: %v, behind: %v", ahead, behind)
	}
	for _, tt := range []struct {
		name string
		in   search.Info
		want []int
	}{
		{"mate", search.Info{Depth: 9, Score: eval.Mate - 5}, []int{1000, 0, 0}},
		{"mated", search.Info{Depth: 9, Score: 6 - eval.Mate, Bound: eval.Upper}, []int{0, 0, 1000}},
		{"a win that tables know", search.Info{Depth: 9, Score: eval.Limit + 500}, []int{1000, 0, 0}},
		{"a draw that tables know", search.Info{Depth: 9, Drawn: true}, []int{0, 1000, 0}},
	} {
		if got := chances(tt.in); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestAppendBest(t *testing.T) {
	castle := chess.NewMove(chess.E1, chess.H1, chess.Castling)
	promote := chess.NewPromotion(48, 56, chess.Queen)
	for _, tt := range []struct {
		r        search.Result
		chess960 bool
		want     string
	}{
		{search.Result{}, false, "bestmove (none)\n"},
		{search.Result{Best: castle}, false, "bestmove e1g1\n"},
		{search.Result{Best: castle}, true, "bestmove e1h1\n"},
		{search.Result{Best: castle, Ponder: promote}, false, "bestmove e1g1 ponder a7a8q\n"},
	} {
		if got := string(appendBest(nil, tt.r, tt.chess960)); got != tt.want {
			t.Errorf("appendBest(%v, %v) = %q, want %q", tt.r, tt.chess960, got, tt.want)
		}
	}
}

func TestChess960Text(t *testing.T) {
	const fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
	for _, tt := range []struct{ name, input, want string }{
		{"standard", "", "bestmove e1g1"},
		{"option", "setoption name UCI_Chess960 value true\n", "bestmove e1h1"},
		{"option off again", "setoption name UCI_Chess960 value true\nsetoption name uci_chess960 value FALSE\n", "bestmove e1g1"},
	} {
		got := script(t, &fakeEngine{}, testConfig, tt.input+"position fen "+fen+"\ngo depth 1 searchmoves e1h1\n")
		if last := got[len(got)-1]; last != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, last, tt.want)
		}
	}
	// A king that castles by one step has no text of its own in standard mode.
	got := script(t, &fakeEngine{}, testConfig, "position fen 4k3/8/8/8/8/8/8/5K1R w H - 0 1\ngo depth 1 searchmoves f1h1\n")
	if last := got[len(got)-1]; last != "bestmove f1h1" {
		t.Errorf("castling from f1 without the option: %q, want bestmove f1h1", last)
	}
}

func TestOptionLines(t *testing.T) {
	grammar := regexp.MustCompile(`^option name [A-Za-z0-9_]+( [A-Za-z0-9_]+)* type ` +
		`(check default (true|false)|spin default -?\d+ min -?\d+ max -?\d+|button|string default \S+)$`)
	names := map[string]bool{}
	for _, o := range Options() {
		if !grammar.MatchString(o.String()) {
			t.Errorf("%q is not an option line", o)
		}
		if o.Type == Spin && (o.Default < o.Min || o.Default > o.Max) {
			t.Errorf("%q: default out of range", o)
		}
		for _, n := range append([]string{o.Name}, o.Aliases...) {
			if n = strings.ToLower(n); names[n] {
				t.Errorf("the name %q is used twice", n)
			} else {
				names[n] = true
			}
		}
	}
}
