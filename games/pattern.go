package games

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabula-chess/tabula/chess"
)

// A pattern is words that hold together in one position: WORD=LIST, of which all items hold, or "not" and such a word,
// of which none does. After "later" come the words of a position further on in the game.

// test reports whether something holds on a board.
type test func(*board) bool

// stage is what holds in one position.
type stage []test

func (s stage) holds(b *board) bool {
	for _, t := range s {
		if !t(b) {
			return false
		}
	}
	return true
}

// token is a part of a pattern.
type token struct {
	text string
	at   int // its first byte
}

// cut returns the parts before and after the first sep.
func (t token) cut(sep string) (before, after token, ok bool) {
	a, b, ok := strings.Cut(t.text, sep)
	return token{a, t.at}, token{b, t.at + len(t.text) - len(b)}, ok
}

// list returns the parts between commas, without spaces.
func (t token) list() (all []token) {
	for more := true; more; {
		var part token
		part, t, more = t.cut(",")
		text := strings.TrimLeftFunc(part.text, unicode.IsSpace)
		all = append(all, token{text, part.at + len(part.text) - len(text)})
	}
	return all
}

// is reports whether a token is a word in letters of either case.
func (t token) is(word string) bool { return strings.ToLower(t.text) == word }

// patternReader reads a pattern. What it returns after a fault means nothing.
type patternReader struct {
	bad  error // the first fault
	at   int   // the byte where it is
	word token // that it belongs to
}

func (r *patternReader) fail(t token, format string, args ...any) {
	if r.bad == nil {
		r.at, r.bad = t.at, fmt.Errorf(format, args...)
	}
}

// readPattern returns the stages of a pattern. Errors name the word and the column.
func readPattern(text string) ([]stage, error) {
	r, all := patternReader{}, []stage{nil}
	var parts []token // with spaces between them; behind a comma they are part of it
	for _, at := range regexp.MustCompile(`([^,\s\pZ\x{85}\v]|,[\s\pZ\x{85}\v]*)+`).FindAllStringIndex(text, -1) {
		parts = append(parts, token{text[at[0]:at[1]], at[0]})
	}
	for len(parts) > 0 && r.bad == nil {
		r.word = parts[0]
		last, n, not := &all[len(all)-1], 1, r.word.is("not")
		switch {
		case !r.word.is("later"):
			if not && len(parts) > 1 {
				r.word, parts = parts[1], parts[1:]
			}
			var tests stage
			tests, n = r.tests(parts)
			for _, t := range tests {
				*last = append(*last, func(b *board) bool { return t(b) != not })
			}
		case len(*last) == 0 || len(parts) == 1:
			r.fail(r.word, "want words of the pattern before and after it")
		default:
			all = append(all, nil)
		}
		parts = parts[n:]
	}
	switch {
	case r.bad != nil:
		column := 1 + utf8.RuneCountInString(text[:r.at])
		return nil, fmt.Errorf("%w: pattern, column %d, %.60q: %w", ErrQuery, column, r.word.text, r.bad)
	case len(all[0]) == 0:
		return nil, fmt.Errorf("%w: the pattern is empty", ErrQuery)
	}
	return all, nil
}

// tests reads the first word of some parts and the values by color that follow it. It returns a test for each item of
// its lists and how many parts these are.
func (r *patternReader) tests(parts []token) (tests stage, n int) {
	known := vocabulary()
	word, value, given := parts[0].cut("=")
	i := slices.IndexFunc(known, func(v patternWord) bool { return word.is(v.word) })
	switch {
	case i < 0:
		names := ""
		for _, v := range known {
			names += v.word + "=, "
		}
		r.fail(word, "want one of %swith not before it or later between two", names)
		return nil, 1
	case !given || value.text == "":
		r.fail(word, "want %s=LIST", known[i].word)
	}
	values := []token{value}
	for _, part := range parts[1:] {
		if _, ok := part.color(); !known[i].sided || !ok {
			break
		}
		values = append(values, part)
	}
	return known[i].read(r, values), len(values)
}

// color returns the color that a value begins with.
func (t token) color() (chess.Color, bool) {
	text, _, _ := t.cut(":")
	c, err := chess.ParseColor(strings.ToLower(text.text))
	return c, err == nil
}
