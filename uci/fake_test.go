package uci

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
)

// patience bounds every wait for what should come at once; a busy machine may
// take its time.
const patience = time.Minute

// fakeEngine follows the rules of Searcher without searching: it plays the first
// legal move. A search without Infinite lasts for delay, or until over is closed,
// where it is not nil; one with Ponder does so once it is hit.
type fakeEngine struct {
	delay   time.Duration
	over    chan struct{}
	reports []search.Info // sent before the last line of each search
	hashErr error
	nodes   uint64 // of each search

	mu       sync.Mutex
	busy     bool
	events   []string
	games    []uint64 // numbers of games, as strengths had them
	limits   []search.Limits
	options  []search.Options
	stop     signal // to the armed search
	hit      signal
	overlaps int // searches begun during another
	finished int // searches that ended by themselves
}

// signal is a channel that is closed at most once; its zero value reaches nobody.
type signal struct {
	c      chan struct{}
	closed bool
}

func (f *fakeEngine) log(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.busy {
		f.overlaps++
	}
	f.events = append(f.events, fmt.Sprintf(format, args...))
}

func (f *fakeEngine) SetHash(mib int) error {
	f.log("hash %d", mib)
	if f.hashErr == nil && mib > 1<<10 { // perft asks for as much
		return errors.New("more than this test has")
	}
	return f.hashErr
}

func (f *fakeEngine) Ready() { f.log("ready") }

func (f *fakeEngine) Memory() search.Memory {
	return search.Memory{MiB: 5, Pages: "paper", State: "all there"}
}

func (f *fakeEngine) SetParam(name string, value int) error {
	f.log("param %s %d", name, value)
	return nil
}

func (f *fakeEngine) SetThreads(n int) error {
	f.log("threads %d", n)
	return nil
}

func (f *fakeEngine) Network() *nnue.Network { return nnue.Embedded() }

func (f *fakeEngine) SetNetwork(n *nnue.Network) { f.log("network %v", n.Hash()) }

func (f *fakeEngine) SetTables(*syzygy.Tables) {}

func (f *fakeEngine) SetStrength(s search.Strength) error {
	f.log("elo %d", s.Elo)
	f.games = append(f.games, s.Game)
	return s.Check()
}

func (f *fakeEngine) Clear() { f.log("clear") }

func (f *fakeEngine) Prepare(p *chess.Position, l search.Limits, o search.Options,
	report func(search.Info)) func() search.Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stop, f.hit = signal{c: make(chan struct{})}, signal{c: make(chan struct{})}
	return func() search.Result { return f.search(p, l, o, report) }
}

func (f *fakeEngine) search(p *chess.Position, l search.Limits, o search.Options, report func(search.Info)) search.Result {
	f.log("search %s", p.FEN())
	f.mu.Lock()
	f.busy = true
	stop, hit := f.stop.c, f.hit.c
	f.limits, f.options = append(f.limits, l), append(f.options, o)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.busy, f.stop, f.hit = false, signal{}, signal{}
		f.mu.Unlock()
	}()
	for _, in := range f.reports {
		report(in)
	}
	moves := movegen.Legal(p, nil)
	if len(l.SearchMoves) > 0 {
		moves = l.SearchMoves
	}
	if len(moves) > 0 {
		report(search.Info{Depth: max(l.Depth, 1), SelDepth: 1, MultiPV: 1, Nodes: 1, PV: moves[:1]})
	}
	f.last(l, stop, hit)
	if len(moves) == 0 {
		return search.Result{}
	}
	return search.Result{Best: moves[0], Nodes: f.nodes}
}

// last returns when the search may end: a pondering one has its whole time before
// it when it is hit.
func (f *fakeEngine) last(l search.Limits, stop, hit <-chan struct{}) {
	if l.Ponder {
		select {
		case <-stop:
			return
		case <-hit:
		}
	}
	if l.Infinite {
		<-stop
		return
	}
	var late <-chan time.Time
	if f.over == nil {
		late = time.After(f.delay)
	}
	select {
	case <-stop:
		return
	case <-late:
	case <-f.over:
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.finished++
}

func (f *fakeEngine) tell(s *signal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.c != nil && !s.closed {
		close(s.c)
		s.closed = true
	}
}

func (f *fakeEngine) Stop()      { f.tell(&f.stop) }
func (f *fakeEngine) PonderHit() { f.tell(&f.hit) }

func opened(e Searcher) func() (Searcher, error) { return func() (Searcher, error) { return e, nil } }

// client talks to a Run as a GUI does.
type client struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	done  chan error
}

var testConfig = SessionConfig{Name: "Test 1", Author: "A. Tester", Attacks: "slow", Kernels: "slower", Build: "built\nby hand"}

// dial starts a Run with the engine.
func dial(t *testing.T, e Searcher, cfg SessionConfig) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, in: inW, lines: make(chan string, 10_000), done: make(chan error, 1)}
	go func() {
		defer close(c.lines)
		for s := bufio.NewScanner(outR); s.Scan(); {
			c.lines <- s.Text()
		}
	}()
	go func() {
		err := Run(t.Context(), inR, outW, opened(e), cfg)
		outW.Close()
		inR.Close()
		c.done <- err
	}()
	t.Cleanup(func() {
		inW.Close()
		select {
		case <-c.done:
		case <-time.After(patience):
			t.Error("Run did not return after the end of the input")
		}
	})
	return c
}

func (c *client) send(lines ...string) {
	c.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(c.in, l+"\n"); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			c.t.Fatalf("sending %q: %v", l, err)
		}
	}
}

// expect reads up to the first line that matches the pattern and returns what
// was read.
func (c *client) expect(pattern string) []string {
	c.t.Helper()
	re := regexp.MustCompile(pattern)
	var read []string
	deadline := time.After(patience)
	for {
		select {
		case l, ok := <-c.lines:
			if !ok {
				c.t.Fatalf("the output ended; no line matches %q in:\n%s", pattern, strings.Join(read, "\n"))
			}
			read = append(read, l)
			if re.MatchString(l) {
				return read
			}
		case <-deadline:
			c.t.Fatalf("no line matches %q in time; read:\n%s", pattern, strings.Join(read, "\n"))
		}
	}
}

// rest ends the input, waits for Run to return and gives what it still wrote.
func (c *client) rest() []string {
	c.t.Helper()
	c.in.Close()
	var read []string
	for deadline := time.After(patience); ; {
		select {
		case l, ok := <-c.lines:
			if !ok {
				return read
			}
			read = append(read, l)
		case <-deadline:
			c.t.Fatalf("no end in time; read:\n%s", strings.Join(read, "\n"))
		}
	}
}

func countLines(lines []string, prefix string) int {
	n := 0
	for _, l := range lines {
		if strings.HasPrefix(l, prefix) {
			n++
		}
	}
	return n
}

// script runs the commands as the whole input and returns the output.
func script(t *testing.T, e Searcher, cfg SessionConfig, input string) []string {
	t.Helper()
	var out strings.Builder
	done := make(chan error, 1)
	go func() { done <- Run(t.Context(), strings.NewReader(input), &out, opened(e), cfg) }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatalf("Run of %.200q: %v", input, err)
		}
	case <-time.After(patience):
		t.Fatalf("Run of %.200q did not return", input)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}
