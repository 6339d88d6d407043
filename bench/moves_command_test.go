package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
)

// The worked example of the mailbox article: pseudo-legal moves, so that
// castling through the attacked f1 is among them.
const exampleFEN = "r3k2r/1p2b1p1/b1n1p3/2pp2qp/3PP1B1/1Q3pP1/PB1N4/R3K2R w KQkq - 0 1"

var (
	exampleTactical = strings.Fields("d4c5 e4d5 g4h5 g4f3 g4e6 b3d5 b3b7 b3f3 d2f3 h1h5")
	exampleQuiet    = strings.Fields(`a2a3 a2a4 e4e5 b2a3 b2c1 b2c3 d2b1 d2f1 d2c4 a1b1 a1c1 a1d1
		h1g1 h1f1 h1h2 h1h3 h1h4 g4f5 g4h3 e1d1 e1f1 e1e2 e1f2 e1g1 e1c1
		b3a3 b3a4 b3b4 b3b5 b3b6 b3c3 b3d3 b3e3 b3c4 b3c2 b3d1`)
)

// movesJSON runs the command moves and returns what it printed.
func movesJSON(t *testing.T, args ...string) moveList {
	t.Helper()
	out, errOut, code := call(t, append([]string{"moves", "--json"}, args...)...)
	var got moveList
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
		t.Fatalf("moves %v: exit code %d, %v\n%s%s", args, code, err, out, errOut)
	}
	return got
}

func TestMovesWorkedExample(t *testing.T) {
	tactical, quiet := slices.Sorted(slices.Values(exampleTactical)), slices.Sorted(slices.Values(exampleQuiet))
	if len(tactical) != 10 || len(quiet) != 36 {
		t.Fatalf("the example has %d tactical and %d quiet moves, want 10 and 36", len(tactical), len(quiet))
	}
	for _, args := range [][]string{
		{"--pseudo", "--generator", "mailbox", exampleFEN},
		{"--pseudo", "--generator", "x88", exampleFEN},
		{"--pseudo", "--generator", "rays", exampleFEN},
		append([]string{"--pseudo"}, strings.Fields(exampleFEN)...),
	} {
		got := movesJSON(t, args...)
		if !slices.Equal(got.Tactical, tactical) || !slices.Equal(got.Quiet, quiet) || got.Counts != (moveCounts{10, 36, 46}) {
			t.Errorf("%v:\ntactical %v\nwant     %v\nquiet %v\nwant  %v\ncounts %+v", args, got.Tactical, tactical, got.Quiet, quiet, got.Counts)
		}
	}
	// The bishop on a6 covers e2 and f1, the pawn on f3 e2.
	legal := slices.DeleteFunc(slices.Clone(quiet), func(m string) bool { return slices.Contains([]string{"e1e2", "e1f1", "e1g1"}, m) })
	for _, g := range generator.Supported() {
		got := movesJSON(t, "--generator", g.Name, exampleFEN)
		if !slices.Equal(got.Tactical, tactical) || !slices.Equal(got.Quiet, legal) {
			t.Errorf("%s: legal moves of %s\ntactical %v\nwant     %v\nquiet %v\nwant  %v", g.Name, exampleFEN, got.Tactical, tactical, got.Quiet, legal)
		}
	}
}

func TestMovesOptions(t *testing.T) {
	if got := movesJSON(t, "--piece", "N", chess.StartFEN); !slices.Equal(got.Quiet, []string{"b1a3", "b1c3", "g1f3", "g1h3"}) || got.Tactical == nil {
		t.Errorf("knight moves of the start position: %+v", got)
	}
	const castles = "rk2r1r1/8/8/8/8/8/8/RK2R1R1 w EQeq - 0 1"
	got := movesJSON(t, "--piece", "k", castles)
	if want := strings.Fields("b1a1 b1b2 b1c1 b1c2"); !slices.Equal(got.Quiet, want) {
		t.Errorf("%s: king moves %v, want %v", castles, got.Quiet, want)
	}
	out, _, code := call(t, "moves", "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1")
	if code != 0 || !strings.Contains(out, "tactical (2): c4d3 c5d4\n") || !strings.Contains(out, "total: 15\n") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func TestMovesRefused(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "want a FEN"},
		{[]string{"8/8 w"}, "FEN placement"},
		{[]string{"--generator", "fast", chess.StartFEN}, "unknown generator"},
		{[]string{"--generator", "magic", "--pseudo", chess.StartFEN}, "no pseudo-legal moves"},
		{[]string{"--generator", "x88", "nrbbkqrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBKQRN w GBgb - 0 1"}, "Chess960"},
		{[]string{"--piece", "x", chess.StartFEN}, "piece"},
	} {
		_, errOut, code := call(t, append([]string{"moves"}, c.args...)...)
		if code != command.Usage || !strings.Contains(errOut, c.want) {
			t.Errorf("moves %v: exit code %d, %q, want 2 and %q", c.args, code, errOut, c.want)
		}
	}
}
