package uci

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/openings/polyglot"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestOwnBook plays from a book where it is asked to, with variety, and searches otherwise.
func TestOwnBook(t *testing.T) {
	var built polyglot.Builder
	p := chess.NewPosition()
	for _, san := range []string{"e4", "d4"} {
		built.Add(p, kit.Move(t, p, san), 4)
	}
	var book strings.Builder
	kit.Succeed(t, built.WriteBook(&book))
	name := filepath.Join(t.TempDir(), "book.bin")
	kit.Write(t, name, []byte(book.String()))
	on := "setoption name BookFile value " + name + "\nsetoption name OwnBook value true\n"
	for _, tt := range []struct {
		name, input string
		searches    int
	}{
		{"off", "setoption name BookFile value " + name + "\ngo depth 1\nwait\n", 1},
		{"on", on + strings.Repeat("go depth 1\n", 40), 0},
		{"another position", on + "position startpos moves e2e4\ngo depth 1\nwait\n", 1},
		{"an analysis", on + "go infinite\nstop\n", 1},
		{"pondering", on + "go ponder depth 1\nstop\n", 1},
		{"a mate is asked for", on + "go depth 1 mate 2\nwait\n", 1},
		{"several lines", on + "setoption name MultiPV value 2\ngo depth 1\nwait\n", 1},
		{"the mode of analysis", on + "setoption name UCI_AnalyseMode value true\ngo depth 1\nwait\n", 1},
		{"one that is asked to search moves", on + "go depth 1 searchmoves a2a3\nwait\n", 1},
		{"no file", on + "setoption name BookFile value " + name + ".none\ngo depth 1\nwait\n", 1},
		{"none", on + "setoption name BookFile value <empty>\ngo depth 1\nwait\n", 1},
	} {
		e := &fakeEngine{}
		out := strings.Join(script(t, e, testConfig, tt.input), "\n")
		fromBook := strings.Count(out, "info string book: e4\n") + strings.Count(out, "info string book: d4\n")
		if searches := len(e.limits); searches != tt.searches || strings.Count(out, "bestmove") != searches+fromBook {
			t.Errorf("%s: %d searches, want %d:\n%s", tt.name, searches, tt.searches, out)
		}
		if tt.name == "on" && (!strings.Contains(out, "bestmove e2e4") || !strings.Contains(out, "bestmove d2d4")) {
			t.Errorf("no variety:\n%s", out)
		}
		if noFile := tt.name == "no file"; strings.Contains(out, "error") != noFile {
			t.Errorf("%s: an error is reported, or none:\n%s", tt.name, out)
		}
	}
}

// TestStrengthOptions holds which of the options of strength counts.
func TestStrengthOptions(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  []string
		want string // the last that the engine heard, "" for nothing
	}{
		{"Elo alone", []string{"UCI_Elo value 2000"}, "elo 0"},
		{"both", []string{"UCI_Elo value 2000", "UCI_LimitStrength value true"}, "elo 2000"},
		{"in the other order", []string{"UCI_LimitStrength value true", "UCI_Elo value 2000"}, "elo 2000"},
		{"the limit alone", []string{"UCI_LimitStrength value true"}, "elo 1320"},
		{"off again", []string{"UCI_Elo value 2000", "UCI_LimitStrength value true", "UCI_LimitStrength value false"}, "elo 0"},
		{"skill", []string{"Skill Level value 0"}, "elo 100"},
		{"highest skill", []string{"Skill Level value 3", "Skill Level value 20"}, "elo 0"},
		{"Elo before skill", []string{"Skill Level value 3", "UCI_LimitStrength value true", "UCI_Elo value 1900"}, "elo 1900"},
		{"analysis", []string{"UCI_LimitStrength value true", "UCI_AnalyseMode value true"}, "elo 0"},
		{"after analysis", []string{"UCI_LimitStrength value true", "UCI_AnalyseMode value true", "UCI_AnalyseMode value false"}, "elo 1320"},
		{"below the range", []string{"UCI_LimitStrength value true", "UCI_Elo value 99"}, "elo 100"},
	} {
		var input strings.Builder
		for _, s := range tt.set {
			input.WriteString("setoption name " + s + "\n")
		}
		e := &fakeEngine{}
		script(t, e, testConfig, input.String())
		var heard []string
		for _, event := range e.events {
			if strings.HasPrefix(event, "elo ") {
				heard = append(heard, event)
			}
		}
		if len(heard) == 0 || heard[len(heard)-1] != tt.want {
			t.Errorf("%s: the engine heard %q, want %q at the end", tt.name, heard, tt.want)
		}
	}
}

// TestEachGameHasItsMistakes: ucinewgame draws the number of the game, and nothing
// else does.
func TestEachGameHasItsMistakes(t *testing.T) {
	e := &fakeEngine{}
	script(t, e, testConfig, "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1500\nucinewgame\nposition startpos\ngo depth 1\nwait\nucinewgame\n")
	games := e.games
	if len(games) != 4 || games[0] != games[1] || games[1] == games[2] || games[2] == games[3] {
		t.Errorf("numbers of the games: %v, want two alike and two others", games)
	}
	if slices.Contains(games, 0) {
		t.Errorf("a game has no number: %v", games)
	}
}

