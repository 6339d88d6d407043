package pgn

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// Error tells what is wrong with a game.
type Error struct {
	Game   int // from 1, bad games counted too
	Line   int // from 1
	Column int // from 1, in bytes
	Reason string
	err    error
}

// Error returns "game 1, line 2, column 3: reason".
func (e *Error) Error() string {
	return fmt.Sprintf("game %d, line %d, column %d: %s", e.Game, e.Line, e.Column, e.Reason)
}

// Unwrap returns the error of package chess that is the reason, if one is:
// a *chess.MoveError or a *chess.FENError.
func (e *Error) Unwrap() error { return e.err }

// Bounds of one game: a file that is no PGN, or a hostile one, must not take all memory. A
// game beyond one of them is a bad one.
const (
	MaxGameSize = 32 << 20  // bytes of text, comments and all
	MaxTagSize  = 128 << 10 // bytes of the names and values of its tags
	MaxPlies    = 1<<16 - 2 // moves in a row
	MaxParts    = 1 << 20   // moves, comments, NAGs and variations together
)

// Reader reads games one after the other. It is not safe for concurrent use.
type Reader struct {
	MaxMoves int // most moves of a game, variations included: one with more is bad; 0 for no bound

	in     input
	game   int
	from   int  // offset of the game being read
	broken bool // the last game was bad: look for the next first
	inTags bool // the last error was among the tags
	text   []byte
	tags   []tagSpan
	nodes  []Node // of the lines being read, the innermost at the end
	moves  int    // of the game being read
	parts  int    // of the game being read: see MaxParts
	start  *chess.Position
	p      chess.Position
	tagged *Game // whose tags were read and whose moves were not
	fenAt  place // of its FEN tag
	bad    place // of the Variant tag, where that names an unknown one
}

// NewReader returns a Reader of the games of src. It buffers.
func NewReader(src io.Reader) *Reader {
	return &Reader{
		in:    input{src: src, buf: make([]byte, bufferSize), line: 1},
		start: chess.NewPosition(),
	}
}

// Read returns the next game. Errors: io.EOF after the last one, an [*Error]
// for a bad game, after which Read goes on with the game that follows, and
// whatever the underlying reader returns.
func (r *Reader) Read() (*Game, error) {
	r.next()
	g := new(Game)
	found, err := r.read(g)
	if r.in.err != nil && r.in.err != io.EOF {
		return nil, r.in.err
	}
	if err != nil {
		r.broken = true
		return nil, err
	}
	if !found {
		r.game--
		return nil, io.EOF
	}
	return g, nil
}

// InputOffset returns how many bytes of the input come before what the next call of
// Read reads. The text of a game, a bad one too, with what stands before it, lies
// between the offsets before and after its Read.
func (r *Reader) InputOffset() int64 {
	if r.broken {
		r.resume()
	}
	return int64(r.in.offset())
}

// Games iterates over the games that are left, bad ones as errors. It ends
// with the input or with an error of the underlying reader, which it yields.
func (r *Reader) Games() iter.Seq2[*Game, error] {
	return func(yield func(*Game, error) bool) {
		for {
			g, err := r.Read()
			if err == io.EOF {
				return
			}
			var bad *Error
			if !yield(g, err) || err != nil && !errors.As(err, &bad) {
				return
			}
		}
	}
}

// next goes to where the next game begins.
func (r *Reader) next() {
	if r.tagged != nil {
		r.tagged = nil
		r.skipMoves()
	}
	if r.broken {
		r.resume()
	}
	if r.game == 0 && r.in.has("\xef\xbb\xbf") { // byte order mark
		r.in.pos += 3
		r.in.lineStart = r.in.pos
	}
	r.game++
	r.in.space()
	r.from = r.in.offset()
	r.text, r.tags, r.parts = r.text[:0], r.tags[:0], 0
	r.inTags, r.bad = true, place{}
}

// read fills g and reports whether there was a game.
func (r *Reader) read(g *Game) (found bool, err error) {
	fen, err := r.header(g)
	if err != nil {
		return false, err
	}
	r.inTags = false
	r.keepTags(g)
	return r.body(g, fen)
}

