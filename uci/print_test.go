package uci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/search"
)

// stuckWriter is a pipe that nobody reads: its first Write does not return
// until it is freed.
type stuckWriter struct{ freed chan struct{} }

func (s *stuckWriter) Write(p []byte) (int, error) {
	<-s.freed
	return len(p), nil
}

// TestUnreadOutput shows that commands are obeyed although nobody reads what
// they print, and that quit does not wait for it.
func TestUnreadOutput(t *testing.T) {
	quitPatience = time.Second
	t.Cleanup(func() { quitPatience = patience })
	for _, input := range []string{
		"isready\nquit\n",
		"go infinite\nuci\nstop\ngo depth 3\nquit\n",
		"genfens 1000000 seed 1 book None\nquit\n",
		"go perft 3\nd\neval\nquit\n",
	} {
		t.Run(input, func(t *testing.T) {
			t.Parallel()
			out := &stuckWriter{make(chan struct{})}
			in, w := io.Pipe()
			done := make(chan error, 1)
			go func() { done <- Run(t.Context(), in, out, opened(&fakeEngine{}), testConfig) }()
			go func() { _, _ = io.WriteString(w, input) }() // and stays open
			select {
			case err := <-done:
				if !errors.Is(err, errUnread) {
					t.Errorf("error %v, want %v", err, errUnread)
				}
			case <-time.After(patience):
				t.Fatal("quit waits for a reader")
			}
			close(out.freed)
			w.Close()
		})
	}
}

// TestSlowReader shows that nothing is lost where a reader takes its time.
func TestSlowReader(t *testing.T) {
	const lines = 5000
	r, w := io.Pipe()
	p := newPrinter(w)
	for i := range lines {
		p.printf("line %d of a text that is longer than one chunk", i)
	}
	read := make(chan string)
	go func() {
		text, _ := io.ReadAll(r) // the pipe has no other error than its end
		read <- string(text)
	}()
	testkit.Succeed(t, p.flush(context.Background(), 0))
	p.close()
	w.Close()
	got := strings.Split(strings.TrimSuffix(<-read, "\n"), "\n")
	if len(got) != lines {
		t.Fatalf("%d lines, want %d", len(got), lines)
	}
	for i, l := range got {
		if !strings.HasPrefix(l, fmt.Sprintf("line %d of", i)) {
			t.Fatalf("line %d is %q", i, l)
		}
	}
}

// TestReportsAreDropped shows that a search of many lines neither waits for a
// reader nor fills the memory, while the lines of an iteration are printed all or
// none and those that the result belongs to always.
func TestReportsAreDropped(t *testing.T) {
	const lines = 200
	out := &stuckWriter{make(chan struct{})}
	p := newPrinter(out)
	defer p.close()
	defer close(out.freed)
	r := reporter{out: p}
	one := search.Info{Depth: 1, PV: slices.Repeat([]chess.Move{chess.NewMove(chess.E2, chess.E4, chess.Normal)}, 100)}
	size := len(r.appendInfo(nil, &one)) + 4
	iterations := 3 * reportRoom / size / lines
	for depth := 1; depth <= iterations; depth++ {
		for i := range lines {
			one.Depth, one.MultiPV = search.Depth(depth), i+1
			r.add(one)
			if depth == iterations && i == lines/2 {
				p.mu.Lock() // a reader comes in the midst of them
				p.waiting = p.waiting[bytes.IndexByte(p.waiting, '\n')+1:]
				p.waiting = p.waiting[len(p.waiting)/2:]
				p.waiting = p.waiting[bytes.IndexByte(p.waiting, '\n')+1:]
				p.mu.Unlock()
			}
		}
		p.mu.Lock()
		if n := len(p.waiting); n > reportRoom+(lines+1)*size {
			t.Errorf("%d bytes wait", n)
		}
		p.mu.Unlock()
	}
	r.finish(search.Result{Best: chess.NewMove(chess.E2, chess.E4, chess.Normal)})
	p.mu.Lock()
	defer p.mu.Unlock()
	got := strings.Split(strings.TrimSuffix(string(p.waiting), "\n"), "\n")
	if last := got[len(got)-1]; last != "bestmove e2e4" {
		t.Errorf("last line %q", last)
	}
	got = got[:len(got)-1]
	for i, l := range got[max(0, len(got)-lines):] {
		if want := fmt.Sprintf("info depth %d seldepth 0 multipv %d ", iterations, i+1); !strings.HasPrefix(l, want) {
			t.Fatalf("line %d of the last iteration is %.60q, want %q", i+1, l, want)
		}
	}
	var number int
	for i, l := range got {
		before := number
		if _, err := fmt.Sscanf(l[strings.Index(l, "multipv"):], "multipv %d", &number); err != nil {
			t.Fatal(err)
		}
		if i > 0 && number != before%lines+1 {
			t.Fatalf("line %d of an iteration follows line %d", number, before)
		}
	}
}

// TestDebugLog: the file has what was read and written, in order, beside what it had.
func TestDebugLog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a log.txt")
	testkit.Write(t, name, []byte("before\n"))
	set := "setoption name Debug Log File value "
	c := dial(t, &fakeEngine{}, testConfig)
	c.send("isready", set+name, "  go depth 1 \r")
	out := c.expect("^bestmove")
	c.send("", "wait", "isready", set+"<empty>", "isready")
	out = append(out, c.rest()...)
	text := testkit.Read(t, name)
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
	testkit.Succeed(t, err)
	l.file = f
	if l.add("<<", []byte("x\n")) == nil || l.add("<<", []byte("x\n")) != nil {
		t.Error("want one error for two writes that fail")
	}
}