// TestNodesTime: with nodestime the first clock of a game counts, less what each side
// searched, and the GUI's clock where that is another one's.
func TestNodesTime(t *testing.T) {
	// The stand-in searches one node each time, a thousandth of a second here.
	e := &fakeEngine{nodes: 1}
	script(t, e, testConfig, "setoption name nodestime value 1\n"+
		"go wtime 100 btime 100 winc 5\nwait\n"+ // 100
		"go wtime 50 btime 50 winc 5\nwait\n"+ // 100 - 1 + 5
		"position startpos moves e2e4\ngo wtime 50 btime 60\nwait\n"+ // Black's 60
		"go wtime 50 btime 7 movestogo 3\nwait\n"+ // the GUI's 7
		"go wtime 50 btime 7\nwait\n"+ // 60 - 1
		"go movetime 9\nwait\n"+
		"ucinewgame\ngo wtime 33 btime 44\nwait\n"+
		"setoption name nodestime value 0\ngo wtime 22 btime 11\nwait\n")
	type clock struct{ white, black, nodes int }
	var got []clock
	for _, l := range e.limits {
		got = append(got, clock{int(l.Time[chess.White].Milliseconds()), int(l.Time[chess.Black].Milliseconds()), l.NodeTime})
	}
	want := []clock{{100, 100, 1}, {104, 50, 1}, {50, 60, 1}, {50, 7, 1}, {50, 59, 1}, {0, 0, 1}, {33, 44, 1}, {22, 11, 0}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(clock{})); d != "" {
		t.Errorf("clocks (-want +got):\n%s", d)
	}
}

// TestNodesTimeRepeats: with nodestime the engine plays the same game twice by a clock
// that runs otherwise.
func TestNodesTimeRepeats(t *testing.T) {
	game := func(passed time.Duration) (moves []chess.Move) {
		e := realEngine(t)
		c := nodeClock{perMS: 100}
		p := chess.NewPosition()
		left := 200 * time.Millisecond
		for len(moves) < 16 {
			l := search.Limits{Timed: [2]bool{true, true}, Time: [2]time.Duration{left, left}}
			taken := c.wind(&l, p.SideToMove())
			r := e.Search(p, l, search.Options{}, nil)
			taken(r.Nodes)
			moves = append(moves, r.Best)
			p.Make(r.Best)
			if len(moves) >= 2 { // both sides have heard their time
				left -= passed
			}
		}
		if c.left[0] <= 0 || c.left[0] >= 200*time.Millisecond {
			t.Errorf("White has %v left of 200ms", c.left[0])
		}
		return moves
	}
	if d := cmp.Diff(game(0), game(10*time.Millisecond)); d != "" {
		t.Errorf("(-slow clock +fast clock):\n%s", d)
	}
}

// otherNetwork writes a small network to a file in a new folder.
func otherNetwork(t *testing.T) (*nnue.Network, string) {
	t.Helper()
	shape := nnue.Shape{Width: nnue.WidthStep, Outputs: 1, Scale: 400}
	n, err := nnue.New(shape, nnue.NewWeights(shape), nnue.Provenance{Positions: 7})
	kit.Succeed(t, err)
	name := filepath.Join(t.TempDir(), "with a space.nn")
	kit.Succeed(t, n.Save(name))
	return n, name
}

func TestEvalFile(t *testing.T) {
	other, name := otherNetwork(t)
	damaged := filepath.Join(t.TempDir(), "damaged.nn")
	data := kit.Read(t, name)
	data[len(data)-1] ^= 1
	kit.Write(t, damaged, data)
	set := func(n *nnue.Network) string { return fmt.Sprintf("network %v", n.Hash()) }
	for _, tt := range []struct{ value, note, event string }{
		{name, "info string network: " + other.Hash().String() + ", from file, 768→256×2→16→32→1, from 7 positions", set(other)},
		{"<embedded>", "info string network: " + nnue.Embedded().Hash().String() + ", embedded", set(nnue.Embedded())},
		{"", "info string network: " + nnue.Embedded().Hash().String() + ", embedded", set(nnue.Embedded())},
		{"<empty>", "info string network: " + nnue.Embedded().Hash().String() + ", embedded", set(nnue.Embedded())},
		{"/no such file", "info string error: EvalFile: open /no such file: no such file or directory; the network stays " + nnue.Embedded().Hash().String(), ""},
		{"no such file", "info string error: EvalFile: open no such file: no such file or directory, nor is it beside the program; the network stays", ""},
		{damaged, "info string error: EvalFile: " + damaged + ": hash: content does not match", ""},
		{t.TempDir(), "info string error: EvalFile: ", ""},
	} {
		f := &fakeEngine{}
		got := script(t, f, testConfig, "setoption name EvalFile value "+tt.value+"\n")
		if len(got) != 1 || !strings.HasPrefix(got[0], tt.note) {
			t.Errorf("EvalFile %q: %q, want one line %q", tt.value, got, tt.note)
		}
		if events := strings.Join(f.events, "\n"); events != tt.event {
			t.Errorf("EvalFile %q: the engine was told %q, want %q", tt.value, events, tt.event)
		}
	}
}
