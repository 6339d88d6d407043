package match

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/record"
)

// Rules are the limits of a game.
type Rules struct {
	Nodes  uint64        `json:",omitempty"` // limit of a search; 0 with a clock
	Soft   bool          `json:"-"`          // Nodes is a soft limit, as for training data: see search.Soft
	Clock  TimeControl   `json:",omitzero"`  // zero with Nodes
	Margin time.Duration `json:",omitempty"` // that a move may exceed the time left

	ToTheEnd bool           `json:"-"` // only the rules of chess end a game
	Tables   *syzygy.Tables `json:"-"` // end a game with its exact result, nil for none
}

// TimeControl is a time control: both sides start with Base, and every move adds Inc to the time of its side. If
// NodeTime is positive, that many nodes count as a millisecond, and games are the same on every machine.
type TimeControl struct {
	Base, Inc time.Duration
	NodeTime  int `json:",omitempty"`
}

// ParseClock reads a time control in seconds, such as 3+0.03 or 60.
func ParseClock(text string) (c TimeControl, err error) {
	base, inc, found := strings.Cut(text, "+")
	if !found {
		inc = "0"
	}
	for _, part := range []struct {
		text string
		to   *time.Duration
	}{{base, &c.Base}, {inc, &c.Inc}} {
		seconds, err := strconv.ParseFloat(part.text, 64)
		if err != nil || !(seconds >= 0 && seconds < 1e6) {
			return c, fmt.Errorf("%q: want seconds and increment, such as 3+0.03", text)
		}
		*part.to = time.Duration(seconds * float64(time.Second))
	}
	return c, c.check()
}

// check returns an error that says what is wrong with a clock.
func (c TimeControl) check() error {
	switch {
	case c.Base < 0 || c.Inc < 0:
		return exit.WrongUsef("clock %v+%v: time must not be negative", c.Base, c.Inc)
	case c.Base == 0:
		return exit.WrongUsef("clock 0+%v: the base time must be positive", c.Inc)
	case c.NodeTime < 0:
		return exit.WrongUsef("node time %d: want 0 or more", c.NodeTime)
	}
	return nil
}

// referenceNPS is the nodes a second of the engine's bench on a core of the machine to which clocks refer where a match
// is played on many: one that is twice as fast plays with half the time.
const referenceNPS = 1_000_000

// scaled returns a clock with so many times the time, unless nodes drive it.
func (c TimeControl) scaled(factor float64) TimeControl {
	if c.NodeTime == 0 {
		c.Base, c.Inc = time.Duration(float64(c.Base)*factor), time.Duration(float64(c.Inc)*factor)
	}
	return c
}

// Check returns an error unless exactly one of Nodes and Clock limits the searches.
func (r *Rules) Check() error {
	switch timed := r.Clock != (TimeControl{}); {
	case timed == (r.Nodes > 0):
		return exit.WrongUsef("nodes and clock: want exactly one")
	case timed:
		return r.Clock.check()
	}
	return nil
}

// Reasons for which a player loses, in PGN's words.
const (
	TimeForfeit = "time forfeit"
	Infraction  = "rules infraction" // a crash or an illegal move
)

// FinishedGame is a finished game.
type FinishedGame struct {
	Start  *chess.Position
	Moves  []PlayedMove
	Result record.HalfPoints
	Reason string // why it ended: normal, adjudication, TimeForfeit or Infraction
}

