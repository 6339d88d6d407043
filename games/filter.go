package games

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabula-chess/tabula/chess"
)

// Filter says which games count. The zero Filter is all of them.
type Filter struct {
	Player      string        // part of a player's name, in whole words
	Color       *chess.Color  // of that player; nil for either
	Opponent    string        // part of the other player's name
	MinRating   int           // of both players
	MaxRating   int           // of both players; 0 for no bound
	Since       Date          // the earliest; games without a date are out
	Until       Date          // the latest, the whole month or year where that is all it says; 0 for none
	Result      *chess.Result // nil for any
	TimeControl string        // as the tag has it
	Event       string        // part of the event's name, in whole words
}

// ErrQuery says that a query makes no sense.
var ErrQuery = errors.New("no query")

// check returns an error for a filter that makes no sense.
func (f *Filter) check() error {
	switch {
	case f.Color != nil && f.Player == "":
		return fmt.Errorf("%w: a color needs a player", ErrQuery)
	case f.Opponent != "" && f.Player == "":
		return fmt.Errorf("%w: an opponent needs a player", ErrQuery)
	case f.MaxRating != 0 && f.MaxRating < f.MinRating:
		return fmt.Errorf("%w: ratings from %d to %d", ErrQuery, f.MinRating, f.MaxRating)
	}
	return nil
}

// mentions returns a function that reports whether a text has the words of part, whatever
// the case of letters.
func mentions(part string) func(string) bool {
	part = strings.ToLower(part)
	return func(text string) bool {
		text = strings.ToLower(text)
		for at := 0; ; {
			i := strings.Index(text[at:], part)
			if i < 0 {
				return false
			}
			at += i
			before, _ := utf8.DecodeLastRuneInString(text[:at])
			after, _ := utf8.DecodeRuneInString(text[at+len(part):])
			if !wordRune(before) && !wordRune(after) {
				return true
			}
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
		}
	}
}

func wordRune(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// matcher is a filter for the numbers of one segment.
type matcher struct {
	*Filter
	player, opponent, event, timeControl map[uint32]bool // nil for any
}

// matcher looks up the strings of a filter.
func (f *Filter) matcher(s *segment) (*matcher, error) {
	m := &matcher{Filter: f}
	for _, want := range []struct {
		text  string
		match func(string) bool
		to    *map[uint32]bool
	}{
		{f.Player, mentions(f.Player), &m.player},
		{f.Opponent, mentions(f.Opponent), &m.opponent},
		{f.Event, mentions(f.Event), &m.event},
		{f.TimeControl, func(text string) bool { return text == f.TimeControl }, &m.timeControl},
	} {
		if want.text == "" {
			continue
		}
		var err error
		if *want.to, err = s.numbersOf(want.match); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// matches reports whether a game counts.
func (m *matcher) matches(h *header) bool {
	low, high := int(min(h.elo[0], h.elo[1])), int(max(h.elo[0], h.elo[1]))
	switch {
	case m.MinRating > 0 && low < m.MinRating, m.MaxRating > 0 && (low == 0 || high > m.MaxRating),
		m.Since > 0 && h.date < m.Since, m.Until > 0 && (h.date == 0 || h.date > m.Until.last()),
		m.Result != nil && h.result != *m.Result,
		m.event != nil && !m.event[h.values[event]], m.timeControl != nil && !m.timeControl[h.values[timeControl]]:
		return false
	}
	return m.player == nil || m.playedBy(h, chess.White) || m.playedBy(h, chess.Black)
}

// playedBy reports whether the player has that color, and the opponent the other.
func (m *matcher) playedBy(h *header, c chess.Color) bool {
	return (m.Color == nil || *m.Color == c) && m.player[h.values[c]] && (m.opponent == nil || m.opponent[h.values[c.Other()]])
}

// last returns the last day that a date may mean.
func (d Date) last() Date {
	if d>>5&15 == 0 {
		d |= 15 << 5
	}
	if d&31 == 0 {
		d |= 31
	}
	return d
}

// all reports whether every game counts.
func (f *Filter) all() bool { return *f == Filter{} }
