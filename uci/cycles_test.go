package uci

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/search"
)

// watchedEngine is the real engine; it counts searches and holds their results
// to the rules.
type watchedEngine struct {
	*search.Engine
	t        *testing.T
	searches int
}

func (e *watchedEngine) Search(p *chess.Position, l search.Limits, o search.Options, report func(search.Info)) search.Result {
	e.searches++
	result := e.Engine.Search(p, l, o, report)
	if p.HasLegalMove() && !p.IsLegal(result.Best) {
		e.t.Errorf("%s, %+v: best move %v", p, l, result.Best)
	}
	return result
}

// TestRandomCycles sends searches, stops, ponderhits, options and quits at random
// moments to the real engine with 1 to 16 threads. Each go is answered once, what
// is asked in between is answered, and quit ends the session in the midst of a search.
func TestRandomCycles(t *testing.T) {
	cycles := 1000
	if testing.Short() {
		cycles = 80
	}
	e, err := search.NewEngine(1)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r := rand.New(rand.NewPCG(10, 3))
	for cycle := 0; cycle < cycles; {
		w := &watchedEngine{Engine: e, t: t}
		c, answers := dial(t, w, testConfig), 0
		for quit := false; !quit && cycle < cycles; cycle++ {
			if quit = r.IntN(8) == 0; !quit {
				answers += randomCycle(t, c, r)
				continue
			}
			c.send(randomOption(r), position(t, r), randomGo(r))
			time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
			c.send("quit")
		}
		answers += countLines(c.rest(), "bestmove ")
		if answers != w.searches || t.Failed() {
			t.Fatalf("by cycle %d: %d answers to %d searches", cycle, answers, w.searches)
		}
	}
}

// randomCycle sends a search and what ends it and returns how often it was answered.
func randomCycle(t *testing.T, c *client, r *rand.Rand) int {
	c.send(randomOption(r), position(t, r), randomGo(r))
	time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
	switch r.IntN(4) {
	case 0:
		c.send("ponderhit")
	case 1:
		c.send(randomOption(r)) // ends the search
	case 2:
		c.send("isready")
	}
	c.send("stop", "isready")
	lines := c.expect("^readyok$")
	if r.IntN(2) == 0 { // the first may have been answered during the search
		c.send("stop", "isready")
		lines = append(lines, c.expect("^readyok$")...)
	}
	return countLines(lines, "bestmove ")
}

// randomOption returns a setoption command, or ucinewgame.
func randomOption(r *rand.Rand) string {
	switch r.IntN(6) {
	case 0, 1:
		return fmt.Sprintf("setoption name Threads value %d", 1+r.IntN(16))
	case 2:
		return fmt.Sprintf("setoption name Hash value %d", 1+r.IntN(64))
	case 3:
		return fmt.Sprintf("setoption name MultiPV value %d", 1+r.IntN(4))
	case 4:
		return "setoption name Clear Hash"
	}
	return "ucinewgame"
}

// randomGo returns a go command.
func randomGo(r *rand.Rand) string {
	all := [...]string{
		"go infinite", "go ponder wtime 60 btime 60", "go ponder movetime 3", "go wtime 20 btime 20 winc 1 binc 1", "go movetime 2",
		"go nodes 500", "go depth 4", "go mate 2", "go",
	}
	return all[r.IntN(len(all))]
}
