package match

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/record"
)

// Rules are the limits of a game.
type Rules struct {
	Nodes  uint64        // soft limit of a search (see search.Soft); 0 with a clock
	Exact  bool          `json:"-"` // Nodes is a hard limit, as for UCI programs
	Clock  Clock         // zero with Nodes
	Margin time.Duration `json:",omitempty"` // that a move may exceed the time left

	ToTheEnd bool           `json:",omitempty"` // only the rules of chess end a game
	Tables   *syzygy.Tables `json:"-"`          // end a game with its exact result, nil for none
}

// Clock is a time control: both sides start with Base, and every move adds Inc to the time of its side. If NodeTime
// is positive, that many nodes count as a millisecond, and games are the same on every machine.
type Clock struct {
	Base, Inc time.Duration
	NodeTime  int `json:",omitempty"`
}

// ParseClock reads a time control in seconds, such as 3+0.03 or 60.
func ParseClock(text string) (c Clock, err error) {
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
func (c Clock) check() error {
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

// Check returns an error unless exactly one of Nodes and Clock limits the searches.
func (r *Rules) Check() error {
	switch timed := r.Clock != (Clock{}); {
	case timed == (r.Nodes > 0):
		return exit.WrongUsef("nodes and clock: want exactly one")
	case timed:
		return r.Clock.check()
	}
	return nil
}

// CheckOpenings returns an error if pairs of games from so many openings would be the same games again: nodes limit the
// searches, nobody's moves are random, and there are too few openings.
func (r *Rules) CheckOpenings(pairs, openings int, players ...Side) error {
	repeats := (r.Nodes > 0 || r.Clock.NodeTime > 0) && !slices.ContainsFunc(players, Side.Limited)
	if repeats && pairs > openings {
		return exit.WrongUsef("--pairs %d: there %s, and at fixed nodes another round would be the same games; "+
			"want at most %d", pairs, plural.Verb(openings, "is ", "are ")+plural.Of(openings, "opening"), openings)
	}
	return nil
}

// Reasons for which a player loses, in PGN's words.
const (
	TimeForfeit = "time forfeit"
	Infraction  = "rules infraction" // a crash or an illegal move
)

// Game is a finished game.
type Game struct {
	Start  *chess.Position
	Moves  []Move
	Result record.Result
	Reason string // why it ended: normal, adjudication, TimeForfeit or Infraction
	Late   bool   // lost on time
	Broken bool   // lost because a player crashed or made no legal move
}

// Play plays a game from start between White and Black. Begin must have been called on both. The error is ctx's.
func Play(ctx context.Context, start *chess.Position, players [2]Player, r *Rules) (*Game, error) {
	g := &Game{Start: start, Reason: "normal"}
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
		if g.Broken = m.Broken; m.Broken {
			g.end(lostBy(us), Infraction)
			return g, nil
		}
		if r.Clock.Base > 0 {
			if left[us] -= m.Took; left[us] < -r.Margin {
				g.Late = true
				g.end(lostBy(us), TimeForfeit)
				return g, nil
			}
			left[us] = max(left[us], 0) + r.Clock.Inc
		}
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
func (g *Game) end(r record.Result, reason string) { g.Result, g.Reason = r, reason }

// Record returns the game in the form of training games.
func (g *Game) Record() *record.Game {
	r := &record.Game{Start: record.Pack(g.Start, g.Result), Plies: make([]record.Ply, len(g.Moves))}
	us := g.Start.SideToMove()
	for i, m := range g.Moves {
		r.Plies[i] = record.Ply{Move: m.Move, Score: record.WhiteScore(us, int(m.Score))}
		us = us.Other()
	}
	return r
}

// Tally counts results from the view of the first player.
type Tally struct {
	Won, Drawn, Lost int
	Late             [2]int // games lost on time, by the first and by the second player
	Broken           int    // games with Broken, by either player
	Plies            int
}

// Count counts a game and returns the half points of the first player, 0 to 2.
func (t *Tally) Count(g *Game, firstIsBlack bool) int {
	points := int(g.Result)
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
	if g.Late {
		t.Late[points/2]++ // who lost: no draw ends on time
	}
	if g.Broken {
		t.Broken++
	}
	t.Plies += len(g.Moves)
	return points
}

// Add adds the counts of other.
func (t *Tally) Add(other Tally) {
	t.Won, t.Drawn, t.Lost = t.Won+other.Won, t.Drawn+other.Drawn, t.Lost+other.Lost
	t.Late[0], t.Late[1] = t.Late[0]+other.Late[0], t.Late[1]+other.Late[1]
	t.Broken, t.Plies = t.Broken+other.Broken, t.Plies+other.Plies
}

// PlayPair plays two games from one opening, with a as White in the first and Black in the second, and returns the
// half points of a, 0 to 4. number seeds the players' random choices. PlayPair calls each, if not nil, with every
// game. The error comes from a player that cannot start, or from ctx.
func PlayPair(ctx context.Context, opening *chess.Position, a, b Player, r *Rules, number uint64,
	each func(*Game) error) (points int, t Tally, err error) {
	for i, players := range [2][2]Player{{a, b}, {b, a}} {
		for _, p := range players {
			if err := p.Begin(ctx, 2*number+uint64(i)); err != nil {
				return 0, t, err
			}
		}
		g, err := Play(ctx, opening.Clone(), players, r)
		if err != nil {
			return 0, t, err
		}
		points += t.Count(g, i == 1)
		if each != nil {
			if err := each(g); err != nil {
				return 0, t, err
			}
		}
	}
	return points, t, nil
}
