package test

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/uci/client"
)

// control says how long the engine thinks in a game against itself.
type control struct {
	name            string
	fen             string // chess.StartFEN where empty
	plies           int    // after which the game is broken off
	threads         string
	nodes           uint64 // for each move; without a clock
	base, inc, move time.Duration
	moves           int           // until the base is added again; 0 for the whole game
	margin          time.Duration // by which a move may overstep
}

// TestGames plays games of Chess960 at fixed nodes.
func TestGames(t *testing.T) {
	for _, c := range []control{
		{name: "960", fen: "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1", plies: 60, threads: "1", nodes: 3000},
		{name: "960 with threads", fen: "rkbbnnqr/pppppppp/8/8/8/8/PPPPPPPP/NRKQBBNR w HBha - 0 1", plies: 60, threads: "4", nodes: 3000},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			play(t, c)
		})
	}
}

// TestClocks plays games on real clocks and bounds how long answers take. It needs a machine without other work.
func TestClocks(t *testing.T) {
	if !clocksWatched() || kit.RaceDetector() {
		t.Skip("clocks are not watched: run make clocks on a machine without other work")
	}
	const middleGame = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 b - - 0 9"
	const ms, margin = time.Millisecond, 30 * time.Millisecond
	for _, c := range []control{
		{name: "base and increment", plies: 160, threads: "1", base: time.Second, inc: 10 * ms, margin: margin},
		{name: "middle game", fen: middleGame, plies: 60, threads: "1", base: 500 * ms, inc: 10 * ms, margin: margin},
		{name: "no increment", plies: 120, threads: "4", base: 700 * ms, margin: margin},
		{name: "ten moves", plies: 60, threads: "1", base: 600 * ms, inc: 10 * ms, moves: 10, margin: margin},
		{name: "two moves", plies: 16, threads: "1", base: 300 * ms, moves: 2, margin: margin},
		{name: "one move", plies: 10, threads: "4", base: 200 * ms, moves: 1, margin: margin},
		{name: "fixed time", plies: 20, threads: "1", move: 100 * ms},
		{name: "fixed short time", plies: 30, threads: "1", move: 20 * ms},
	} {
		t.Run(c.name, func(t *testing.T) { play(t, c) })
	}
	for _, test := range []struct {
		name, before, line, answer string
		most                       time.Duration
	}{
		{"isready", "position startpos", "isready", "^readyok$", 2 * ms},
		{"isready in a search", "go infinite", "isready", "^readyok$", 2 * ms},
		{"stop", "go infinite", "stop", "^bestmove", 2 * ms},
	} {
		for _, threads := range []string{"1", "2", "8"} {
			t.Run(test.name+", threads "+threads, func(t *testing.T) {
				took := median(t, func() time.Duration {
					e := start(t, threads, test.before)
					defer e.kill()
					return answerTime(t, e, test.line, test.answer)
				})
				if took > test.most {
					t.Errorf("%s is answered after %v (median of 20), want at most %v", test.line, took, test.most)
				}
			})
		}
	}
	took := median(t, func() time.Duration {
		began := time.Now()
		e := start(t, "1")
		defer e.kill()
		answerTime(t, e, "uci", "^uciok$")
		return time.Since(began)
	})
	if took > 10*ms {
		t.Errorf("uci is answered %v after the start (median of 20), want at most 10 ms", took)
	}
}

func start(t *testing.T, threads string, lines ...string) *engine {
	t.Helper()
	e, err := startEngine(t.TempDir(), threads, os.Environ())
	kit.Succeed(t, err)
	t.Cleanup(e.kill)
	kit.Succeed(t, e.send(lines...))
	return e
}

// answerTime returns the time from a line to its answer, in an engine that is ready.
func answerTime(t *testing.T, e *engine, line, answer string) time.Duration {
	t.Helper()
	ask(t, e, "isready", "^readyok$")
	began := time.Now()
	return ask(t, e, line, answer).at.Sub(began)
}

func ask(t *testing.T, e *engine, line, answer string) entry {
	t.Helper()
	kit.Succeed(t, e.send(line))
	n, err := e.expect(regexp.MustCompile(answer), patience)
	kit.Succeed(t, err)
	return n
}

func median(t *testing.T, measure func() time.Duration) time.Duration {
	t.Helper()
	var took []time.Duration
	for range 20 {
		took = append(took, measure())
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// play plays a game of the engine against itself. The client refuses illegal moves; each line must be understood, and
// the last begins with the move. A loss on time fails where clocks are watched.
func play(t *testing.T, c control) {
	p := kit.Position(t, cmp.Or(c.fen, chess.StartFEN))
	var engines [2]*client.Engine
	for i := range engines {
		e, err := client.Start(t.Context(), client.Launch{Path: binary, Timeout: patience})
		kit.Succeed(t, err)
		t.Cleanup(func() { e.Close() })
		kit.Succeed(t, e.SetOption(t.Context(), "Threads", c.threads))
		engines[i] = e
	}
	clocks := [2]time.Duration{c.base, c.base}
	for ply := 0; ply < c.plies && p.Outcome() == chess.Ongoing; ply++ {
		us := p.SideToMove()
		l := client.GoLimits{Nodes: c.nodes, MoveTime: c.move}
		if c.moves > 0 {
			l.MovesToGo = c.moves - ply/2%c.moves
		}
		if c.base > 0 {
			l.Time, l.Inc = clocks, [2]time.Duration{c.inc, c.inc}
		}
		began := time.Now()
		r, err := engines[us].Search(t.Context(), p, l, func(in client.InfoLine) {
			if len(in.Unread) > 0 {
				t.Errorf("%s: %q is not understood in %+v", p, in.Unread, in)
			}
		})
		took := time.Since(began)
		kit.Succeed(t, err)
		if in := r.Info(); len(in.PV) == 0 || in.PV[0] != r.Best || in.Score.Bound != eval.Exact {
			t.Errorf("%s: move %v after the report %+v", p, r.Best, in)
		}
		if limit := cmp.Or(c.move, clocks[us]); clocksWatched() && c.nodes == 0 && took > limit+c.margin {
			t.Fatalf("move %d took %v of %v", ply+1, took, limit)
		}
		clocks[us] = max(clocks[us]-took, time.Millisecond) + c.inc
		if l.MovesToGo == 1 {
			clocks[us] += c.base
		}
		p.Make(r.Best)
	}
}
