package uci

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestAnswers holds how many lines with a beginning each input is answered with.
func TestAnswers(t *testing.T) {
	const mated = "position fen R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1\n"
	for _, tt := range []struct {
		input, line string
		want        int
	}{
		{"uci\n", "id name Test 1", 1}, {"uci\n", "id author A. Tester", 1}, {"uci\n", "option name ", len(Options())}, {"uci\n", "uciok", 1},
		{"stop\nponderhit\nwait\n\n  \t \nisready\n", "", 1},
		{"joho isready\n\xffjoho hoho uci\n", "info string skipped", 2}, {"joho isready\n\xffjoho hoho uci\n", "readyok", 1},
		{"\xffjoho hoho uci\n", "uciok", 1}, {mated + "go depth 5\n", "bestmove (none)", 1},
		{"uci\ngo depth 1\nwait\ngo depth 1\n", "info string attacks: slow", 1},
		{"compiler\n", "built", 1}, {"compiler\n", "by hand", 1}, {"bench 1\n", "position 50 of 50", 1},
		{"debug on\nposition startpos\ngo depth 1\nwait\ndebug off\n", "bestmove", 1},
	} {
		if got := script(t, &fakeEngine{}, testConfig, tt.input); countLines(got, tt.line) != tt.want {
			t.Errorf("%q is answered %q, want %d lines with %q", tt.input, got, tt.want, tt.line)
		}
	}
	got := script(t, &fakeEngine{}, testConfig, "bench 1\n")
	if last := got[len(got)-1]; !regexp.MustCompile(`^[1-9]\d* nodes \d+ nps$`).MatchString(last) {
		t.Errorf("bench ends with %q, want N nodes M nps", last)
	}
}

// A stop may come before the search has begun to listen.
func TestStopAtOnce(t *testing.T) {
	c := dial(t, &fakeEngine{}, testConfig)
	for range 200 {
		c.send("go infinite", "stop")
		c.expect("^bestmove")
	}
	if got := c.rest(); countLines(got, "bestmove") != 0 {
		t.Errorf("more answers than go commands: %q", got)
	}
}

// TestReadyWaitsForMemory: isready waits for the table's memory where nobody
// searches; go never does, and during a search isready is answered at once.
func TestReadyWaitsForMemory(t *testing.T) {
	for _, tt := range []struct {
		input string
		waits int
	}{
		{"setoption name Hash value 64\ngo depth 3\nwait\n", 0},
		{"setoption name Hash value 64\ngo infinite\nisready\nstop\n", 0},
		{"setoption name Hash value 64\nisready\ngo depth 3\nwait\n", 1},
	} {
		e := &fakeEngine{}
		got := script(t, e, testConfig, tt.input)
		if countLines(got, "bestmove") != 1 || countLines(got, "readyok") != strings.Count(tt.input, "isready") {
			t.Errorf("%q: answers %q", tt.input, got)
		}
		waits := 0
		for _, event := range e.events {
			if event == "ready" {
				waits++
			}
		}
		if waits != tt.waits {
			t.Errorf("%q: waited for memory %d times, want %d: %q", tt.input, waits, tt.waits, e.events)
		}
	}
}

