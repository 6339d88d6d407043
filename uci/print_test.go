package uci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
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
			go func() { done <- Run(t.Context(), in, out, &fakeEngine{}, testConfig) }()
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
	if err := p.flush(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
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

// TestReportsAreDropped shows that a search neither waits for a reader nor
// fills the memory, while what must not be lost is kept.
func TestReportsAreDropped(t *testing.T) {
	out := &stuckWriter{make(chan struct{})}
	p := newPrinter(out)
	defer p.close()
	defer close(out.freed)
	report := []byte("info " + strings.Repeat("x", 1000) + "\n")
	for range 3 * reportRoom / len(report) {
		p.report(report)
	}
	p.printf("bestmove e2e4")
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.waiting); n > reportRoom+2*len(report) {
		t.Errorf("%d bytes wait", n)
	}
	if !strings.HasSuffix(string(p.waiting), "\nbestmove e2e4\n") {
		t.Error("the best move is lost")
	}
}
