package uci

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

func TestPerft(t *testing.T) {
	for _, tt := range []struct {
		name, input string
		branches    int
		line        string
		nodes       int
	}{
		{"start", "go perft 3", 20, "e2e4: 600", 8902},
		{"one ply", "go perft 1", 20, "g1f3: 1", 20},
		{"no ply", "go perft 0", 0, "", 1},
		{"stalemate", "position fen 8/8/8/8/8/k7/p7/K7 w - - 0 1\ngo perft 9", 0, "", 0},
		{"castling", "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1\ngo perft 2", 15, "e1g1: 3", 66},
		{
			"castling in Chess960", "setoption name UCI_Chess960 value true\nposition fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1\ngo perft 2",
			15, "e1h1: 3", 66,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := script(t, &fakeEngine{}, testConfig, tt.input+"\n")
			got = got[1:] // attack path
			want := fmt.Sprintf("\nNodes searched: %d\ninfo string perft: ", tt.nodes)
			if text := strings.Join(got, "\n"); !strings.Contains(text, want) || strings.Index(text, want)+len(want) < strings.LastIndex(text, "\n") {
				t.Errorf("%s ends without %q:\n%s", tt.input, want, text)
			}
			branch := regexp.MustCompile(`^[a-h][1-8][a-h][1-8][nbrq]?: \d+$`)
			n, found := 0, tt.line == ""
			for _, l := range got {
				if branch.MatchString(l) {
					n++
				}
				found = found || l == tt.line
			}
			if n != tt.branches || !found {
				t.Errorf("%s: %d branches, %q found: %v; want %d, true", tt.input, n, tt.line, found, tt.branches)
			}
			if countLines(got, "bestmove") != 0 {
				t.Errorf("%s prints a bestmove", tt.input)
			}
		})
	}
}

// TestPerftOptions: Threads and Hash hold for perft, which leaves the table empty.
func TestPerftOptions(t *testing.T) {
	for _, tt := range []struct{ input, want string }{
		{"go perft 4", "threads 1, no table"},
		{"setoption name Threads value 3\nsetoption name Hash value 7\ngo perft 4", "threads 3, 7 MiB table"},
		{"setoption name Hash value 7\ngo perft 4 nohash", "threads 1, no table"},
		{"setoption name Threads value 2\ngo perft 4 stats", "threads 2, no table"},
	} {
		engine := &fakeEngine{}
		got := script(t, engine, testConfig, tt.input+"\n")
		if last := got[len(got)-1]; !strings.HasPrefix(last, "info string perft: ") || !strings.HasSuffix(last, tt.want) {
			t.Errorf("%s ends with %q, want %q", tt.input, last, tt.want)
		}
		if !slices.Contains(got, "Nodes searched: 197281") {
			t.Errorf("%s: %q", tt.input, got)
		}
		const stats = "info string perft depth 3: nodes 8902, captures 34, en passant 0, castles 0, promotions 0, checks 12, discovered 0, double 0, mates 0"
		if slices.Contains(got, stats) != strings.Contains(tt.input, "stats") {
			t.Errorf("%s: %q", tt.input, got)
		}
		want := []string{"hash 7"}
		if strings.Contains(tt.want, "MiB") { // the engine's own table makes room meanwhile
			want = []string{"hash 7", "hash 1", "hash 7"}
		}
		sizes := slices.DeleteFunc(engine.events, func(e string) bool { return !strings.HasPrefix(e, "hash ") })
		if strings.Contains(tt.input, "Hash") && !slices.Equal(sizes, want) {
			t.Errorf("%s: sizes of the table %q, want %q", tt.input, sizes, want)
		}
	}
}

// TestPerftFails: what perft itself refuses is told, and nothing is counted.
func TestPerftFails(t *testing.T) {
	cfg := testConfig
	cfg.Path = "nowhere"
	for _, command := range []string{"go perft 3", "go perft 3 stats"} {
		got := script(t, &fakeEngine{}, cfg, command+"\n")
		if len(got) == 0 || !strings.Contains(got[len(got)-1], "nowhere") || strings.Contains(strings.Join(got, "\n"), "Nodes searched") {
			t.Errorf("%s: %q", command, got)
		}
	}
}

func TestPerftRefused(t *testing.T) {
	for _, depth := range []string{"-1", "41", "99999999999999999999", "x", "", "2.5"} {
		got := script(t, &fakeEngine{}, testConfig, "go perft "+depth+"\n")
		if len(got) != 1 || !strings.HasPrefix(got[0], "info string go refused: perft") {
			t.Errorf("go perft %s: %q", depth, got)
		}
	}
}

func TestDisplay(t *testing.T) {
	const fen = "4k3/8/8/8/8/8/4r3/R3K2R w KQ - 3 9"
	got := strings.Join(script(t, &fakeEngine{}, testConfig, "position fen "+fen+"\nd\n"), "\n")
	p := kit.Position(t, fen)
	rule := " +---+---+---+---+---+---+---+---+\n"
	head := rule + " |   |   |   |   | k |   |   |   | 8\n"
	tail := " | R |   |   |   | K |   |   | R | 1\n" + rule + "   a   b   c   d   e   f   g   h\n\n" +
		fmt.Sprintf("Fen: %s\nKey: %016X\nCheckers: e2\nAttacks: slow\nEvaluation: slower", fen, uint64(p.Key()))
	if !strings.HasPrefix(got, head) || !strings.HasSuffix(got, tail) {
		t.Errorf("d shows\n%s\nwant\n%s…%s", got, head, tail)
	}
}

func TestEval(t *testing.T) {
	for _, tt := range []struct{ fen, want string }{
		{"4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", `^evaluation \+\d+\.\d\d for White, [1-9]\d+ centipawns for white to move$`},
		{"4k3/8/8/8/8/8/8/Q3K3 b - - 0 1", `^evaluation \+\d+\.\d\d for White, -[1-9]\d+ centipawns for black to move$`},
		{"4k3/8/8/8/8/8/8/K3Q3 b - - 0 1", `^no static evaluation: black is in check$`},
	} {
		got := script(t, &fakeEngine{}, testConfig, "position fen "+tt.fen+"\neval\n")
		board := strings.Count(strings.Join(got, "\n"), " |   Q   |") + countLines(got, " +-------+")
		if n := countLines(got, "network "); len(got) > 1 && (n != 1 || board != 10) {
			t.Errorf("%s: eval names the network %d times, want once, below a board with its queen:\n%s", tt.fen, n, strings.Join(got, "\n"))
		}
		if last := got[len(got)-1]; !regexp.MustCompile(tt.want).MatchString(last) {
			t.Errorf("%s: eval ends with %q, want %s", tt.fen, last, tt.want)
		}
	}
}
