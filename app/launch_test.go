package app

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/version"
)

// call runs Main without an environment but what env says.
func call(t *testing.T, env map[string]string, input string, args ...string) (out, errOut string, code int) {
	t.Helper()
	var o, e strings.Builder
	code = Main(t.Context(), args, func(name string) string { return env[name] }, strings.NewReader(input), &o, &e)
	return o.String(), e.String(), code
}

func TestMainExits(t *testing.T) {
	for _, tt := range []struct {
		name, input string
		env         map[string]string
		args        []string
		code        int
		out, errOut string
	}{
		{name: "uci", input: "uci\nisready\n", out: "uciok\nreadyok\n"},
		{name: "version", args: []string{"--version"}, out: "attacks    magic (chosen by TABULA_ATTACKS): lists of moves magic, perft magic, single look-ups magic\n", env: map[string]string{"TABULA_ATTACKS": "magic"}},
		{name: "commands", args: []string{"isready", "go depth 1", "quit"}, out: "readyok\n"},
		{name: "quoted FEN", args: []string{"position", "fen", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "go", "perft", "1"}, out: "Nodes searched: 15\n"},
		{name: "a bad position", args: []string{"position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP/RNBQKBNR w KQkq - 0 1", "go depth 6"}, code: 2,
			out: "info string error: position refused: FEN placement", errOut: "position refused: FEN placement"},
		{name: "no limit of go", args: []string{"go", "deep", "6"}, code: 2, out: "info string", errOut: `"deep" is unknown`},
		{name: "no such option", args: []string{"setoption name Hasch value 5", "go depth 1"}, code: 2, out: "info string", errOut: "Hasch"},
		{name: "help of bench", args: []string{"bench", "--help"}, out: "[DEPTH [THREADS [HASH]]]"},
		{name: "attacks", env: map[string]string{"TABULA_ATTACKS": "fast"}, code: 2, errOut: `TABULA_ATTACKS: unknown attack path "fast"`},
		{name: "attacks before version", args: []string{"--version"}, env: map[string]string{"TABULA_ATTACKS": "x"}, code: 2, errOut: "TABULA_ATTACKS"},
		{name: "analyse", args: []string{"analyse", "--seconds", "0.05", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"}, out: "best move: "},
		{name: "analyse a mate", args: []string{"analyse", "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1"}, out: "Checkmate: White has won.\n"},
		{name: "tb without a table", args: []string{"tb", "8/8/8/4k3/8/8/8/KQRQ4 w - - 0 1"}, code: 1, out: "error syzygy", errOut: "1 position could not be looked up; give directories"},
		{name: "tb with a directory without tables", args: []string{"tb", "--syzygy", ".", "8/8/8/4k3/8/8/8/KQ6 w - - 0 1"}, code: 2, errOut: "no tables in it"},
		{name: "analyse with flags behind it", args: []string{"analyse", "e4", "--depth", "2", "--threads", "2", "--hash", "1"}, out: "best move: "},
		{name: "analyse for nodes", args: []string{"analyse", "startpos", "--nodes", "500", "--json"}, out: "\"best\":{\"uci\":\""},
		{name: "analyse with no network", args: []string{"analyse", "--eval-file", "/nonexist"}, code: 2, errOut: "/nonexist"},
		{name: "analyse no number", args: []string{"analyse", "--seconds", "NaN"}, code: 2, errOut: `--seconds "NaN": want 0.001 to 999999`},
		{name: "analyse too many lines", args: []string{"analyse", "--multipv", "99"}, code: 2, errOut: `--multipv "99": want 1 to 20`},
		{name: "analyse too much hash", args: []string{"analyse", "--hash", "0"}, code: 2, errOut: `--hash "0": want 1 to`},
		{name: "play", args: []string{"play", "--nodes", "500", "--color", "black"}, input: "resign\n", out: "1-0: black resigns"},
		{name: "play from a FEN", args: []string{"play", "--seconds", "0.01", "4k3/8/8/8/8/8/8/4K2R", "w", "K", "-", "0", "1"}, input: "O-O\n", out: "1. O-O "},
		{name: "play from moves", args: []string{"play", "--nodes", "500", "1. e4", "e5"}, input: "undo\nNf3\nresign\n", out: "1. e4 e5 2. Nf3"},
		{name: "play from moves, and leave", args: []string{"play", "e4", "e5"}, input: "quit\n", out: "white to move"},
		{name: "play Chess960 with clocks", args: []string{"play", "--tc", "1+0", "--chess960", "0"}, input: "e4\n", out: "TimeControl \"60+0\""},
		{name: "play at a level", args: []string{"play", "--elo", "1500", "--seconds", "0.01"}, input: "e4\nhint\n", out: "[Black \"Tabula " + version.Number + " (1500)\"]"},
		{name: "play at a mistyped level", args: []string{"play", "--elo", "abc"}, code: 2, errOut: `--elo "abc": want a whole number, 100 to 2850; see tabula play --help`},
		{name: "play for mistyped seconds", args: []string{"play", "--seconds", "x"}, code: 2, errOut: `--seconds "x": want a number, 0.001 to 999999;`},
		{name: "play a mistyped start", args: []string{"play", "--chess960", "x"}, code: 2, errOut: `--chess960 "x": want a whole number, 0 to 959;`},
		{name: "analyse for mistyped nodes", args: []string{"analyse", "--nodes", "x"}, code: 2, errOut: `--nodes "x": want a whole number, at least 1;`},
		{name: "serve for a mistyped time", args: []string{"serve", "--search", "x"}, code: 2, errOut: `--search "x": want a time such as 90s, 10m or 1h30m, at least 1s;`},
		{name: "bench to no depth", args: []string{"bench", "-1"}, code: 2, out: "info string", errOut: `bench refused: depth "-1" is out of range 1 to 1000`},
		{name: "bench without threads", args: []string{"bench", "3", "0"}, code: 2, out: "info string", errOut: `bench refused: threads "0" is out of range 1 to 1024`},
		{name: "go to no depth", args: []string{"go", "depth", "-3"}, code: 2, out: "info string", errOut: `go: depth "-3" is out of range 1 to 1000`},
		{name: "play at no level", args: []string{"play", "--elo", "99"}, code: 2, errOut: "--elo"},
		{name: "play a bad FEN", args: []string{"play", "blah"}, code: 2, errOut: "FEN"},
		{name: "play no color", args: []string{"play", "--color", "red"}, code: 2, errOut: "--color"},
		{name: "play no clock", args: []string{"play", "--tc", "NaN+1"}, code: 2, errOut: "--tc"},
		{name: "play two clocks", args: []string{"play", "--tc", "1+1", "--seconds", "3"}, code: 2, errOut: "--tc cannot be used"},
		{name: "play two starts", args: []string{"play", "--chess960", "1", "startpos"}, code: 2, errOut: "want --chess960 or a position"},
		{name: "play no start", args: []string{"play", "--chess960", "960"}, code: 2, errOut: "960"},
		{name: "annotate", args: []string{"annotate", "--nodes", "500", "-"}, input: "1. f3 e5 2. g4 Qh4# 0-1", out: "g4 $4"},
		{name: "annotate a broken game", args: []string{"annotate", "--nodes", "500", "-"}, input: "1. f4 e4 0-1", out: "e4}", errOut: "standard input: game 1, line 1, column 7"},
		{name: "annotate a broken game strictly", args: []string{"annotate", "--nodes", "500", "--strict", "-"}, input: "1. f3 e4 0-1", code: 1, errOut: "standard input: game 1, line 1, column 7"},
		{name: "annotate an empty file", args: []string{"annotate", "-"}, errOut: "standard input: no games"},
		{name: "annotate by two limits", args: []string{"annotate", "--nodes", "5", "--seconds", "1", "-"}, code: 2, errOut: "--nodes, --depth, --seconds: want only one"},
		{name: "annotate to a depth", args: []string{"annotate", "--depth", "4", "-"}, input: "1. f3 e5 2. g4 Qh4# 0-1", out: "g4 $4"},
		{name: "play with no tables there", args: []string{"play", "--syzygy", "/nonexist"}, code: 2, errOut: "--syzygy: syzygy: open /nonexist"},
		{name: "analyse with the program's tables", args: []string{"analyse", "--nodes", "30", "--json", "8/8/8/8/4k3/8/4P3/4K3 b - - 0 1"}, out: `"score":{"cp":0}`},
		{name: "help of the protocol", args: []string{"help", "uci"}, out: "movestogo N"},
		{name: "help of a command", args: []string{"help", "annotate"}, out: "--html FILE"},
		{name: "help of no command", args: []string{"help", "hello"}, code: 2, errOut: "not a command"},
		{name: "help of a command of games", args: []string{"help", "games", "import"}, out: "FILE.pgn"},
		{name: "help of no command of another", args: []string{"help", "analyse", "tb"}, code: 2, errOut: `"tb" is not a command of analyse`},
		{name: "a mistyped command", args: []string{"anaylse", "e4"}, code: 2, errOut: "\"anaylse\" is not a command; did you mean analyse?\n"},
		{name: "a mistyped command of UCI", args: []string{"positon startpos"}, code: 2, errOut: `"positon" is not a command; did you mean position?`},
		{name: "no command", args: []string{"frobnicate"}, code: 2, errOut: `"frobnicate" is not a command; see --help`},
		{name: "help of a mistyped command", args: []string{"help", "annotat"}, code: 2, errOut: "did you mean annotate?"},
		{name: "a mistyped command of games", args: []string{"games", "fnd"}, code: 2, errOut: `"fnd" is not a command of games; did you mean find?`},
		{name: "a mistyped flag", args: []string{"analyse", "--depht", "3"}, code: 2, errOut: "--depht: unknown flag; did you mean --depth?\n"},
		{name: "no flag", args: []string{"analyse", "--frobnicate"}, code: 2, errOut: "--frobnicate: unknown flag; see tabula analyse --help"},
		{name: "a mistyped colour", args: []string{"play", "--color", "blakc"}, code: 2, errOut: "want white, black or random; did you mean black?"},
		{name: "a mistyped option", args: []string{"setoption name Hahs value 5"}, code: 2, out: "info string", errOut: `no option "Hahs"; did you mean Hash?`},
		{name: "a mistyped line of UCI", input: "israedy\nisready\n", out: "unknown command \"israedy\"; did you mean isready?\nreadyok\n"},
		{name: "junk behind a FEN", args: []string{"play", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "hello"}, code: 2, errOut: `move "hello": it names no square; only moves may follow a position`},
		{name: "completion", args: []string{"completion", "bash"}, out: "complete -o"},
		{name: "analyse a board alone", args: []string{"analyse", "--depth", "1", "4k3/8/8/8/8/8/8/4K2R"},
			out: "4k3/8/8/8/8/8/8/4K2R w", errOut: "warning: FEN side: only the board is given, want w or b behind it (at byte 20): w - - 0 1 is assumed"},
		{name: "tb a board alone", args: []string{"tb", "8/8/8/8/8/4k3/8/4K3"}, out: "8/8/8/8/8/4k3/8/4K3 w - - 0 1 ; wdl 0", errOut: "w - - 0 1 is assumed"},
		{name: "profile", args: []string{"--cpuprofile", "/nowhere/at/all", "isready"}, code: 2, errOut: "/nowhere/at/all"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, errOut, code := call(t, tt.env, tt.input, tt.args...)
			oneLine := strings.ReplaceAll(out, "\n", " ") // a PGN's lines may end anywhere
			if code != tt.code || !strings.Contains(out, tt.out) && !strings.Contains(oneLine, tt.out) || !strings.Contains(errOut, tt.errOut) {
				t.Errorf("exit code %d, output %q, errors %q; want %d, %q, %q", code, out, errOut, tt.code, tt.out, tt.errOut)
			}
			if tt.code != 0 && strings.Contains(out, "bestmove") {
				t.Errorf("searched all the same: %q", out)
			}
			if (errOut == "") != (tt.errOut == "") {
				t.Errorf("unexpected errors %q", errOut)
			}
		})
	}
}

// TestHelp lists each command once, and all flags with two dashes.
func TestHelp(t *testing.T) {
	out, _, _ := call(t, nil, "", "help")
	for _, word := range []string{"analyse", "play", "annotate", "games", "tb", "serve", "lichess", "mcp", "board", "bench", "help"} {
		if n := len(regexp.MustCompile(`\n   `+word+`[ ,]`).FindAllString(out, -1)); n != 1 {
			t.Errorf("%s is listed %d times", word, n)
		}
	}
	for args, flag := range map[string]string{"help": "cpuprofile", "help tb": "syzygy", "help serve": "listen", "board --help": "hash", "tb --help": "syzygy"} {
		out, errOut, code := call(t, nil, "", strings.Fields(args)...)
		if code != 0 || !strings.Contains(out, "\n   --"+flag+" ") || strings.Contains(out, "\n   -"+flag) {
			t.Errorf("tabula %s: exit code %d, want --%s\n%s%s", args, code, flag, out, errOut)
		}
	}
	for _, word := range []string{"analyse", "play", "annotate"} { // no default that the command refuses
		if out, _, _ := call(t, nil, "", word, "--help"); regexp.MustCompile(`default: (0|-1)\)`).MatchString(out) {
			t.Errorf("tabula %s --help: %s", word, out)
		}
	}
}

func TestGroupCommands(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{"position startpos", "go depth 8", "quit"}, []string{"position startpos", "go depth 8", "quit"}},
		{[]string{"position", "startpos", "moves", "e2e4", "go", "depth", "8"}, []string{"position startpos moves e2e4", "go depth 8"}},
		{[]string{"bench", "5"}, []string{"bench 5"}},
		{[]string{"bench", "bench"}, []string{"bench", "bench"}},
		{[]string{"position fen", "8/8/8/8/8/8/8/8 w - -", "d"}, []string{"position fen 8/8/8/8/8/8/8/8 w - -", "d"}},
		{[]string{"", "  ", "uci\nquit"}, []string{"uci quit"}},
		{[]string{"5", "bench"}, nil},
	} {
		commands, unknown := groupCommands(tt.args)
		var got []string
		for _, words := range commands {
			got = append(got, strings.Join(words, " "))
		}
		if d := cmp.Diff(tt.want, got); d != "" || (unknown != "") != (tt.want == nil) {
			t.Errorf("%q: unknown %q (-want +got):\n%s", tt.args, unknown, d)
		}
	}
}

// firstWrite closes done when something is written.
type firstWrite struct {
	done chan struct{}
	once sync.Once
}

func (f *firstWrite) Write(p []byte) (int, error) {
	f.once.Do(func() { close(f.done) })
	return len(p), nil
}

func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		nil, {"go infinite"}, {"go depth 100"}, {"go perft 20"}, {"genfens 1000000 seed 1 book None"},
		{"analyse", "--seconds", "1000"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			started := make(chan struct{})
			if args == nil {
				close(started) // nothing is written before the first command
			}
			in, release := io.Pipe() // an input that does not end
			defer release.Close()
			profile := filepath.Join(dir, "cpu")
			var errOut strings.Builder
			go func() { <-started; cancel() }()
			code := Main(ctx, append([]string{"--cpuprofile", profile}, args...), func(string) string { return "" },
				in, &firstWrite{done: started}, &errOut)
			if code != exit.Interrupted || errOut.String() != "tabula: interrupted\n" {
				t.Errorf("exit code %d, %q", code, &errOut)
			}
			if info, err := os.Stat(profile); err != nil || info.Size() == 0 {
				t.Errorf("profile: %v, want one that is complete", err)
			}
		})
	}
}
