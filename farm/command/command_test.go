package command

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/tabula-farm/dashboard"
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
		{"4k3/8/8/8/8/8/8/4K2R", "1", "14"},
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
		if alone := tt.fen != "" && !strings.Contains(tt.fen, " "); alone != strings.Contains(errOut.String(), "w - - 0 1 is assumed") {
			t.Errorf("%v: what is assumed behind the board:\n%s", args, &errOut)
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
		{"tune", "--pairs", "9223372036854775807"}, {"tune", "--param", "Nothing"}, {"tune", "--tc", "x"}, {"tune", "--tc", "1"}, {"tune", "--node-time", "9"},
		{"tune", "--tc", "1", "--nodes", "2"}, {"tune", "--tc", "1", "--node-time", "-1"}, {"tune", "--network", "@/none"},
		{"hub", "--store", "9223372036854775807"}, {"hub", "--listen", "x"}, {"hub", "--listen", "127.0.0.1:99999"},
		{"hub", "--http", "a:b:c"}, {"work", "--hub", "http://a:1"}, {"work", "--hub", "127.0.0.1:99999"}, {"perft", "--hub", "nats://"},
		{"list", "--hub", "nats://127.0.0.1:1", "--key", "@/none"}, {"hub", "--keep", "-1"},
		{"match", "--pairs", "9223372036854775807", "exec:a", "exec:b"},
		{"match", "--hash", "99999999999", "exec:a", "exec:b"}, {"match", "--openings", "@/none", "exec:a", "exec:b"}, {"match", "none", "exec:b"}, {"match", "a"},
		{"match", "--sprt", "x", "a", "b"}, {"match", "exec:a,x", "exec:b"}, {"match", "exec:a", "exec:b,=x"}, {"match", "--hash", "0", "exec:a", "exec:b"},
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

// TestSubmit refuses submissions that are no run, tells why a command has failed, and
// begins runs again that were not over when the hub ended.
func TestSubmit(t *testing.T) {
	dir := t.TempDir()
	r, err := newSubmitted(t.Context(), dir, []string{"--hub=x", "--dir=" + dir}, io.Discard)
	must.Succeed(t, err)
	for _, bad := range []dashboard.Submission{
		{Kind: "perft", Name: "a"}, {Kind: "datagen", Name: "../a"}, {Kind: "datagen"}, {Kind: "match", Name: "a", A: "--pgn=/x", B: "b"}, {Kind: "match", Name: "a", A: "a"},
	} {
		if err := r.submit(&bad); err == nil {
			t.Errorf("%+v: taken", bad)
		}
	}
	must.Succeed(t, r.submit(&dashboard.Submission{Kind: "datagen", Name: "a", Nodes: 100}))
	r.all.Wait()
	if state := r.Submitted()["a"]; !strings.Contains(state, "games 0") {
		t.Errorf("it has failed and says %q", state)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	again := &submitted{ctx: ended, dir: r.dir, log: io.Discard, states: map[string]string{}}
	must.Succeed(t, again.submit(&dashboard.Submission{Kind: "datagen", Name: "b", Nodes: 100}))
	again.all.Wait()
	if _, err := os.Stat(filepath.Join(r.dir, "b.json")); err != nil {
		t.Errorf("a run that was under way is forgotten: %v", err)
	}
	r, err = newSubmitted(t.Context(), dir, nil, io.Discard)
	must.Succeed(t, err)
	r.all.Wait()
	if !strings.Contains(r.Submitted()["b"], "games 0") {
		t.Errorf("it does not begin again: %v", r.Submitted())
	}
}