// body reads what follows the tags and reports whether there is anything.
func (r *Reader) body(g *Game, fen place) (found bool, err error) {
	r.nodes, r.moves = r.nodes[:0], 0
	if err := r.startPosition(g, fen); err != nil {
		return false, err
	}
	ended, err := r.line(&g.Main, &g.Result, 0)
	if err != nil {
		return false, err
	}
	if !ended {
		if len(g.Tags) == 0 && len(g.Main.Moves) == 0 {
			return false, nil
		}
		if result, err := chess.ParseResult(g.Tag("Result")); err == nil {
			g.Result = result
		}
	}
	return true, nil
}

// fail builds the error for a place.
func (r *Reader) fail(at place, format string, args ...any) error {
	return &Error{Game: r.game, Line: at.line, Column: at.column, Reason: fmt.Sprintf(format, args...)}
}

// tooLong returns an error where the game has grown beyond MaxGameSize.
func (r *Reader) tooLong() error {
	if r.in.offset()-r.from <= MaxGameSize {
		return nil
	}
	return r.fail(r.in.here(), "a game of more than %d MiB", MaxGameSize>>20)
}

// count counts a part of the game.
func (r *Reader) count(at place) error {
	if r.parts++; r.parts > MaxParts {
		return r.fail(at, "more than %d moves, comments, NAGs and variations", MaxParts)
	}
	return nil
}

// wrap builds the error for a place from an error of package chess.
func (r *Reader) wrap(at place, err error) error {
	return &Error{Game: r.game, Line: at.line, Column: at.column, Reason: err.Error(), err: err}
}

// resume goes to the line on which the game after a bad one begins: one with
// a tag that follows movetext, or one with an Event tag.
func (r *Reader) resume() {
	r.broken = false
	movetext := !r.inTags
	if movetext && r.in.atLineStart() && r.in.isTag() {
		return
	}
	for r.in.restOfLine(); r.in.peek() >= 0; r.in.restOfLine() {
		switch c := r.in.peek(); {
		case c == '\n' || c == '\r' || c == '%':
		case !r.in.isTag():
			movetext = true
		case movetext || r.in.has("[Event "):
			return
		}
	}
}

// tagSpan is where text holds the name and the value of a tag.
type tagSpan struct{ name, value, end int }

// header reads tags, and comments before them. fen is the place of the FEN
// tag.
func (r *Reader) header(g *Game) (fen place, err error) {
	events, variants := 0, 0
	for {
		if err := r.tooLong(); err != nil {
			return fen, err
		}
		r.in.space()
		at := r.in.here()
		switch c := r.in.peek(); {
		case len(r.tags) == 0 && (c == '{' || c == ';'):
			if err := r.comment(&g.Main.Comments); err != nil {
				return fen, err
			}
		case c == '[':
			if events > 0 && r.in.has("[Event ") { // a game without any movetext
				return fen, nil
			}
			name, err := r.tag()
			if err != nil {
				return fen, err
			}
			switch name {
			case "Event":
				events++
			case "FEN":
				fen = at
			case "Variant":
				if span := r.tags[len(r.tags)-1]; variants == 0 && !knownVariant(string(r.text[span.value:span.end])) {
					r.bad = at
				}
				variants++
			}
		default:
			return fen, nil
		}
	}
}

// tag reads a tag pair into text and tags and returns its name where the
// reader cares.
func (r *Reader) tag() (name string, err error) {
	span, ok := r.tagLine()
	if !ok {
		if span, err = r.tagPair(); err != nil {
			return "", err
		}
	}
	if r.tags = append(r.tags, span); len(r.text)+4*len(r.tags) > MaxTagSize {
		return "", r.fail(r.in.here(), "tags of more than %d KiB", MaxTagSize>>10)
	}
	switch string(r.text[span.name:span.value]) {
	case "Event":
		return "Event", nil
	case "FEN":
		return "FEN", nil
	case "Variant":
		return "Variant", nil
	}
	return "", nil
}

