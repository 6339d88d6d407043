package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/movegen"
)

func TestPerftInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errOut bytes.Buffer
	code := run(ctx, []string{"bench", "perft", "--depth", "9"}, &out, &errOut)
	if code != exit.Interrupted || out.Len() > 0 {
		t.Errorf("exit code %d, %q, %q", code, out.String(), errOut.String())
	}
}

// walkWithoutCastling counts as a generator does that does not know castling.
func walkWithoutCastling(p *chess.Position, depth int) (n uint64) {
	if depth == 0 {
		return 1
	}
	for _, m := range movegen.Legal(p, nil) {
		if m.Kind() != chess.Castling {
			p.Make(m)
			n += walkWithoutCastling(p, depth-1)
			p.Unmake()
		}
	}
	return n
}

func TestDivideEngine(t *testing.T) {
	self := selfAsEngine(t)
	const castles = "4k2r/7p/8/8/8/8/8/K7 w k - 0 1"
	for _, c := range []struct {
		fault, fen, depth string
		code              int
		want              []string
	}{
		{"none", castles, "3", 0, []string{"depth 3: 3 moves and 180 nodes, correct\n"}},
		{"none", "4k3/8/8/8/8/8/8/1R2K3 w B - 0 1", "2", 0, []string{"nodes, correct\n"}},
		{"standard", "4k3/8/8/8/8/8/8/1R2K3 w B - 0 1", "2", 1, []string{"no option UCI_Chess960"}},
		{"king takes rook", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "2", 1, []string{"writes e1a1 instead of e1c1"}},
		{"never castles", castles, "2", 1, []string{"a1a2: 9, want 10", "after 1. Ka2:\n4k2r/7p/8/8/8/8/K7/8 b k - 1 1\ndepth 1: 9 moves", "e8g8: missing", "is wrong in 4k2r/"}},
		{"no castling", "4k2r/7p/8/8/8/8/8/K7 b k - 0 1", "1", 1, []string{"e8g8: missing"}},
		{"forgets replies", chess.StartFEN, "3", 1, []string{"a2a4: 419, want 420", "correctly on its own but not after 1. a4"}},
		{"castles out of check", "4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1", "1", 1, []string{"e1g1: not legal. The king is in check by the rook on e2 and may not castle."}},
		{"wrong total", castles, "2", 1, []string{"the moves are right, but the total says"}},
		{"silent", chess.StartFEN, "3", 1, []string{"ended without an answer"}},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Setenv(engineVariable, c.fault)
			out, errOut, code := call(t, "divide", "--fen", c.fen, "--depth", c.depth, "--engine", self)
			for _, want := range c.want {
				if code != c.code || !strings.Contains(out+errOut, want) {
					t.Errorf("exit code %d, want %d and %q\n%s%s", code, c.code, want, out, errOut)
				}
			}
		})
	}
}

func TestDivideAgainstFile(t *testing.T) {
	right := "a1a2: 5\na1b1: 5\na1b2: 5\n\nNodes searched: 15\n"
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"right", []string{"--against", writeFile(t, right)}, 0, "3 moves and 15 nodes, correct"},
		{"a count", []string{"--against", writeFile(t, strings.Replace(right, "b1: 5", "b1: 6", 1))}, 1,
			"a1b1: 6, want 5\nnext, after a1b1: --fen \"4k3/8/8/8/8/8/8/1K6 b - - 1 1\" --depth 1"},
		{"a move", []string{"--against", writeFile(t, right+"a1c1: 5\n")}, 1, "a1c1: not legal. A king on a1 does not move to c1."},
		{"its total", []string{"--against", writeFile(t, strings.Replace(right, "15", "16", 1))}, 1, "the total says 16 nodes, want 15"},
		{"a line", []string{"--against", writeFile(t, right+"a1z1: 5\n")}, 1, "divide line 6: move \"a1z1\""},
		{"no file", []string{"--against", "/nowhere"}, exit.Usage, "/nowhere"},
		{"neither", nil, exit.Usage, "want one of --against and --engine"},
		{"no depth", []string{"--against", "-", "--depth", "0"}, exit.Usage, "depth: 0"},
		{"no position", []string{"--against", "-", "--fen", "x"}, exit.Usage, "FEN"},
	} {
		out, errOut, code := call(t, append([]string{"divide", "--fen", "4k3/8/8/8/8/8/8/K7 w - - 0 1", "--depth", "2"}, c.args...)...)
		if code != c.code || !strings.Contains(out+errOut, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", c.name, code, c.code, c.want, out, errOut)
		}
	}
}

func TestFuzzCommand(t *testing.T) {
	games := "60"
	if testing.Short() {
		games = "10"
	}
	for _, args := range [][]string{
		{"--games", games},
		{"--games", games, "--chess960", "--seed", "7"},
		{"--games", games, "--threads", "2"},
		{"--positions", "500"},
	} {
		out, errOut, code := call(t, append([]string{"fuzz"}, args...)...)
		if code != 0 || !strings.HasPrefix(out, "no difference in ") {
			t.Errorf("fuzz %v: exit code %d\n%s%s", args, code, out, errOut)
		}
	}
}

func TestFuzzSameSeed(t *testing.T) {
	seconds := regexp.MustCompile(`[0-9.]+ s\)`)
	var outs []string
	for _, args := range [][]string{{"fuzz", "--games", "6"}, {"fuzz", "--games", "6"}, {"fuzz", "--games", "6", "--threads", "2"}, {"fuzz", "--games", "6", "--seed", "2"}} {
		out, _, _ := call(t, args...)
		outs = append(outs, strings.ReplaceAll(seconds.ReplaceAllString(out, ""), "seed 2", "seed 1"))
	}
	if outs[0] != outs[1] || outs[0] != outs[2] {
		t.Errorf("the same seed on one and two threads:\n%s%s%s", outs[0], outs[1], outs[2])
	}
	if outs[0] == outs[3] {
		t.Errorf("another seed plays the same games:\n%s", outs[0])
	}
}

func TestFuzzRefused(t *testing.T) {
	says(t, []said{
		{[]string{"--games", "-1"}, exit.Usage, "games: -1"},
		{[]string{"--games", "0"}, exit.Usage, "never end"},
		{[]string{"--threads", "-1"}, exit.Usage, `--threads "-1": want at least 0`},
		{[]string{"extra"}, exit.Usage, "unexpected argument"},
		{[]string{"--engine", "./no-such-engine"}, exit.Usage, "engine"},
	}, "fuzz")
}
