package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// call runs Main without an environment but what env says.
func call(t *testing.T, env map[string]string, input string, args ...string) (out, errOut string, code int) {
	t.Helper()
	var o, e strings.Builder
	code = Main(args, func(name string) string { return env[name] }, strings.NewReader(input), &o, &e)
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
		{name: "version", args: []string{"--version"}, out: "attacks    magic (chosen by TABULA_ATTACKS)\n", env: map[string]string{"TABULA_ATTACKS": "magic"}},
		{name: "help", args: []string{"--help"}, out: "TABULA_ATTACKS in the environment"},
		{name: "commands", args: []string{"isready", "go depth 1", "quit"}, out: "readyok\n"},
		{name: "perft", args: []string{"go", "perft", "2"}, out: "Nodes searched: 400\n"},
		{name: "quoted FEN", args: []string{"position", "fen", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "go", "perft", "1"}, out: "Nodes searched: 15\n"},
		{name: "no command", args: []string{"hello"}, code: 2, errOut: `"hello" is no command`},
		{name: "no flag", args: []string{"--hello"}, code: 2, errOut: "flag provided but not defined"},
		{name: "attacks", env: map[string]string{"TABULA_ATTACKS": "fast"}, code: 2, errOut: `TABULA_ATTACKS: unknown attack path "fast"`},
		{name: "attacks before version", args: []string{"--version"}, env: map[string]string{"TABULA_ATTACKS": "x"}, code: 2, errOut: "TABULA_ATTACKS"},
		{name: "analyse", args: []string{"analyse", "--seconds", "0.05", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"}, out: "best move: "},
		{name: "analyse by field", args: []string{"analyse", "--seconds", "0.05", "4k3/8/8/8/8/8/8/4K2R", "w"}, out: "best move: "},
		{name: "analyse a mate", args: []string{"analyse", "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1"}, out: "Checkmate: White has won.\n"},
		{name: "analyse a stalemate", args: []string{"analyse", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}, out: "Stalemate"},
		{name: "analyse help", args: []string{"analyse", "--help"}, out: "-multipv"},
		{name: "analyse a bad FEN", args: []string{"analyse", "blah"}, code: 2, errOut: "FEN"},
		{name: "analyse no time", args: []string{"analyse", "--seconds", "0"}, code: 2, errOut: "--seconds 0"},
		{name: "analyse no number", args: []string{"analyse", "--seconds", "NaN"}, code: 2, errOut: "--seconds NaN"},
		{name: "analyse too many lines", args: []string{"analyse", "--multipv", "99"}, code: 2, errOut: "--multipv 99"},
		{name: "analyse too much hash", args: []string{"analyse", "--hash", "0"}, code: 2, errOut: "hash size 0"},
		{name: "profile", args: []string{"--cpuprofile", "/nowhere/at/all", "isready"}, code: 1, errOut: "/nowhere/at/all"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, errOut, code := call(t, tt.env, tt.input, tt.args...)
			if code != tt.code || !strings.Contains(out, tt.out) || !strings.Contains(errOut, tt.errOut) {
				t.Errorf("exit code %d, output %q, errors %q; want %d, %q, %q", code, out, errOut, tt.code, tt.out, tt.errOut)
			}
			if (errOut == "") != (tt.errOut == "") {
				t.Errorf("unexpected errors %q", errOut)
			}
		})
	}
}

func TestProfilesAreWritten(t *testing.T) {
	dir := t.TempDir()
	cpu, mem := filepath.Join(dir, "cpu"), filepath.Join(dir, "mem")
	if _, errOut, code := call(t, nil, "", "--cpuprofile", cpu, "--memprofile", mem, "go depth 3"); code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut)
	}
	for _, name := range []string{cpu, mem} {
		if info, err := os.Stat(name); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, want a profile", name, err)
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
		got, err := groupCommands(tt.args)
		if d := cmp.Diff(tt.want, got); d != "" || (err != nil) != (tt.want == nil) {
			t.Errorf("%q: error %v (-want +got):\n%s", tt.args, err, d)
		}
	}
}
