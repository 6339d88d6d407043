package uci

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestSlowReader: a reader that comes late has every line, in order, and a stop or quit that was sent
// meanwhile counts.
func TestSlowReader(t *testing.T) {
	reports := make([]search.Info, 5000)
	for i := range reports {
		reports[i] = search.Info{Depth: search.Depth(i + 1)}
	}
	for _, end := range []string{"stop\n", "quit\n", ""} {
		r, w := io.Pipe() // holds nothing
		done := make(chan error, 1)
		go func() {
			done <- Run(t.Context(), strings.NewReader("go infinite\nisready\n"+end), w, opened(&fakeEngine{reports: reports}), testConfig)
			w.Close()
		}()
		select {
		case err := <-done:
			t.Fatalf("Run has ended before its output was read: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
		text, err := io.ReadAll(r)
		kit.Succeed(t, err)
		kit.Succeed(t, <-done)
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if countLines(lines, "readyok") != 1 || lines[len(lines)-1] != "bestmove a2a3" {
			t.Errorf("%q: the last lines are %q", end, lines[len(lines)-2:])
		}
		depth := 1
		for _, l := range lines {
			if depth <= len(reports) && strings.HasPrefix(l, fmt.Sprintf("info depth %d ", depth)) {
				depth++
			}
		}
		if depth != len(reports)+1 {
			t.Errorf("%q: no report of depth %d in its place", end, depth)
		}
	}
}

// TestDebugLog: the file has what was read and written, in order, beside what it had.
func TestDebugLog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a  log.txt")
	kit.Write(t, name, []byte("before\n"))
	set := "setoption name Debug Log File value "
	c := dial(t, &fakeEngine{}, testConfig)
	c.send("isready", set+name, "  go depth 1 \r")
	out := c.expect("^bestmove")
	c.send("", "wait", "isready", set+"<empty>", "isready")
	out = append(out, c.rest()...)
	text := kit.Read(t, name)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if lines[0] != "before" {
		t.Errorf("the file begins with %q", lines[0])
	}
	var read, written []string
	form := regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d{3} (>>|<<) (.*)$`)
	for _, l := range lines[1:] {
		switch m := form.FindStringSubmatch(l); {
		case m == nil:
			t.Errorf("a line of the log is %q", l)
		case m[1] == ">>":
			read = append(read, m[2])
		default:
			written = append(written, m[2])
		}
	}
	if d := cmp.Diff([]string{"  go depth 1 ", "wait", "isready", set + "<empty>"}, read); d != "" {
		t.Errorf("lines read (-want +got):\n%s", d)
	}
	// Neither the first answer, from before the log, nor the last, from after it.
	if d := cmp.Diff(out[1:len(out)-1], written); d != "" {
		t.Errorf("lines written (-want +got):\n%s", d)
	}
}

// TestDebugLogFails: what cannot be written is told once, and the session goes on.
func TestDebugLogFails(t *testing.T) {
	set := "setoption name Debug Log File value "
	for name, want := range map[string]string{
		t.TempDir():                             "not a regular file",
		filepath.Join(t.TempDir(), "no", "log"): "no such file",
	} {
		out := script(t, &fakeEngine{}, testConfig, set+name+"\nisready\n")
		if len(out) != 2 || !strings.Contains(out[0], "Debug Log File") || !strings.Contains(out[0], want) || out[1] != "readyok" {
			t.Errorf("%s: %q", name, out)
		}
	}
	var l debugLog
	f, err := os.Open(os.DevNull) // for reading, so that a write fails
	kit.Succeed(t, err)
	l.file = f
	if l.add("<<", []byte("x\n")) == nil || l.add("<<", []byte("x\n")) != nil {
		t.Error("want one error for two writes that fail")
	}
}
