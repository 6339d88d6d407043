package uci

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
)

// TestDebugLog: the file has what was read and written, in order, beside what it had.
func TestDebugLog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a log.txt")
	filestest.Write(t, name, []byte("before\n"))
	set := "setoption name Debug Log File value "
	out := script(t, &fakeEngine{}, testConfig, "isready\n"+set+name+"\n  go depth 1 \r\nwait\n\nisready\n"+set+"<empty>\nisready\n")
	text := filestest.Read(t, name)
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
	must.Succeed(t, err)
	l.file = f
	if l.add("<<", []byte("x\n")) == nil || l.add("<<", []byte("x\n")) != nil {
		t.Error("want one error for two writes that fail")
	}
}
