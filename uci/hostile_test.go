package uci

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/test/kit"
)

// referee sends commands as a GUI would that knows no manners, and holds the answers to
// the rule: one bestmove for each go, in order, and none of a search without an end of its
// own before stop, or before ponderhit for one that ponders.
type referee struct {
	t   *testing.T
	in  *io.PipeWriter
	end chan struct{} // closed at the end of the output
	met chan struct{} // closed when the mark is met

	mu     sync.Mutex
	sent   []string
	read   []string
	gos    []*pending
	best   int // best moves so far
	counts int // go perft, bench and genfens
	faults []string
}

// pending is a go that was sent.
type pending struct{ endless, ponders bool }

func newReferee(t *testing.T, e Searcher) *referee {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	r := &referee{t: t, in: inW, end: make(chan struct{}), met: make(chan struct{})}
	go func() {
		defer close(r.end)
		for s := bufio.NewScanner(outR); s.Scan(); {
			r.hear(s.Text())
		}
	}()
	go func() {
		if err := Run(t.Context(), inR, outW, opened(e), testConfig); err != nil {
			t.Errorf("Run: %v", err)
		}
		outW.Close()
		inR.Close()
	}()
	return r
}

func (r *referee) hear(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read = append(r.read, line)
	switch {
	case strings.Contains(line, mark):
		close(r.met)
	case strings.HasPrefix(line, "Nodes searched"), strings.Contains(line, "before it finished"), strings.HasPrefix(line, "info string genfens ") && strings.Contains(line, "/"):
		r.counts--
	case strings.HasPrefix(line, "bestmove "):
		if r.best++; r.best > len(r.gos) {
			r.faults = append(r.faults, "a bestmove more than go commands")
		} else if g := r.gos[r.best-1]; g.endless || g.ponders {
			r.faults = append(r.faults, fmt.Sprintf("bestmove %d comes too early", r.best))
		}
	}
}

// send sends a line, once what it allows is known.
func (r *referee) send(line string) {
	r.mu.Lock()
	r.sent = append(r.sent, line)
	words := strings.Fields(strings.TrimPrefix(line, "joho "))
	switch {
	case strings.HasPrefix(line, "go perft"), words[0] == "genfens":
		r.counts++
	case words[0] == "go":
		r.gos = append(r.gos, &pending{slices.Contains(words, "infinite") || len(words) == 1, slices.Contains(words, "ponder")})
	case line == "ponderhit":
		for _, g := range r.gos {
			g.ponders = false
		}
	}
	if words[0] == "stop" || words[0] == "quit" {
		r.release()
	}
	r.mu.Unlock()
	if _, err := io.WriteString(r.in, line+"\n"); err != nil {
		r.t.Errorf("%q: %v", line, err)
	}
}

// release allows all answers.
func (r *referee) release() {
	for _, g := range r.gos {
		*g = pending{}
	}
}

// mark is a command that does not overtake others.
const mark = "xyzzy-end"

// hangUp ends the input and demands that each command has its answer.
func (r *referee) hangUp() {
	r.mu.Lock()
	r.release()
	r.mu.Unlock()
	r.in.Close()
	r.check(r.end)
}

