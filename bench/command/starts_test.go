package command

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/bench/oracle"
)

// TestStarts compares with this test as the engine, right and with faults.
func TestStarts(t *testing.T) {
	self, err := os.Executable()
	if err != nil || strings.ContainsRune(self, ' ') {
		t.Skip("the test binary's path cannot be an engine command: ", self, err)
	}
	for _, c := range []struct {
		fault string
		args  []string
		code  int
		want  string
	}{
		{"none", []string{"--depth", "1", "--sample", "60"}, 0, "no difference in 60 start positions of Chess960 at depth 1, "},
		{"none", []string{"--depth", "3", "--sample", "4"}, 0, "no difference in 4 start positions of Chess960 at depth 3, "},
		{"none", []string{"--depth", "2", "--sample", "12", "--double"}, 0, "no difference in 12 start positions of double Chess960"},
		{"no castling", []string{"--depth", "1", "--sample", "60"}, 1, "start positions are counted otherwise by test"},
		{"forgets replies", []string{"--depth", "2", "--sample", "7"}, 1, "  a2a4: position 20, test 19\n"},
		{"standard", nil, 1, "no option UCI_Chess960"},
		{"silent", nil, 1, "ended without an answer"},
		{"none", []string{"--double"}, 2, "give a --sample"},
		{"none", []string{"--sample", "961"}, 2, "sample: 961"},
		{"none", []string{"--depth", "0"}, 2, "depth: 0"},
		{"none", []string{"more"}, 2, `unexpected argument "more"`},
	} {
		t.Run(strings.Join(append([]string{c.fault}, c.args...), " "), func(t *testing.T) {
			t.Setenv(engineVariable, c.fault)
			out, errOut, code := call(t, slices.Concat([]string{"starts", "--engine", self}, c.args)...)
			if code != c.code || !strings.Contains(out+errOut, c.want) {
				t.Errorf("exit code %d, want %d and %q\n%s%s", code, c.code, c.want, out, errOut)
			}
		})
	}
}

// TestStartsStockfish compares some starts with Stockfish where it is installed.
func TestStartsStockfish(t *testing.T) {
	path, err := oracle.Find("stockfish")
	if err != nil {
		t.Skip("needs Stockfish: ", err)
	}
	for _, args := range [][]string{{"--sample", "8"}, {"--sample", "8", "--double"}} {
		out, errOut, code := call(t, slices.Concat([]string{"starts", "--engine", path, "--depth", "3"}, args)...)
		if code != 0 {
			t.Errorf("%v: exit code %d\n%s%s", args, code, out, errOut)
		}
	}
}
