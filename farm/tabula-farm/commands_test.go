package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/annotate"
	"github.com/tabula-chess/tabula/bench/count"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/train/datagen"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/tune"
)

// farmRun gives a command of the program and returns its exit code and output.
func farmRun(args ...string) (code int, out, errOut string) {
	var o, e bytes.Buffer
	code = command.Run(context.Background(), program(&o, &e), append([]string{"farm"}, args...))
	return code, o.String(), e.String()
}

// TestCommands gives commands as a newcomer does.
func TestCommands(t *testing.T) {
	dir := t.TempDir()
	f := newFarm(t, "127.0.0.1:0", 0)
	if code, out, _ := farmRun("list", "--hub", f.url); code != 0 ||
		!strings.Contains(out, "no runs: start one, as with tabula-farm run count --hub "+f.url) ||
		!strings.Contains(out, "tabula-farm work --hub "+f.url) {
		t.Errorf("exit code %d\n%s", code, out)
	}
	f.worker("w", 1, nil)
	first := []string{"run", "toy", "--hub", f.url, "--jobs", "3", "--name", "first", "--dir", dir}
	if code, out, errOut := farmRun(first...); code != 0 || !strings.Contains(out, "3 toys") {
		t.Errorf("exit code %d\n%s%s", code, out, errOut)
	}
	if code, out, _ := farmRun("list", "--hub", f.url); code != 0 || !strings.Contains(out, "first") ||
		!strings.Contains(out, "100%") || !strings.Contains(out, "--jobs=3") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	for want, args := range map[string][]string{
		`--hub "": want nats://HOST:PORT`:     {"list"},
		`match: --hub "": want nats:`:         {"run", "match", "a", "b"},
		`"nats://": want nats://HOST:PORT`:    {"list", "--hub", "nats://"},
		"--cores \"0\": want 1 to 4096":       {"work", "--hub", f.url, "--cores", "0", "--dir", dir},
		"1 player: want at least two":         {"run", "match", "--hub", f.url, "embedded"},
		"--nodes and --tc exclude each other": {"run", "match", "--hub", f.url, "--nodes", "5", "--tc", "1+1", "A", "B"},
		"\"a b\": want letters":               {"run", "toy", "--hub", f.url, "--name", "a b"},
		"listen \"x\": want HOST:PORT":        {"hub", "--listen", "x", "--dir", dir},
		"listen \"\": want HOST:PORT":         {"hub", "--listen", "", "--dir", dir},
		`there is no open run "x"`:            {"cancel", "--hub", f.url, "x"},
		"want RUN PRIORITY [SHARE]":           {"priority", "--hub", f.url, "x"},
		"no key: want a file":                 {"list", "--hub", f.url, "--key", filepath.Join(dir, "nokey")},
	} {
		kit.Write(t, filepath.Join(dir, "nokey"), []byte("x"))
		if code, _, errOut := farmRun(args...); code == 0 || !strings.Contains(errOut, want) {
			t.Errorf("%v: exit code %d, %s; want %q", args, code, errOut, want)
		}
	}
}

// TestKinds does the work of each kind on the farm and on one machine with the same flags: what is printed and the files
// are the same.
func TestKinds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kit.Write(t, filepath.Join(dir, "in.pgn"), []byte("[White \"a\"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n\n1. f3 e5 2. g4 Qh4# 0-1\n"))
	f := newFarm(t, "127.0.0.1:0", 0)
	signature, err := match.Signature(t.Context())
	kit.Succeed(t, err)
	f.worker("w", 2, func(c *run.WorkConfig) { c.Machine.Search, c.Types = signature, types() })
	none := func(*cli.Command) (*syzygy.Tables, error) { return nil, nil }
	for _, tt := range []struct {
		local *cli.Command
		out   string // flag
		args  []string
	}{
		{match.Command().Local(), "--pgn", []string{"--nodes", "100", "--pairs", "6", "--hash", "1", "embedded", "embedded,LMRBase=50"}},
		{tune.Command().Local(), "", []string{"--nodes", "50", "--pairs", "8", "--param", "Delta"}},
		{count.Command().Local(), "", []string{"--depth", "5"}},
		{datagen.Command().Local(), "--out", []string{"--nodes", "30", "--games", "30", "--seed", "7"}},
		{annotate.Command(nil, none), "--out", []string{"--nodes", "300", "--hash", "1", filepath.Join(dir, "in.pgn")}},
	} {
		name := tt.local.Name
		var want, errOut bytes.Buffer
		root := &cli.Command{Name: "t", Writer: &want, ErrWriter: &errOut, Commands: []*cli.Command{tt.local}}
		flags := func(file string) []string {
			if tt.out == "" {
				return tt.args
			}
			return append([]string{tt.out, filepath.Join(dir, name+file)}, tt.args...)
		}
		if code := command.Run(t.Context(), root, append([]string{"t", name}, flags("a")...)); code != exit.Done {
			t.Fatalf("%s: exit code %d: %s", name, code, &errOut)
		}
		code, out, bad := farmRun(append([]string{"run", name, "--hub", f.url}, flags("b")...)...)
		if code != 0 || out != want.String() && name != "datagen" { // it prints its speed
			t.Errorf("%s: exit code %d: %s%s, want %s", name, code, out, bad, &want)
		}
		if tt.out == "" {
			continue
		}
		a, b := kit.Read(t, filepath.Join(dir, name+"a")), kit.Read(t, filepath.Join(dir, name+"b"))
		if !bytes.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s: %d bytes, want the same %d", name, len(b), len(a))
		}
	}
}