func TestEndOfInput(t *testing.T) {
	for _, tt := range []struct {
		name, input string
		finishes    bool
	}{
		{"depth", "go depth 8", true},
		{"infinite", "go infinite", false},
		{"infinite with depth", "go infinite depth 4", false},
		{"mate", "go mate 3", false},
		{"ponder", "go ponder wtime 100", false},
		{"ponder then hit", "go ponder wtime 100\nponderhit", true},
		{"ponder then hit, then wait and quit", "go ponder wtime 100\nponderhit\nwait\nquit", true},
		{"ponder then hit, then quit", "go ponder wtime 100\nponderhit\nquit", false},
		{"ponder then hit, then stop", "go ponder wtime 100\nponderhit\nstop", false},
		{"ponder on an increment alone, then hit", "go ponder winc 100\nponderhit", true},
		{"an increment alone", "go winc 1000 binc 1000", true},
		{"moves to go alone", "go movestogo 20", true},
		{"ponder without a limit, then hit", "go ponder\nponderhit", false},
		{"ponder for a mate, then hit", "go ponder mate 3\nponderhit", false},
		{"ponder without end, then hit", "go ponder infinite wtime 100\nponderhit", false},
		{"ponder on the opponent's clock alone, then hit", "go ponder btime 100\nponderhit", true},
		{"a hit of a search that does not ponder", "go infinite\nponderhit", false},
		{"a hit before the search", "ponderhit\ngo ponder wtime 100", false},
		{"a hit of a search that is held, too", "go infinite\ngo ponder wtime 100\nponderhit", true},
		{"ponder, then another search", "go ponder wtime 100\ngo depth 3", true},
		{"an option waits for the end of pondering", "go ponder wtime 100\nsetoption name Hash value 1\nponderhit", true},
		{"a depth beyond reach", "go depth 1000", false},
		{"nodes beyond reach", "go nodes 99999999999999999", false},
		{"a time beyond reach", "go movetime 999999999999", false},
		{"a depth beyond reach, within a time", "go depth 1000 movetime 50", true},
		{"wait is refused for a depth beyond reach", "go depth 1000\nwait\nquit", false},
		{"quit", "go depth 8\nquit", false},
		{"wait then quit", "go depth 8\nwait\nquit", true},
		{"wait for mate", "go mate 3\nwait\nquit", true},
		{"wait is refused for infinite", "go infinite\nwait\nquit", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// A search that is to be ended would outlast the test.
			e := &fakeEngine{delay: time.Hour}
			if tt.finishes {
				e.delay = time.Millisecond
			}
			got := script(t, e, testConfig, tt.input)
			if n, want := countLines(got, "bestmove"), countLines(strings.Split(tt.input, "\n"), "go"); n != want {
				t.Errorf("%q: %d bestmove lines, want %d", tt.input, n, want)
			}
			if finished := e.finished == 1; finished != tt.finishes {
				t.Errorf("%q: finished %v, want %v", tt.input, finished, tt.finishes)
			}
		})
	}
}

// TestWait: nothing behind a wait runs before the end of the search, and all of it afterwards.
func TestWait(t *testing.T) {
	e := &fakeEngine{over: make(chan struct{})}
	c := dial(t, e, testConfig)
	c.send("go depth 5", "go depth 6", "wait", "stop", "isready", "setoption name MultiPV value 300", "quit")
	c.expect("^info depth 5")
	close(e.over)
	got := c.rest()
	want := []string{"bestmove a2a3", "info depth 6 seldepth 1 multipv 1 score cp 0 nodes 1 hashfull 0 tbhits 0 time 0 pv a2a3", "bestmove a2a3",
		"readyok", `info string setoption: MultiPV "300" is out of range 1 to 256, taken as 256`}
	if d := cmp.Diff(want, slices.DeleteFunc(got, func(l string) bool { return strings.Contains(l, "waits for") })); d != "" || e.finished != 2 {
		t.Errorf("%d searches finished (-want +got):\n%s", e.finished, d)
	}
}

// TestClockOfHeldSearch: the clock of a go that has to wait starts when its turn comes.
func TestClockOfHeldSearch(t *testing.T) {
	for _, wait := range []string{"", "wait\n"} {
		e := &fakeEngine{delay: 20 * time.Millisecond}
		script(t, e, testConfig, "go depth 5\n"+wait+"go movetime 9\n")
		if between := e.limits[1].Start.Sub(e.limits[0].Start); between < e.delay {
			t.Errorf("%q: the second search starts %v after the first, which takes %v", wait, between, e.delay)
		}
	}
}

// TestDo gives lists of commands: each waits for the search before it, and a
// word of go that is not understood ends the list.
func TestDo(t *testing.T) {
	info := func(depth int) string {
		return fmt.Sprintf("info depth %d seldepth 1 multipv 1 score cp 0 nodes 1 hashfull 0 tbhits 0 time 0 pv a2a3", depth)
	}
	for _, tt := range []struct {
		input string
		want  []string // behind what the first go tells of the engine
		err   string
	}{
		{"position startpos\ngo depth 8\nisready\ngo depth 9\nquit\n", []string{info(8), "bestmove a2a3", "readyok", info(9), "bestmove a2a3"}, ""},
		{"go depth 8\nisready\nstop\n", []string{info(8), "bestmove a2a3", "readyok"}, ""},
		{"go depth 1000\nisready\n", []string{info(1000), "bestmove a2a3", "readyok"}, ""}, // no end within reach
		{"go depth -3\nisready\n", nil, `go: depth "-3" is out of range 1 to 1000`},
		{"setoption name MultiPV value 300\nisready\n", nil, `setoption refused: MultiPV "300" is out of range 1 to 256`},
		{"go depth x\nisready\n", nil, "go: depth"}, {"go deep 3\nisready\n", nil, `go: "deep" is unknown`},
		{"go searchmoves e2e5\nisready\n", nil, "go: searchmoves"}, {"go depth\nisready\n", nil, "go: depth lacks"},
	} {
		var out strings.Builder
		e := &fakeEngine{delay: 20 * time.Millisecond}
		var commands [][]string
		for line := range strings.Lines(tt.input) {
			commands = append(commands, strings.Fields(line))
		}
		err := Do(t.Context(), commands, &out, opened(e), testConfig)
		if (err != nil) != (tt.err != "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
			t.Errorf("%q: error %v, want one that begins with %q", tt.input, err, tt.err)
		}
		got := strings.Split(strings.TrimSpace(out.String()), "\n")
		got = slices.DeleteFunc(got, func(l string) bool { return strings.HasPrefix(l, "info string") })
		if d := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); d != "" || e.finished != countLines(tt.want, "bestmove") {
			t.Errorf("%q: %d searches ended by themselves (-want +got):\n%s", tt.input, e.finished, d)
		}
	}
}

