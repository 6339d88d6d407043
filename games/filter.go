package games

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/tabula-chess/tabula/chess"
)

// Filter selects games. The zero Filter selects all games.
type Filter struct {
	Player      string        `json:"player,omitempty"` // words of a player's name, in any order
	Color       *chess.Color  `json:"color,omitempty"`  // of that player; nil for either
	MinRating   int           `json:"rating,omitempty"` // of both players
	MaxRating   int           `json:"-"`                // of both players; 0 for no bound
	Since       Date          `json:"since,omitempty"`  // the earliest; games without a date are out
	Until       Date          `json:"-"`                // the latest, or all of its month or year; 0 for none
	Result      *chess.Result `json:"result,omitempty"` // nil for any
	TimeControl string        `json:"-"`                // part of the tag, in whole words
	Event       string        `json:"-"`                // part of the event's name, in whole words
}

// ErrQuery reports an invalid query.
var ErrQuery = errors.New("no query")

// matcher is a filter for the numbers of one segment.
type matcher struct {
	*Filter
	player, event, timeControl names
}

// names says which strings of a segment match, by number; nil for any.
type names []bool

func (n names) have(number uint32) bool { return n == nil || int(number) < len(n) && n[number] }

// matcher looks up the strings of a filter.
func (f *Filter) matcher(s *segment) (*matcher, error) {
	m := &matcher{Filter: f}
	var err error
	look := func(part string, has func(text, part string) bool) (found names) {
		if part != "" && err == nil {
			found, err = s.matching(func(text string) bool { return has(text, part) })
		}
		return found
	}
	m.player, m.event, m.timeControl = look(f.Player, Named), look(f.Event, contains), look(f.TimeControl, contains)
	return m, err
}

// Named reports whether a name has all words of part, in any order, as names are written "Anna Berg" and "Berg, Anna".
// Capitals and punctuation make no difference. Every name has the empty part, and none a part without a word.
func Named(name, part string) bool {
	have, want := plainWords(name), plainWords(part)
	for _, word := range want {
		if !slices.Contains(have, word) {
			return false
		}
	}
	return len(want) > 0 || part == ""
}

// contains reports whether a text has part in it, in whole words and in this order.
func contains(text, part string) bool {
	spaced := func(text string) string { return " " + strings.Join(plainWords(text), " ") + " " }
	return strings.Contains(spaced(text), spaced(part))
}

// plainWords returns the words of a text in small letters.
func plainWords(text string) []string {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.FieldsFunc(strings.ToLower(text), between)
}

// matches reports whether a game counts.
func (m *matcher) matches(h *header) bool {
	low, high := int(min(h.elo[0], h.elo[1])), int(max(h.elo[0], h.elo[1]))
	switch {
	case m.MinRating > 0 && low < m.MinRating, m.MaxRating > 0 && (low == 0 || high > m.MaxRating),
		m.Since > 0 && h.date < m.Since, m.Until > 0 && (h.date == 0 || h.date > m.Until.last()),
		m.Result != nil && h.result != *m.Result,
		!m.event.have(h.values[event]), !m.timeControl.have(h.values[timeControl]):
		return false
	}
	return m.player == nil || m.playedBy(h, chess.White) || m.playedBy(h, chess.Black)
}

// playedBy reports whether the player has that color.
func (m *matcher) playedBy(h *header, c chess.Color) bool {
	return (m.Color == nil || *m.Color == c) && m.player.have(h.values[c])
}

// Sides reports which sides of a game the filter is about, by color: those of its player, or both without one.
func (f *Filter) Sides(g *Listed) (sides [2]bool) {
	for side, name := range []string{g.White, g.Black} {
		sides[side] = Named(name, f.Player) && (f.Color == nil || *f.Color == chess.Color(side))
	}
	return sides
}
