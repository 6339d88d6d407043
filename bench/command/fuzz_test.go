package command

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/command"
)

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
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--games", "-1"}, command.Usage, "games: -1"},
		{[]string{"--games", "0"}, command.Usage, "never end"},
		{[]string{"--threads", "-1"}, command.Usage, "threads: -1"},
		{[]string{"extra"}, command.Usage, "unexpected argument"},
		{[]string{"--engine", "./no-such-engine"}, command.Usage, "engine"},
	} {
		_, errOut, code := call(t, append([]string{"fuzz"}, c.args...)...)
		if code != c.code || !strings.Contains(errOut, c.want) {
			t.Errorf("fuzz %v: exit code %d, %q, want %d and %q", c.args, code, errOut, c.code, c.want)
		}
	}
}