// check waits for an event and demands that each command has its answer by then.
func (r *referee) check(event <-chan struct{}) {
	r.t.Helper()
	select {
	case <-event:
	case <-time.After(patience):
		r.t.Error("the session does not come to an end")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.best != len(r.gos) {
		r.faults = append(r.faults, fmt.Sprintf("%d best moves for %d go commands", r.best, len(r.gos)))
	}
	if r.counts != 0 {
		r.faults = append(r.faults, fmt.Sprintf("%d counts are missing", r.counts))
	}
	if len(r.faults) > 0 {
		r.t.Fatalf("%q\nsent:\n%s\nread:\n%s", r.faults, strings.Join(r.sent, "\n"), strings.Join(r.read, "\n"))
	}
}

// hostileLines are what comes in any order. No search of theirs takes long.
var hostileLines = []string{
	"go infinite", "go", "go ponder wtime 40 btime 40", "go ponder", "go ponder infinite", "go ponder movetime 3", "go depth 2", "go movetime 3",
	"go wtime 40 btime 40 winc 1", "go infinite depth 1", "go nodes 9", "go mate 1", "go perft 2", "go depth x", "genfens 1 seed 1 book None",
	"stop", "stop", "stop", "ponderhit", "ponderhit", "isready", "ucinewgame", "wait", "uci", "d", "",
	"position", "position", "position", "position startpos", "position startpos moves e2e4 e7e5", "position startpos moves e2e5", "position fen R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1",
	"setoption name MultiPV value 2", "setoption name Hash value 2", "setoption name Clear Hash", "setoption name Threads value 2",
	"setoption name UCI_LimitStrength value true", "setoption name UCI_LimitStrength value false", "setoption name Move Overhead value 0",
	"go depth 3 searchmoves a2a3 e2e4 e7e8q", "eval", "compiler", "joho go depth 1", "\x00\x7f", "position fen 8/8 w", "setoption name Hash value 99999999999",
	"setoption name UCI_Chess960 value true", "setoption name UCI_Chess960 value false", "setoption name nodestime value 1", "setoption name nodestime value 0", "setoption name nonsense value 1", "debug on", "debug off", "xyzzy", "joho stop",
}

// TestHostileSessions sends many sessions of commands in any order, to an engine that does
// not search and to the real one, each ended by stop, by quit and by the end of the input.
func TestHostileSessions(t *testing.T) {
	sessions := 300
	if testing.Short() {
		sessions = 60
	}
	real := realEngine(t)
	for seed := range sessions {
		random := rand.New(rand.NewPCG(uint64(seed), 17))
		fake := &fakeEngine{delay: time.Duration(random.IntN(3)) * time.Millisecond}
		e := Searcher(fake)
		if seed%3 == 0 {
			real.Clear()
			e = &boundedEngine{Engine: real, t: t}
		}
		r := newReferee(t, e)
		for range 3 + random.IntN(25) {
			switch line := hostileLines[random.IntN(len(hostileLines))]; line {
			case "":
				time.Sleep(time.Duration(random.IntN(4)) * time.Millisecond)
			case "position":
				r.send(position(t, random))
			default:
				r.send(line)
			}
		}
		switch seed % 4 {
		case 0:
			r.send("quit")
		case 1, 2:
			r.send("stop")
			r.send(mark)
			r.check(r.met)
		}
		r.hangUp()
		if fake.overlaps > 0 {
			t.Fatalf("session %d: %d calls reach the engine during a search: %q", seed, fake.overlaps, r.sent)
		}
	}
}

// TestCommandsDuringSearch: a search goes on whatever is set during it, and what was set
// counts afterwards, in order.
func TestCommandsDuringSearch(t *testing.T) {
	const start = "search rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
	const e4 = "search rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
	for _, tt := range []struct {
		name   string
		lines  []string // sent during the search
		early  string   // answered during the search
		end    string   // ends it
		events []string // of the engine
	}{
		{"an option", []string{"setoption name Hash value 3"}, "info string setoption waits for the end of the search", "stop", []string{start, "hash 3"}},
		{"an option while pondering", []string{"setoption name Threads value 2", "setoption name Hash value 3"}, "", "ponderhit", []string{start, "threads 2", "hash 3"}},
		{"an option that is wrong", []string{"setoption name Fu value 3"}, "info string setoption waits", "stop", []string{start}},
		{"Clear Hash", []string{"setoption name Clear Hash"}, "", "stop", []string{start, "clear"}},
		{"a game", []string{"ucinewgame", "position startpos moves e2e4", "go depth 1"}, "info string go waits for the end of the search", "stop", []string{start, "clear", "elo 0", e4}},
		{"a position", []string{"position startpos moves e2e4"}, "", "stop", []string{start}},
		{"commands behind a wait", []string{"go depth 1", "wait", "go infinite", "genfens x", "setoption name Hash value 3"}, "", "stop",
			[]string{start, start, start, "hash 3"}},
		{"two searches", []string{"go depth 1", "position startpos moves e2e4", "go depth 1"}, "", "stop", []string{start, start, e4}},
		{"searches without an end", []string{"go infinite", "go ponder", "setoption name Hash value 3"}, "", "stop", []string{start, start, start, "hash 3"}},
		{"more pondering", []string{"go ponder wtime 1 btime 1"}, "", "ponderhit", []string{start, start}},
		{"a count", []string{"go perft 1", "bench 1"}, "info string bench waits", "stop", []string{start}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := &fakeEngine{}
			c := dial(t, e, testConfig)
			c.send("go ponder wtime 1000 btime 1000")
			if tt.end == "stop" {
				c.send("stop")
				c.expect("^bestmove")
				e.mu.Lock()
				e.events = nil
				e.mu.Unlock()
				c.send("go infinite")
			}
			c.expect("^info depth")
			c.send(append(tt.lines, "isready")...)
			got := c.expect("^readyok$")
			if countLines(got, "bestmove") > 0 || tt.early != "" && countLines(got, tt.early) != 1 {
				t.Errorf("before %s: %q, want %q and no best move", tt.end, got, tt.early)
			}
			c.send(tt.end)
			got = append(got, c.rest()...)
			if n, want := countLines(got, "bestmove"), 1+countLines(tt.lines, "go ")-countLines(tt.lines, "go perft"); n != want {
				t.Errorf("%d best moves, want %d: %q", n, want, got)
			}
			if d := cmp.Diff(tt.events, e.events); d != "" || e.overlaps > 0 {
				t.Errorf("%d calls during a search; events (-want +got):\n%s", e.overlaps, d)
			}
		})
	}
}

