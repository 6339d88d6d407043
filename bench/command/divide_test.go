package command

import (
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/movegen"
)

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
		{"none", castles, "3", 0, []string{"depth 3: 3 moves and 180 nodes, want 3 and 180\n"}},
		{"never castles", castles, "2", 1, []string{"a1a2: 9, want 10", "behind 1. Ka2:\n4k2r/7p/8/8/8/8/K7/8 b k - 1 1\ndepth 1: 9 moves", "e8g8: missing", "is wrong in 4k2r/"}},
		{"no castling", "4k2r/7p/8/8/8/8/8/K7 b k - 0 1", "1", 1, []string{"e8g8: missing"}},
		{"forgets replies", chess.StartFEN, "3", 1, []string{"a2a4: 419, want 420", "by itself and wrong behind 1. a4"}},
		{"castles out of check", "4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1", "1", 1, []string{"e1h1: not legal. The king is in check by the rook on e2 and may not castle."}},
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
		{"right", []string{"--against", writeFile(t, right)}, 0, "3 moves and 15 nodes, want 3 and 15"},
		{"a count", []string{"--against", writeFile(t, strings.Replace(right, "b1: 5", "b1: 6", 1))}, 1,
			"a1b1: 6, want 5\nnext, behind a1b1: --fen \"4k3/8/8/8/8/8/8/1K6 b - - 1 1\" --depth 1"},
		{"a move", []string{"--against", writeFile(t, right+"a1c1: 5\n")}, 1, "a1c1: not legal. A king on a1 does not move to c1."},
		{"a line", []string{"--against", writeFile(t, right+"a1z1: 5\n")}, 1, "divide line 6: move \"a1z1\""},
		{"no file", []string{"--against", "/nowhere"}, command.Usage, "/nowhere"},
		{"neither", nil, command.Usage, "either --against or --engine"},
		{"no depth", []string{"--against", "-", "--depth", "0"}, command.Usage, "depth: 0"},
		{"no position", []string{"--against", "-", "--fen", "x"}, command.Usage, "FEN"},
	} {
		out, errOut, code := call(t, append([]string{"divide", "--fen", "4k3/8/8/8/8/8/8/K7 w - - 0 1", "--depth", "2"}, c.args...)...)
		if code != c.code || !strings.Contains(out+errOut, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", c.name, code, c.code, c.want, out, errOut)
		}
	}
}