// Play plays a game from start between White and Black. Begin must have been called on both. The error is ctx's.
func Play(ctx context.Context, start *chess.Position, players [2]Player, r *Rules) (*FinishedGame, error) {
	g := &FinishedGame{Start: start, Reason: "normal"}
	p := start.Clone()
	left := [2]time.Duration{r.Clock.Base, r.Clock.Base}
	var a Adjudicator
	agreed := !r.ToTheEnd // all scores so far are known
	for {
		result, over := Ended(p)
		if !over && r.Tables != nil {
			result, over = Known(p, r.Tables)
		}
		if over {
			g.Result = result
			return g, nil
		}
		if len(g.Moves) >= maxPlies && !r.ToTheEnd {
			g.end(record.Draw, "adjudication")
			return g, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		us := p.SideToMove()
		m, err := players[us].Move(ctx, p, r, left)
		if err != nil {
			return nil, err
		}
		left[us] -= m.Took
		switch {
		case r.Clock.Base > 0 && left[us] < -r.Margin:
			g.end(lostBy(us), TimeForfeit)
			return g, nil
		case m.Broken:
			g.end(lostBy(us), Infraction)
			return g, nil
		}
		left[us] = max(left[us], 0) + r.Clock.Inc
		g.Moves = append(g.Moves, m)
		p.Make(m.Move)
		if agreed = agreed && m.Scored; !agreed {
			continue
		}
		if result, over := a.See(record.WhiteScore(us, int(m.Score))); over {
			g.end(result, "adjudication")
			return g, nil
		}
	}
}

// end sets the result.
func (g *FinishedGame) end(r record.HalfPoints, reason string) { g.Result, g.Reason = r, reason }

// Record returns the game in the form of training games.
func (g *FinishedGame) Record() *record.ScoredGame {
	r := &record.ScoredGame{Start: record.Pack(g.Start, g.Result), Plies: make([]record.Ply, len(g.Moves))}
	us := g.Start.SideToMove()
	for i, m := range g.Moves {
		r.Plies[i] = record.Ply{Move: m.Move, Score: record.WhiteScore(us, int(m.Score))}
		us = us.Other()
	}
	return r
}

// PGN returns the game with the scores and depths of its moves, and with their times where a clock ran.
func (g *FinishedGame) PGN(timed bool) *pgn.Game {
	r := &pgn.Game{Start: g.Start, Result: results[g.Result], Tags: []pgn.Tag{{Name: termination, Value: g.Reason}}}
	for _, m := range g.Moves {
		comment := "?" // without a score
		if m.Scored {
			comment = fmt.Sprintf("%d/%d", m.Score, m.Depth)
		}
		if timed {
			comment += fmt.Sprintf(" %.3fs", m.Took.Seconds())
		}
		r.Main.Moves = append(r.Main.Moves, pgn.Node{Move: m.Move, Comments: []string{comment}})
	}
	return r
}

// termination is the tag of Game.Reason.
const termination = "Termination"

// results are the results in PGN of those in half points of White.
var results = [...]chess.Result{
	record.BlackWins: chess.BlackWins, record.Draw: chess.Draw, record.WhiteWins: chess.WhiteWins,
}

// Tally counts results from the view of the first player.
type Tally struct {
	Won, Drawn, Lost int
	Late             [2]int // games lost on time, by the first and by the second player
	Broken           int    // games that ended with an Infraction of either player
}

// Count counts a game and returns the half points of the first player, 0 to 2.
func (t *Tally) Count(r record.HalfPoints, reason string, firstIsBlack bool) int {
	points := int(r)
	if firstIsBlack {
		points = 2 - points
	}
	switch points {
	case 0:
		t.Lost++
	case 1:
		t.Drawn++
	default:
		t.Won++
	}
	switch reason {
	case TimeForfeit:
		t.Late[points/2]++ // who lost: no draw ends on time
	case Infraction:
		t.Broken++
	}
	return points
}

// PlayPair plays two games from one opening, with a as White in the first and Black in the second. number seeds the
// players' random choices, each player's in each game apart: two weak players with the same mistakes would seem further
// from each other than they are. The error comes from a player that cannot start, or from ctx.
func PlayPair(
	ctx context.Context, opening *chess.Position, a, b Player, r *Rules, number uint64,
) (pair [2]*FinishedGame, err error) {
	for i, players := range [2][2]Player{{a, b}, {b, a}} {
		for side, p := range players {
			if err := p.Begin(ctx, 4*number+uint64(2*i+side)); err != nil {
				return pair, err
			}
		}
		if pair[i], err = Play(ctx, opening.Clone(), players, r); err != nil {
			return pair, err
		}
	}
	return pair, nil
}