// TestCountsFinish: what was asked for its result prints it before the commands behind it,
// the end of the input and quit, but not after a stop.
func TestCountsFinish(t *testing.T) {
	for _, tt := range []struct {
		input string
		want  []string // the beginnings of lines, in order
	}{
		{"position startpos\ngo perft 4\nquit\n", []string{"Nodes searched: 197281"}},
		{"position startpos\ngo perft 4", []string{"Nodes searched: 197281"}},
		{"go perft 4\nposition startpos moves e2e4\ngo perft 1\nsetoption name Hash value 2\nquit\n",
			[]string{"Nodes searched: 197281", "Nodes searched: 20"}},
		{"go perft 4\ngo depth 1\nquit\n", []string{"Nodes searched: 197281", "bestmove"}},
		{"go perft 12\nstop\ngo perft 2\nquit\n", []string{"info string perft stopped before it finished", "Nodes searched: 400"}},
		{"go perft 12\ngo perft 12\nsetoption name Hash value 3\nisready\nstop\nquit\n",
			[]string{"readyok", "info string perft stopped before it finished", "info string perft stopped before it finished"}},
		{"bench 1\nquit\n", []string{"position 50 of 50"}},
		{"bench 60\nstop\ngo depth 1\n", []string{"info string bench stopped before it finished", "bestmove"}},
		{"genfens 3 seed 1 book None\nquit\n", []string{"info string genfens", "info string genfens", "info string genfens"}},
		{"go perft 12\nquit\nquit\n", []string{"info string perft stopped before it finished"}},
	} {
		got := script(t, &fakeEngine{}, testConfig, tt.input)
		at := 0
		for _, l := range got {
			if at < len(tt.want) && strings.HasPrefix(l, tt.want[at]) {
				at++
			}
		}
		if at < len(tt.want) {
			t.Errorf("%q is answered %q, want %q", tt.input, got, tt.want)
		}
	}
}