func TestBadLines(t *testing.T) {
	const good = "position startpos moves e2e4\n"
	for _, tt := range []struct{ name, input, note string }{
		{"unknown word", "xyzzy", `unknown command "xyzzy"`},
		{"no position", "position", "want startpos or fen"},
		{"other position", "position middle", "neither startpos nor fen"},
		{"word after startpos", "position startpos e2e4", "want moves"},
		{"bad FEN", "position fen blah", "position refused: FEN"},
		{"illegal move", "position startpos moves e2e4 e7e5 e1e3", `move 3 of 3: move "e1e3"`},
		{"option without name", "setoption Hash 3", "want setoption name"},
		{"unknown option", "setoption name Fu value 3", `no option "Fu"`},
		{"spin without number", "setoption name Hash value x", "Hash: want a whole number"},
		{"spin without value", "setoption name Hash", "Hash: want a whole number"},
		{"check without truth", "setoption name Ponder value maybe", "Ponder: want true or false"},
		{"spin beyond 64 bits", "setoption name MultiPV value 18446744073709551615", `MultiPV "18446744073709551615" is out of range 1 to 256, taken as 256`},
		{"spin below range", "setoption name MultiPV value -3", "taken as 1"},
		{"debug", "debug maybe", "want debug on or debug off"},
		{"bench depth", "bench x", "bench refused"},
		{"bench below range", "bench -1", `bench refused: depth "-1" is out of range 1 to 1000`},
		{"bench without threads", "bench 3 0", `bench refused: threads "0" is out of range 1 to 1024`},
		{"bench beyond range", "bench 1 1 9999999999", `bench refused: hash "9999999999" is out of range 1 to `},
		{"bench threads", "bench 1 x", "bench refused: threads"},
		{"bench hash", "bench 1 1 x", "bench refused: hash"},
		{"bench too much", "bench 1 1 1 1", "bench refused"},
		{"genfens", "genfens", "genfens refused: want genfens N seed S book"},
		{"genfens without number", "genfens x seed 1 book None", `number of positions "x"`},
		{"genfens with a bad seed", "genfens 1 seed -1 book None", `seed "-1"`},
		{"genfens without its book", "genfens 1 seed 1 book /no/such/book", "genfens refused: open /no/such/book"},
		{"long line", "position startpos moves" + strings.Repeat(" e2e4", 2<<20), "longer than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := &fakeEngine{}
			got := script(t, e, testConfig, good+tt.input+"\nisready\ngo depth 1\n")
			if countLines(got, "info string") < 1 || !strings.Contains(got[0], tt.note) || !strings.HasPrefix(got[0], "info string") {
				t.Errorf("%.60q is answered %q, want an info string with %q", tt.input, got[0], tt.note)
			}
			if countLines(got, "readyok") != 1 || countLines(got, "bestmove") != 1 {
				t.Errorf("%.60q: the engine does not go on: %q", tt.input, got)
			}
			want := "search rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
			if last := e.events[len(e.events)-1]; last != want {
				t.Errorf("%.60q: %q, want %q", tt.input, last, want)
			}
		})
	}
}

