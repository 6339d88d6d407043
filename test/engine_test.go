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
	"syscall"
	"time"
)

// patience bounds every wait that has no bound of its own.
const patience = 2 * time.Minute

// clocksWatched reports whether answers that come late are failures. On a
// machine with other work they say nothing about the engine, so they are only
// where the environment asks for it: make clocks. Answers that come too early,
// or not at all, always are.
func clocksWatched() bool { return os.Getenv("TABULA_CLOCKS") != "" }

// engine is a running engine process and the record of the talk with it.
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

// entry is a line of the talk.
type entry struct {
	at   time.Time
	sent bool
	text string
}

// startEngine runs a binary. What it writes to standard error is passed on.
func startEngine(dir string, env []string, binary string, args ...string) (*engine, error) {
	return startEngineTo(os.Stderr, dir, env, binary, args...)
}

// startEngineTo is startEngine with another place for standard error, which may
// be read once the engine is done.
func startEngineTo(stderr io.Writer, dir string, env []string, binary string, args ...string) (*engine, error) {
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, stderr
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
	return e, nil
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

// send sends one line.
func (e *engine) send(text string) error {
	e.record(entry{time.Now(), true, text})
	_, err := io.WriteString(e.stdin, text+"\n")
	return err
}

// scan returns the first line not yet looked at that the engine sent and that
// matches.
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

// expect waits for a line that matches, longer where the machine is busy or
// clocks are not watched.
func (e *engine) expect(re *regexp.Regexp, within time.Duration) (entry, error) {
	if !clocksWatched() {
		within = patience
	}
	began, idle := time.Now(), e.starved()
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
			if left := min(within+e.starved()-idle, patience) - time.Since(began); left > 0 {
				deadline = time.After(left)
				continue
			}
			if within == patience {
				e.dump()
			}
			return entry{}, fmt.Errorf("no line matching %q within %v:\n%s", re, within, e.transcript())
		}
	}
}

// prompt waits for a line that matches, no longer on a busy machine where clocks
// are watched.
func (e *engine) prompt(re *regexp.Regexp, within time.Duration) error {
	began := time.Now()
	n, err := e.expect(re, patience)
	if err == nil && clocksWatched() && n.at.Sub(began) > within {
		err = fmt.Errorf("%q came after %v, want %v at most:\n%s", n.text, n.at.Sub(began), within, e.transcript())
	}
	return err
}

// quiet fails if a line matches that comes before d has passed since a line was
// sent.
func (e *engine) quiet(re *regexp.Regexp, d time.Duration) error {
	end := e.lastSent().Add(d)
	select {
	case <-e.done:
	case <-time.After(time.Until(end)):
	}
	e.mu.Lock()
	next := e.next
	e.mu.Unlock()
	if n, ok := e.scan(re); ok {
		if n.at.After(end) { // this test was late itself; the line is still to be expected
			e.mu.Lock()
			e.next = next
			e.mu.Unlock()
			return nil
		}
		return fmt.Errorf("too early: %q:\n%s", n.text, e.transcript())
	}
	return nil
}

// lastSent returns when the last line was sent, now where none was.
func (e *engine) lastSent() time.Time {
	for _, n := range slices.Backward(e.entries()) {
		if n.sent {
			return n.at
		}
	}
	return time.Now()
}

// latencies returns the times to the answers to n lines, shortest first, and
// whether the machine was busy with other things. The line first, if any, is
// sent 30 ms before each.
func (e *engine) latencies(n int, first, line string, answer *regexp.Regexp) (took []time.Duration, busy bool, err error) {
	start, idle := time.Now(), e.starved()
	for range n {
		if first != "" {
			if err := e.send(first); err != nil {
				return nil, false, err
			}
			time.Sleep(30 * time.Millisecond)
		}
		began := time.Now()
		if err := e.send(line); err != nil {
			return nil, false, err
		}
		a, err := e.expect(answer, patience)
		if err != nil {
			return nil, false, err
		}
		took = append(took, a.at.Sub(began))
	}
	slices.Sort(took)
	return took, e.starved()-idle > time.Since(start)/4, nil
}

// exits waits for the end of the process and checks its code.
func (e *engine) exits(code int, within time.Duration) error {
	select {
	case <-e.done:
	case <-time.After(within):
		return fmt.Errorf("still running after %v:\n%s", within, e.transcript())
	}
	if e.code != code {
		return fmt.Errorf("exit code %d, want %d:\n%s", e.code, code, e.transcript())
	}
	return nil
}

// kill ends a process that is still there.
func (e *engine) kill() {
	select {
	case <-e.done:
	default:
		_ = e.cmd.Process.Kill()
		<-e.done
	}
}

// dump has an engine that hangs print its goroutines to standard error, which
// also ends it.
func (e *engine) dump() {
	if e.cmd.Process.Signal(syscall.SIGQUIT) != nil {
		return // not on this system
	}
	select {
	case <-e.done:
	case <-time.After(5 * time.Second):
	}
}

// entries returns a copy of the record.
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

// received returns what the engine wrote.
func (e *engine) received() string {
	var b strings.Builder
	for _, n := range e.entries() {
		if !n.sent {
			b.WriteString(n.text + "\n")
		}
	}
	return b.String()
}
