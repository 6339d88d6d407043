package command

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
)

// TestPerftCommand counts on a hub in the process, twice: the second time there is
// nothing left to do.
func TestPerftCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, tt := range []struct{ fen, depth, want string }{
		{"", "5", "4865609"},
		{"", "5", "4865609"},
		{"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "3", "0"},
		{"", "0", "1"},
	} {
		args := []string{"farm", "perft", "--dir", dir, "--depth", tt.depth}
		if tt.fen != "" {
			args = append(args, "--fen", tt.fen)
		}
		var out, errOut bytes.Buffer
		code := tool.Run(context.Background(), New(&out, &errOut), args)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if last := lines[len(lines)-1]; code != command.Done || last != tt.want {
			t.Errorf("%v: exit code %d, last line %q, want %s\n%s", args, code, last, tt.want, &errOut)
		}
		if !strings.Contains(out.String(), "by one worker with two keys") {
			t.Errorf("it is not said that one worker counted twice:\n%s", &out)
		}
	}
}

// TestWrongUse shows that what cannot be is told with exit code 2.
func TestWrongUse(t *testing.T) {
	for _, args := range [][]string{
		{"perft", "--depth", "-1"}, {"perft", "--depth", "99"}, {"perft", "--fen", "x"}, {"perft", "--depth", "1", "--name", "a b"},
		{"perft", "--depth", "1", "--cores", "0"}, {"work"}, {"work", "--hub", "nats://127.0.0.1:1", "--cores", "0"}, {"list"}, {"cancel", "--hub", "nats://127.0.0.1:1"},
		{"enrol", "--hub", "nats://127.0.0.1:1", "a b"}, {"hub", "--store", "-1"}, {"hub", "more"},
		{"match", "--tc", "x", "a", "b"}, {"match", "--tc", "1+-1", "a", "b"}, {"match", "--tc", "0+1", "a", "b"}, {"match", "--tc", "1", "--nodes", "2", "a", "b"},
		{"datagen"}, {"datagen", "--out", "@/x", "--games", "9223372036854775807"},
		{"datagen", "--out", "@/x", "--network", "@/none"}, {"datagen", "--out", "@/none/x"}, {"datagen", "--out", "@/x", "--games", "0"},
		{"tune", "--pairs", "9223372036854775807"},
		{"hub", "--store", "9223372036854775807"}, {"hub", "--listen", "x"}, {"hub", "--listen", "127.0.0.1:99999"},
		{"hub", "--http", "a:b:c"}, {"work", "--hub", "http://a:1"}, {"work", "--hub", "127.0.0.1:99999"}, {"perft", "--hub", "nats://"},
		{"list", "--hub", "nats://127.0.0.1:1", "--key", "@/none"}, {"hub", "--keep", "-1"},
		{"match", "--pairs", "9223372036854775807", "exec:a", "exec:b"},
		{"match", "--hash", "99999999999", "exec:a", "exec:b"}, {"match", "--openings", "@/none", "exec:a", "exec:b"}, {"match", "none", "exec:b"}, {"match", "a"},
		{"match", "--sprt", "x", "a", "b"}, {"match", "--option-a", "x", "a", "b"}, {"match", "--option-b", "=x", "exec:a", "exec:b"}, {"match", "--hash", "0", "exec:a", "exec:b"},
	} {
		dir := t.TempDir()
		for i := range args {
			args[i] = strings.Replace(args[i], "@/", dir+"/", 1)
		}
		var out, errOut bytes.Buffer
		code := tool.Run(t.Context(), New(&out, &errOut), append([]string{"farm"}, args...))
		if code != command.Usage || strings.Count(errOut.String(), "\n") != 1 {
			t.Errorf("%v: exit code %d, want %d\n%s", args, code, command.Usage, &errOut)
		}
	}
}