// TestImpossibleRights: a flag that cannot be, as board editors leave it, is dropped and told, and the position is
// searched. Rights of Chess960 stay where both sides have them and where a move needs them.
func TestImpossibleRights(t *testing.T) {
	const stale = "4rkr1/4p1p1/8/8/8/8/8/5K1R w K - 0 1"
	for _, tt := range []struct{ option, fen, want, note string }{
		{"", stale, "4rkr1/4p1p1/8/8/8/8/8/5K1R w - - 0 1", "only Chess960, which can write 'H', castles with a king on f1 and a rook on h1 (at byte 29): castling rights K dropped; this is 4rkr1/4p1p1/8/8/8/8/8/5K1R w - - 0 1"},
		{"setoption name UCI_Chess960 value true\n", stale, "4rkr1/4p1p1/8/8/8/8/8/5K1R w H - 0 1", ""},
		{"", "bqnrnkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNRNKRB w KQkq - 0 1", "bqnrnkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNRNKRB w KQkq - 0 1", ""},
		{"", stale + " moves f1h1", "4rkr1/4p1p1/8/8/8/8/8/5RK1 b - - 1 1", ""},
		{"", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1", chess.StartFEN, "FEN en passant: e3"},
		{"", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w KQkq - 0 1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w Qkq - 0 1", "'K', but white has no such rook"},
	} {
		e := &fakeEngine{}
		got := script(t, e, testConfig, tt.option+"position fen "+tt.fen+"\ngo depth 1\n")
		if last := e.events[len(e.events)-1]; last != "search "+tt.want {
			t.Errorf("%s: %q, want a search of %s", tt.fen, last, tt.want)
		}
		if note := strings.HasPrefix(got[0], "info string position: "); note != (tt.note != "") || !strings.Contains(got[0], tt.note) {
			t.Errorf("%s: %q, want …%s…", tt.fen, got[0], tt.note)
		}
	}
}

// TestAddress: the position of an analysis board is read by its address.
func TestAddress(t *testing.T) {
	e := &fakeEngine{}
	got := script(t, e, testConfig, "position fen https://www.chess.com/analysis?fen=4k3%2F8%2F8%2F8%2F8%2F8%2F8%2F4K2R+w+K+-+0+1 moves e1g1\ngo depth 1\n")
	if want := "search 4k3/8/8/8/8/8/8/5RK1 b - - 1 1"; e.events[len(e.events)-1] != want {
		t.Errorf("%q, %q, want a %s", got, e.events, want)
	}
}

// TestBoardAlone: what is missing behind the board of a FEN is assumed and told.
func TestBoardAlone(t *testing.T) {
	const board = "4k3/8/8/8/8/8/4P3/4K3"
	for _, moves := range []string{"", " moves e2e4 e8e7"} {
		e := &fakeEngine{}
		got := script(t, e, testConfig, "position fen "+board+moves+"\ngo depth 1\n")
		if want := "w - - 0 1 is assumed; this is " + board + " w - - 0 1"; !strings.HasPrefix(got[0], "info string position: ") || !strings.HasSuffix(got[0], want) {
			t.Errorf("%q, want …%s", got[0], want)
		}
		p := kit.Position(t, board+" w - - 0 1")
		if moves != "" {
			p.Make(chess.NewMove(12, 28, chess.Normal))
			p.Make(chess.NewMove(60, 52, chess.Normal))
		}
		if last := e.events[len(e.events)-1]; last != "search "+p.FEN() {
			t.Errorf("%q, want a search of %s", last, p.FEN())
		}
	}
	for _, word := range []string{"fen ", ""} { // people forget the word
		got := script(t, &fakeEngine{}, testConfig, "position "+word+board+" b - - 0 1 moves e8e7\nd\n")
		if countLines(got, "info") > 0 || countLines(got, "Fen: 8/4k3/8/8/8/8/4P3/4K3 w - - 1 2") != 1 {
			t.Errorf("a whole FEN behind %q is answered %q", word, got)
		}
	}
}

// brokenWriter fails after some lines, as a pipe does whose reader has gone.
type brokenWriter struct{ left int }

var errGone = errors.New("gone")

func (b *brokenWriter) Write(p []byte) (int, error) {
	if b.left -= bytes.Count(p, []byte("\n")); b.left < 0 {
		return 0, errGone
	}
	return len(p), nil
}

func TestOutputGone(t *testing.T) {
	for _, left := range []int{0, 1, 12, 14} {
		r, w := io.Pipe() // the input stays open
		done := make(chan error)
		go func() {
			done <- Run(t.Context(), r, &brokenWriter{left}, opened(&fakeEngine{delay: time.Minute}), testConfig)
		}()
		go func() { _, _ = io.WriteString(w, "uci\nisready\ngo depth 5\n") }()
		select {
		case err := <-done:
			if !errors.Is(err, errGone) {
				t.Errorf("after %d lines: error %v, want %v", left, err, errGone)
			}
		case <-time.After(patience):
			t.Fatalf("after %d lines: Run goes on without output", left)
		}
		w.Close()
	}
}