// TestRefusedPosition: answers say so while they are for an earlier position than the last
// one that was sent.
func TestRefusedPosition(t *testing.T) {
	const note = "info string the last position was refused; this answers for "
	for _, tt := range []struct {
		input string
		want  []string // positions that are told
	}{
		{"position startpos moves e2e4\nposition fen 8/8 w\ngo depth 1\nwait\ngo perft 1\neval\n",
			slices.Repeat([]string{"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"}, 3)},
		{"position startpos moves e2e5\ngo depth 1\n", []string{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"}},
		{"position startpos moves e2e5\nposition startpos\ngo depth 1\n", nil},
		{"position startpos moves e2e5\nucinewgame\ngo depth 1\n", nil},
		{"go infinite\nposition startpos moves e2e5\nstop\ngo depth 1\n", []string{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"}},
	} {
		var told []string
		for _, l := range script(t, &fakeEngine{}, testConfig, tt.input) {
			if fen, ok := strings.CutPrefix(l, note); ok {
				told = append(told, fen)
			}
		}
		if d := cmp.Diff(tt.want, told); d != "" {
			t.Errorf("%q (-want +got):\n%s", tt.input, d)
		}
	}
}

// TestByteOrderMark: one before the first command is skipped.
func TestByteOrderMark(t *testing.T) {
	for _, first := range []string{"uci", "isready", "joho uci"} {
		got := script(t, &fakeEngine{}, testConfig, "\ufeff"+first+"\r\nisready\n")
		if countLines(got, "info string skipped") != strings.Count(first, "joho") || countLines(got, "readyok")+countLines(got, "uciok") != 2 {
			t.Errorf("%q behind a byte order mark is answered %q", first, got)
		}
	}
}

// TestLongInput: however many commands wait for a search that ends by itself, all are read in their turn.
func TestLongInput(t *testing.T) {
	var input strings.Builder
	var want []string
	for range 750 {
		input.WriteString("position startpos\ngo depth 6\nposition startpos moves e2e4\ngo depth 6\n")
		want = append(want, "bestmove a2a3", "bestmove a7a6")
	}
	got := slices.DeleteFunc(script(t, &fakeEngine{}, testConfig, input.String()), func(l string) bool { return strings.HasPrefix(l, "info") })
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("answers (-want +got):\n%s", d)
	}
}

// TestClockBehindLongInput: the clock of a go that could not be read yet starts when its turn comes.
func TestClockBehindLongInput(t *testing.T) {
	e := &fakeEngine{over: make(chan struct{})}
	c := dial(t, e, testConfig)
	c.send("go depth 5")
	for range maxHeld {
		c.send("setoption name MultiPV value 2")
	}
	c.send("go movetime 9", "isready")
	c.expect("^info depth 5")
	before := time.Now()
	close(e.over)
	c.expect("^readyok$")
	if c.rest(); len(e.limits) != 2 || e.limits[1].Start.Before(before) {
		t.Errorf("%+v, want a clock that starts after %v", e.limits, before)
	}
}

// TestTooManyWait: commands that wait for a search without an end are bounded. Those without room are told; a go among
// them is answered in its turn, and later answers say that a position was lost. What overtakes is obeyed all the same.
func TestTooManyWait(t *testing.T) {
	const root, after = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
	for _, tt := range []struct {
		endless  string
		refused  []string
		last     string // runs after all
		searches []string
		told     int // answers that are for another position
	}{
		{"go infinite", []string{"wait", "setoption name MultiPV value 2", "fu"}, "go depth 3", []string{root, root, root}, 0},
		{"go infinite", []string{"position startpos moves e2e4", "go depth 2", "go infinite", "go perft 1"}, "go depth 3",
			[]string{root, root, root, root, root}, 3},
		{"go ponder", []string{"go depth 2", "position startpos moves e2e4"}, "position startpos moves e2e4\ngo depth 3",
			[]string{root, root, root, after}, 1},
		{"go ponder", []string{"ucinewgame"}, "go depth 3", []string{root, root, root}, 1},
	} {
		e := &fakeEngine{}
		c := dial(t, e, testConfig)
		c.send(tt.endless, "go depth 1")
		for range maxHeld - 1 {
			c.send("debug on")
		}
		c.send(append(tt.refused, "isready", "stop")...)
		got := c.expect("^bestmove")
		for _, l := range tt.refused {
			if countLines(got, fmt.Sprintf("info string refused %q: %d commands wait already", l, maxHeld)) != 1 {
				t.Errorf("%q is not refused: %q", l, got)
			}
		}
		if countLines(got, "readyok") != 1 {
			t.Errorf("isready beside a search is not answered: %q", got)
		}
		c.send(tt.last)
		got = append(got, c.rest()...)
		searches := slices.DeleteFunc(e.events, func(l string) bool { return !strings.HasPrefix(l, "search") })
		for i, fen := range tt.searches {
			tt.searches[i] = "search " + fen
		}
		if d := cmp.Diff(tt.searches, searches); d != "" {
			t.Errorf("%q: searches (-want +got):\n%s", tt.refused, d)
		}
		if n := countLines(got, "bestmove"); n != len(tt.searches) {
			t.Errorf("%q: %d best moves, want %d", tt.refused, n, len(tt.searches))
		}
		if n := countLines(got, "info string the last position was refused; this answers for "+root); n != tt.told {
			t.Errorf("%q: %d answers are told to be for another position, want %d", tt.refused, n, tt.told)
		}
	}
}

// TestReaderGone: a count ends soon once nobody can read it, although the input is open.
func TestReaderGone(t *testing.T) {
	for _, input := range []string{"go perft 14\n", "bench 60\n", "go perft 14\nquit\n"} {
		r, w, err := os.Pipe()
		kit.Succeed(t, err)
		in, typed := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- Run(t.Context(), in, wrapped{w}, opened(&fakeEngine{}), testConfig) }()
		_, err = io.WriteString(typed, input)
		kit.Succeed(t, err)
		kit.Succeed(t, r.Close())
		select {
		case err := <-done:
			if err == nil {
				t.Errorf("%q: no error", input)
			}
		case <-time.After(patience):
			t.Errorf("%q: the session goes on without a reader", input)
		}
		w.Close()
		typed.Close()
	}
}

// wrapped is a writer around a file.
type wrapped struct{ file *os.File }

func (w wrapped) Write(b []byte) (int, error) { return w.file.Write(b) }
func (w wrapped) Unwrap() io.Writer           { return w.file }
