package pgn

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
)

// TimeControl is the first period of a time control.
type TimeControl struct {
	Moves     int           // of a side in the period; 0: all
	Base      time.Duration // more than 0
	Increment time.Duration // added after each move
}

// ParseTimeControl reads the text of a tag TimeControl, such as "600", "180+2", "40/7200:1800" or "1/86400". ok is
// false for a text of another form, such as "?", "-" and the hourglass "*180".
func ParseTimeControl(text string) (t TimeControl, ok bool) {
	seconds := func(text string) (time.Duration, bool) {
		s, err := strconv.ParseFloat(text, 64)
		return time.Duration(math.Round(s*1000)) * time.Millisecond, err == nil && s >= 0 && s < 1e8
	}
	text, _, _ = strings.Cut(strings.TrimSpace(text), ":")
	if moves, rest, found := strings.Cut(text, "/"); found {
		n, err := strconv.ParseUint(moves, 10, 16)
		if err != nil || n == 0 {
			return t, false
		}
		t.Moves, text = int(n), rest
	}
	base, increment, found := strings.Cut(text, "+")
	if !found {
		increment = "0"
	}
	t.Base, ok = seconds(base)
	t.Increment, found = seconds(increment)
	if !ok || !found || t.Base == 0 {
		return TimeControl{}, false
	}
	return t, true
}

// MoveTime is what the clocks of a game say about a move.
type MoveTime struct {
	Left  *time.Duration // on the mover's clock after it; nil if unknown
	Spent *time.Duration // nil if unknown
	Base  time.Duration  // that the mover had at first; 0 if unknown
}

// Trouble reports whether less than a tenth of the time that the mover had at first was left after the move.
func (t *MoveTime) Trouble() bool { return t.Left != nil && *t.Left < t.Base/10 }

// Fast reports whether the move took less than two seconds.
func (t *MoveTime) Fast() bool { return t.Spent != nil && *t.Spent < 2*time.Second }

// Times returns what is known about the time of each move of the main line, nil for a game with neither %clk nor %emt.
// The time of a move is %emt, or else what the clock has lost since the side's move before, and the increment. Without
// a TimeControl that can be read and has room for the first clock it is unknown but for %emt, since there may be an
// increment, and the side's first clock is the time that it had at first. Without %clk the time left follows from
// TimeControl and %emt, until time is added after a number of moves. A first move with a full clock has no known time,
// because sites start clocks after it, nor has a move whose clock gained more than the increment.
//
// A side whose first clock is exactly half of the base time, rounded to seconds where that is odd, has gone berserk, as
// players of lichess's arenas may: half is the time that it had at first, and there is no increment. Nothing else tells
// it apart from a first move that took that long, which is far less likely to the second.
func (g *Game) Times() []MoveTime {
	type clock struct {
		MoveTime // of the last move
		TimeControl
		known bool
		moves int
	}
	var sides [2]clock
	for i := range sides {
		s := &sides[i]
		if s.TimeControl, s.known = ParseTimeControl(g.Tag("TimeControl")); s.known {
			s.Left, s.MoveTime.Base = &s.TimeControl.Base, s.TimeControl.Base
		}
	}
	us, clocked := chess.White, false
	if g.Start != nil {
		us = g.Start.SideToMove()
	}
	all := make([]MoveTime, len(g.Main.Moves))
	for i := range g.Main.Moves {
		c, s := g.Main.Moves[i].Comment(), &sides[us]
		clocked = clocked || c.Clock != nil || c.Elapsed != nil
		us = us.Other()
		s.moves++
		if s.moves == 1 && c.Clock != nil && *c.Clock > s.TimeControl.Base+s.Increment {
			s.known, s.MoveTime.Base = false, 0 // the tag means minutes, or another game
		}
		if s.moves == 1 && s.known && c.Clock != nil && s.berserk(*c.Clock) {
			s.TimeControl, s.Left, s.MoveTime.Base = TimeControl{Base: *c.Clock}, c.Clock, *c.Clock
		}
		before := s.Left
		if s.TimeControl.Moves == 1 { // each move has its own time
			before = &s.TimeControl.Base
		}
		s.Left, s.Spent = c.Clock, c.Elapsed
		switch {
		case !s.known:
			if s.MoveTime.Base == 0 && c.Clock != nil {
				s.MoveTime.Base = *c.Clock
			}
		case before == nil:
		case c.Clock == nil && c.Elapsed != nil && (s.TimeControl.Moves <= 1 || s.moves < s.TimeControl.Moves):
			if left := *before - *c.Elapsed + s.Increment; left >= 0 {
				s.Left = &left
			}
		case c.Clock != nil && c.Elapsed == nil && !(s.moves == 1 && *c.Clock == *before):
			if spent := *before - *c.Clock + s.Increment; spent >= 0 {
				s.Spent = &spent
			}
		}
		all[i] = s.MoveTime
	}
	if !clocked {
		return nil
	}
	return all
}

// berserk reports whether a side's first clock is half of the base time.
func (t *TimeControl) berserk(first time.Duration) bool {
	half := t.Base / 2
	off := (first - half).Abs()
	return t.Moves == 0 && first > 0 && (off == 0 || off == half%time.Second)
}
