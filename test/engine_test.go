package test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// patience bounds every wait that has no bound of its own.
const patience = 2 * time.Minute

// clocksWatched reports whether late answers are failures: make clocks asks for it. Late answers say nothing about the
// engine on a machine with other work. Answers that come too early or not at all always fail.
func clocksWatched() bool { return os.Getenv("TABULA_CLOCKS") != "" }

// engine is a running engine process and the record of its session.
type engine struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	done  chan struct{} // closed when the output has ended and the process is gone
	code  int           // exit code, once done

	mu   sync.Mutex
	log  []entry
	next int           // index into log of the first line not yet looked at
	news chan struct{} // holds a token when log has grown
}

// entry is a line of the session.
type entry struct {
	at   time.Time
	sent bool
	text string
}

// startEngine runs the engine in a directory, with any number of threads but 1 set by setoption.
func startEngine(dir, threads string, env []string, args ...string) (*engine, error) {
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	e := &engine{cmd: cmd, stdin: stdin, done: make(chan struct{}), news: make(chan struct{}, 1)}
	go func() {
		defer close(e.done)
		s := bufio.NewScanner(stdout)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			e.record(entry{time.Now(), false, s.Text()})
		}
		_ = cmd.Wait() // the exit code tells
		e.code = cmd.ProcessState.ExitCode()
	}()
	if threads != "1" {
		err = e.send("setoption name Threads value " + threads)
	}
	return e, err
}

func (e *engine) record(n entry) {
	e.mu.Lock()
	e.log = append(e.log, n)
	e.mu.Unlock()
	select {
	case e.news <- struct{}{}:
	default:
	}
}

func (e *engine) send(lines ...string) error {
	for _, text := range lines {
		e.record(entry{time.Now(), true, text})
		if _, err := io.WriteString(e.stdin, text+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// scan returns the first matching line of the engine that has not been looked at.
func (e *engine) scan(re *regexp.Regexp) (entry, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := e.next; i < len(e.log); i++ {
		if n := e.log[i]; !n.sent && re.MatchString(n.text) {
			e.next = i + 1
			return n, true
		}
	}
	return entry{}, false
}

// expect waits for a matching line and passes over the lines before it. The bound holds only where clocks are watched.
func (e *engine) expect(re *regexp.Regexp, within time.Duration) (entry, error) {
	if !clocksWatched() {
		within = patience
	}
	deadline := time.After(within)
	for {
		if n, ok := e.scan(re); ok {
			return n, nil
		}
		select {
		case <-e.news:
		case <-e.done:
			if n, ok := e.scan(re); ok {
				return n, nil
			}
			return entry{}, fmt.Errorf("the engine ended without a line matching %q:\n%s", re, e.transcript())
		case <-deadline:
			return entry{}, fmt.Errorf("no line matching %q within %v:\n%s", re, within, e.transcript())
		}
	}
}

// quiet fails if a matching line comes within d of the last line that was sent.
func (e *engine) quiet(re *regexp.Regexp, d time.Duration) error {
	end := time.Now().Add(d)
	for _, n := range slices.Backward(e.entries()) {
		if n.sent {
			end = n.at.Add(d)
			break
		}
	}
	select {
	case <-e.done:
	case <-time.After(time.Until(end)):
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, n := range e.log[e.next:] {
		if !n.sent && re.MatchString(n.text) && n.at.Before(end) {
			return fmt.Errorf("too early: %q", n.text)
		}
	}
	return nil
}

// exits waits for the end of the process and checks its exit code and that each go has one answer.
func (e *engine) exits(code int) error {
	select {
	case <-e.done:
	case <-time.After(patience):
		return fmt.Errorf("still running after %v:\n%s", patience, e.transcript())
	}
	if e.code != code {
		return fmt.Errorf("exit code %d, want %d:\n%s", e.code, code, e.transcript())
	}
	asked, answered := 0, 0
	for _, n := range e.entries() {
		switch words := strings.Fields(n.text); {
		case len(words) == 0:
		case n.sent && words[0] == "go" && !slices.Contains(words, "perft"):
			asked++
		case !n.sent && words[0] == "bestmove":
			answered++
		}
	}
	if asked != answered {
		return fmt.Errorf("%d go commands have %d answers:\n%s", asked, answered, e.transcript())
	}
	return nil
}

// kill ends the process if it still runs.
func (e *engine) kill() {
	_ = e.cmd.Process.Kill() // fails where the process has ended
	<-e.done
}

func (e *engine) entries() []entry {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.log)
}

// transcript returns the record as text, with the seconds since its beginning.
func (e *engine) transcript() string {
	var b strings.Builder
	log := e.entries()
	for _, n := range log {
		arrow := "<"
		if n.sent {
			arrow = ">"
		}
		fmt.Fprintf(&b, "%7.3f %s %.300s\n", n.at.Sub(log[0].at).Seconds(), arrow, n.text)
	}
	return b.String()
}

func (e *engine) received() string {
	var b strings.Builder
	for _, n := range e.entries() {
		if !n.sent {
			b.WriteString(n.text + "\n")
		}
	}
	return b.String()
}