// tagPair reads a tag pair in any form into text.
func (r *Reader) tagPair() (span tagSpan, err error) {
	open := r.in.here()
	r.in.skip()
	r.in.space()
	span = tagSpan{name: len(r.text)}
	for c := r.in.peek(); c >= 0 && tagByte(byte(c)) && len(r.text) <= MaxGameSize; c = r.in.peek() {
		r.text = append(r.text, byte(c))
		r.in.skip()
	}
	span.value = len(r.text)
	if span.name == span.value {
		return span, r.fail(r.in.here(), "a tag without a name")
	}
	r.in.space()
	if r.in.peek() != '"' {
		return span, r.fail(r.in.here(), "tag %.40s: want a quoted value", r.text[span.name:])
	}
	if err := r.quoted(open, span); err != nil {
		return span, err
	}
	span.end = len(r.text)
	r.in.skip()
	return span, nil
}

// quoted reads a string up to its closing quote into text, and on to the bracket
// behind it. A backslash escapes a quote or a backslash and stands for itself
// elsewhere. A quote without a bracket behind it belongs to the value: python-chess
// and others do not escape.
func (r *Reader) quoted(open place, tag tagSpan) error {
	r.in.skip()
	for {
		if err := r.tooLong(); err != nil {
			return err
		}
		c := r.in.peek()
		switch {
		case c < 0 || c == '\n':
			return r.fail(open, "a tag whose value is not closed on its line")
		case c == '"':
			if closed, err := r.closing(tag); closed || err != nil {
				return err
			}
			continue
		case c == '\\':
			r.in.skip()
			if next := r.in.peek(); next == '"' || next == '\\' {
				c = next
				r.in.skip()
			}
			r.text = append(r.text, byte(c))
			continue
		case c < ' ':
			c = ' '
		}
		r.text = append(r.text, byte(c))
		r.in.skip()
	}
}

// closing passes over a quote in a value and reports whether it closes it: a bracket
// follows. Otherwise the quote and the spaces behind it are part of the value, unless
// the line ends there.
func (r *Reader) closing(tag tagSpan) (closed bool, err error) {
	end, line := len(r.text), r.in.line
	r.text = append(r.text, '"')
	r.in.skip()
	c := r.in.peek()
	for ; c == ' ' || c == '\t'; c = r.in.peek() {
		r.text = append(r.text, ' ')
		r.in.skip()
	}
	if c == '\n' || c == '\r' {
		r.in.space()
	}
	switch {
	case r.in.peek() == ']':
		r.text = r.text[:end]
		return true, nil
	case r.in.peek() < 0 || r.in.line > line:
		return false, r.fail(r.in.here(), "tag %.40s: want ] after the value", r.text[tag.name:tag.value])
	}
	return false, r.tooLong()
}

// keepTags turns the tags into strings.
func (r *Reader) keepTags(g *Game) {
	if len(r.tags) == 0 {
		return
	}
	all := string(r.text) // one allocation for the tags of a game
	g.Tags = make([]Tag, len(r.tags))
	for i, s := range r.tags {
		g.Tags[i] = Tag{all[s.name:s.value], toUTF8(all[s.value:s.end])}
	}
}

// startPosition sets up the board.
func (r *Reader) startPosition(g *Game, fenAt place) error {
	if r.bad != (place{}) {
		return r.fail(r.bad, "unknown variant %.40q", g.Tag("Variant"))
	}
	fen := g.Tag("FEN")
	if fen == "" {
		r.p.CopyFrom(r.start)
		return nil
	}
	if err := r.p.SetFEN(fen); err != nil {
		return r.wrap(fenAt, err)
	}
	g.Start = r.p.Clone()
	return nil
}

// knownVariant reports whether a Variant tag names standard chess or Chess960
// in one of the ways that programs write. Castling needs no more than the
// start position, so which of the two makes no difference to reading.
func knownVariant(name string) bool {
	letters := strings.Map(func(c rune) rune {
		switch {
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			return c
		}
		return -1
	}, name)
	switch letters {
	case "", "standard", "chess", "normal", "fromposition",
		"chess960", "960", "fischerandom", "fischerrandom", "fischerrandomchess", "frc", "dfrc", "freestyle", "freestylechess":
		return true
	}
	return false
}
