package test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

const (
	collectorPlies = 400                   // of the game; 200 moves of each side
	collectorNodes = 5000                  // of each search
	mostPause      = 10 * time.Millisecond // bounds every pause with wide room
	mostCycles     = 2                     // of the collector at the start and at ucinewgame, none in the game
)

// TestCollector plays a long game of the engine against itself in one session
// and reads from the runtime's own account how often the garbage collector ran
// and how long it stopped the search. A search allocates nothing, so that only
// reading commands and writing lines bring a cycle nearer, and too little for one.
func TestCollector(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("plays a long game; the race detector allocates")
	}
	var c collections
	for range 3 {
		c = longGameCollections(t)
		if len(c.pauses)-c.forced > mostCycles {
			t.Fatalf("%d cycles of the garbage collector in a game of %d plies, %d of them for the time that it took; want %d others at most", len(c.pauses), collectorPlies, c.forced, mostCycles)
		}
		t.Logf("%d plies, %d cycles of the garbage collector, longest pause %v, up to %v of a search waiting for the processor",
			collectorPlies, len(c.pauses), c.longest(), c.starved)
		if !clocksWatched() || c.longest() < mostPause+c.starved {
			return
		}
	}
	t.Errorf("the garbage collector stops the engine for %v, want less than %v", c.longest(), mostPause)
}

// collections is what the garbage collector did to an engine.
type collections struct {
	pauses  []time.Duration // the longest of each cycle
	forced  int             // cycles that the runtime begins after two minutes without one, on a busy machine
	starved time.Duration   // the most that the engine waited for a busy machine in one search, which may stretch a pause
}

func (c collections) longest() time.Duration { return slices.Max(append(c.pauses, 0)) }

// longGameCollections plays the game.
func longGameCollections(t *testing.T) collections {
	t.Helper()
	var trace strings.Builder
	e, err := startEngineTo(&trace, t.TempDir(), append(os.Environ(), "GODEBUG=gctrace=1", "GOGC=", "GOMEMLIMIT="), binary)
	if err != nil {
		t.Fatal(err)
	}
	defer e.kill()
	starved, err := longGame(e)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.send("quit"); err != nil {
		t.Fatal(err)
	}
	if err := e.exits(0, patience); err != nil {
		t.Fatal(err)
	}
	pauses, err := collectorPauses(trace.String())
	if err != nil {
		t.Fatal(err)
	}
	return collections{pauses, strings.Count(trace.String(), "GC forced\n"), starved}
}

// longGame has the engine play collectorPlies moves and returns the most that it
// waited for a busy machine in one search. Its choice at the root is narrowed so
// that the game does not end before.
func longGame(e *engine) (starved time.Duration, err error) {
	best := regexp.MustCompile(`^bestmove (\S+)`)
	p := chess.NewPosition()
	moves := "position startpos moves"
	if err := e.send("ucinewgame"); err != nil {
		return 0, err
	}
	for range collectorPlies {
		if over(p) != "" {
			return 0, fmt.Errorf("the game ended after %d plies: %s\n%s", p.Plies(), over(p), p.FEN())
		}
		text := fmt.Sprintf("go nodes %d searchmoves", collectorNodes)
		for _, m := range peaceful(p) {
			text += " " + p.UCI(m)
		}
		idle := starvedIn(e.cmd.Process.Pid)
		for _, line := range []string{moves, text} {
			if err := e.send(line); err != nil {
				return 0, err
			}
		}
		answer, err := e.expect(best, patience)
		if err != nil {
			return 0, err
		}
		starved = max(starved, starvedIn(e.cmd.Process.Pid)-idle)
		played := best.FindStringSubmatch(answer.text)[1]
		m, err := p.ParseUCI(played)
		if err != nil {
			return 0, err
		}
		p.Make(m)
		moves += " " + played
	}
	return starved, nil
}

// peaceful returns the legal moves that keep a game going: no captures, no
// repetition, no end, and a pawn only when the fifty moves need it. Where there
// are none it returns all.
func peaceful(p *chess.Position) []chess.Move {
	all := movegen.Legal(p, nil)
	var moves []chess.Move
	for _, m := range all {
		pawn := p.Piece(m.From()).Type() == chess.Pawn
		if pawn != (p.HalfmoveClock() >= 30) && p.ByType(chess.Pawn) != 0 {
			continue
		}
		p.Make(m)
		if p.Captured() == chess.NoPiece && m.Kind() != chess.Promotion && over(p) == "" && p.Repetitions() == 0 {
			moves = append(moves, m)
		}
		p.Unmake()
	}
	if moves == nil {
		return all
	}
	return moves
}

// traceLine is a cycle of the collector as GODEBUG=gctrace=1 prints it; of its
// three times on the clock the world is stopped in the first and the last
// (package runtime, "Environment Variables").
var traceLine = regexp.MustCompile(`^gc \d+ @[\d.]+s \d+%: ([\d.]+)\+[\d.]+\+([\d.]+) ms clock, `)

// collectorPauses returns the longer pause of each cycle in a trace.
func collectorPauses(trace string) ([]time.Duration, error) {
	var pauses []time.Duration
	for _, line := range strings.Split(trace, "\n") {
		if !strings.HasPrefix(line, "gc ") {
			continue
		}
		parts := traceLine.FindStringSubmatch(line)
		if parts == nil {
			return nil, fmt.Errorf("a trace of the garbage collector reads %q", line)
		}
		longest := 0.0
		for _, part := range parts[1:] {
			ms, err := strconv.ParseFloat(part, 64)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			longest = max(longest, ms)
		}
		pauses = append(pauses, time.Duration(longest*float64(time.Millisecond)))
	}
	return pauses, nil
}

func TestCollectorPauses(t *testing.T) {
	const trace = `gc 1 @0.019s 1%: 0.018+1.2+0.064 ms clock, 0.036+0.5/1.1/0+0.12 ms cpu, 3->4->1 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P
something else
gc 12 @7.5s 0%: 12.5+3+0 ms clock, 25+0/3/0+0 ms cpu, 3->4->1 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)
`
	pauses, err := collectorPauses(trace)
	if err != nil || len(pauses) != 2 || pauses[0] != 64*time.Microsecond || pauses[1] != 12500*time.Microsecond {
		t.Errorf("pauses %v, error %v, want 64µs and 12.5ms", pauses, err)
	}
	if _, err := collectorPauses("gc 1 @0.019s 1%: soon\n"); err == nil {
		t.Error("a trace that cannot be read is no error")
	}
}
