package test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tabula-chess/tabula/chess"
)

// control is a time control. The margin is what a move may overstep beyond the
// time the machine was busy with other things.
type control struct {
	base, inc, move, margin time.Duration
	moves                   int // per base; 0 for the whole game
}

// cmdDuel plays a game of the engine against itself on real clocks and fails
// on a loss on time where clocks are watched, an illegal move or anything a judge finds wrong:
// duel KEY=VALUE... with base, inc, move, margin (durations), moves (to the
// next base), plies (when to break off) and fen.
func cmdDuel(ts *testscript.TestScript, neg bool, args []string) {
	c, plies, fen := control{margin: 30 * time.Millisecond}, 80, chess.StartFEN
	for _, a := range args {
		key, value, _ := strings.Cut(a, "=")
		var err error
		switch key {
		case "base":
			c.base, err = time.ParseDuration(value)
		case "inc":
			c.inc, err = time.ParseDuration(value)
		case "move":
			c.move, err = time.ParseDuration(value)
		case "margin":
			c.margin, err = time.ParseDuration(value)
		case "moves":
			c.moves, err = strconv.Atoi(value)
		case "plies":
			plies, err = strconv.Atoi(value)
		case "fen":
			fen = value
		default:
			err = fmt.Errorf("duel: unknown %q", key)
		}
		ts.Check(err)
	}
	result, err := duel(ts, c, plies, fen)
	check(ts, neg, err)
	ts.Logf("%s", result)
}

// busyFactor is how much of an overstep each moment in which the machine was
// busy with other things excuses: a thread that had to wait for the processor
// may be one that others were waiting for in turn.
const busyFactor = 4

// player is one side of a duel.
type player struct {
	engine *engine
	clock  time.Duration
	left   int // moves to the next control
}

// duel plays one game and tells how it ended. Both sides have as many threads as
// the scripts are run with.
func duel(ts *testscript.TestScript, c control, plies int, fen string) (result string, err error) {
	p, err := chess.ParseFEN(fen)
	if err != nil {
		return "", err
	}
	var players [2]player
	for i := range players {
		e, err := startThreaded(ts)
		if err != nil {
			return "", err
		}
		defer e.kill()
		players[i] = player{e, c.base, c.moves}
		if p.Chess960() {
			if err := e.send("setoption name UCI_Chess960 value true"); err != nil {
				return "", err
			}
		}
	}
	ready, best := regexp.MustCompile(`^readyok$`), regexp.MustCompile(`^bestmove (\S+)`)
	var moves []string
	worst := time.Duration(math.MinInt64)
	for len(moves) < plies && over(p) == "" && !p.InsufficientMaterial() {
		us := &players[p.SideToMove()]
		position := "position fen " + fen
		if len(moves) > 0 {
			position += " moves " + strings.Join(moves, " ")
		}
		for _, text := range []string{position, "isready"} {
			if err := us.engine.send(text); err != nil {
				return "", err
			}
		}
		if _, err := us.engine.expect(ready, patience); err != nil {
			return "", err
		}
		began, idle := time.Now(), us.engine.starved()
		if err := us.engine.send(goText(c, &players, us)); err != nil {
			return "", err
		}
		answer, err := us.engine.expect(best, patience)
		if err != nil {
			return "", err
		}
		took := answer.at.Sub(began)
		worst = max(worst, us.charge(c, took)-busyFactor*(us.engine.starved()-idle))
		if clocksWatched() && worst > c.margin {
			return "", fmt.Errorf("move %d overstepped by %v (it took %v)\n%s", len(moves)+1, worst, took, us.engine.transcript())
		}
		text := best.FindStringSubmatch(answer.text)[1]
		m, err := p.ParseUCI(text)
		if err != nil {
			return "", err
		}
		moves = append(moves, text)
		p.Make(m)
	}
	for i := range players {
		e := players[i].engine
		if err := e.send("quit"); err != nil {
			return "", err
		}
		if err := e.exits(0, patience); err != nil {
			return "", err
		}
		if err := judge(e.entries(), true); err != nil {
			return "", fmt.Errorf("the judge says:\n%w", err)
		}
	}
	return fmt.Sprintf("%d plies, %s, clocks %v %v, %v beyond the limit at worst, %s", len(moves), over(p),
		players[0].clock, players[1].clock, worst, p.FEN()), nil
}

// goText returns the go command for the clocks as they stand.
func goText(c control, players *[2]player, us *player) string {
	if c.move > 0 {
		return fmt.Sprintf("go movetime %d", c.move.Milliseconds())
	}
	text := fmt.Sprintf("go wtime %d btime %d", players[0].clock.Milliseconds(), players[1].clock.Milliseconds())
	if c.inc > 0 {
		text += fmt.Sprintf(" winc %d binc %d", c.inc.Milliseconds(), c.inc.Milliseconds())
	}
	if c.moves > 0 {
		text += fmt.Sprintf(" movestogo %d", us.left)
	}
	return text
}

// charge takes the time of a move off the clock and returns by how much it was
// overstepped.
func (p *player) charge(c control, took time.Duration) (late time.Duration) {
	if c.move > 0 {
		return took - c.move
	}
	late = took - p.clock
	p.clock = max(p.clock-took, 0) + c.inc
	if c.moves > 0 {
		if p.left--; p.left == 0 {
			p.left, p.clock = c.moves, p.clock+c.base
		}
	}
	return late
}
