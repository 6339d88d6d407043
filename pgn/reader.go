package pgn

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/tabula-chess/tabula/chess"
)

// Error is an error in a game, or the first part of it that was not understood.
type Error struct {
	Game   int // from 1, bad games counted too
	Line   int // from 1
	Column int // from 1, in bytes
	Offset int // bytes of the input before it
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

// Bounds of a game, so that no file can take all memory. A larger game is an error.
const (
	MaxGameSize = 32 << 20  // bytes of text, comments and all
	MaxTagSize  = 128 << 10 // bytes of the names and values of its tags
	MaxPlies    = 1<<16 - 2 // moves in a row
	MaxParts    = 1 << 20   // moves, comments, NAGs and variations together
)

// Reader reads games one after the other. It is not safe for concurrent use.
type Reader struct {
	MaxMoves int // maximum number of moves in a game, variations included; 0 for no limit

	in     input
	game   int
	from   int    // offset of the game being read
	broken bool   // the last game was bad: look for the next first
	inTags bool   // the last error was among the tags
	text   []byte // of tags
	note   []byte // of a comment
	tags   []tagSpan
	nodes  []Node // of the lines being read, the innermost at the end
	moves  int    // of the game being read
	parts  int    // of the game being read: see MaxParts
	start  *chess.Position
	p      chess.Position
	tagged *Game // whose tags were read and whose moves were not
	fenAt  place // of its FEN tag
	bad    place // of the Variant tag, where that names a game of other rules

	chess960 bool            // the FEN may have the castling rights of Chess960
	repaired *chess.Position // the start without such rights, until a move needs them; nil if there are none

	visitor Visitor // of the game being read, nil where its tree is built

	warning *Error // the first of the game being read, or why its moves end early
	more    int    // how many others there are
	short   bool   // its moves end early
	tokens  int    // that have been read: what numbered and paren count
	result  int    // what tokens was at the last result
	moved   int    // likewise at the last move
	torn    bool   // the text ends in a result inside a variation that is not closed
	number  moveNumber
}

// NewReader returns a Reader of the games of src. It buffers.
func NewReader(src io.Reader) *Reader {
	return &Reader{
		in:    input{src: &lineEnds{src: src}, buf: make([]byte, bufferSize), line: 1},
		start: chess.NewPosition(),
	}
}

// Read returns the next game. Errors: io.EOF after the last one, an [*Error]
// for a bad game, after which Read goes on with the game that follows, and
// whatever the underlying reader returns.
func (r *Reader) Read() (*Game, error) {
	g := new(Game)
	fen, err := r.begin(g)
	if err == nil {
		err = r.rest(g, fen)
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// GameOffset returns the offset in bytes at which the text of the last game read begins, also after ReadTags.
func (r *Reader) GameOffset() int64 { return int64(r.from) }

// InputOffset returns the offset in bytes at which the next Read begins. The text of a game, also of
// an unreadable one, lies between the offsets before and after its Read. After ReadTags it is where the moves begin.
func (r *Reader) InputOffset() int64 {
	if r.broken {
		r.resume()
	}
	return int64(r.in.offset())
}

// Games iterates over the remaining games; unreadable ones are errors. It ends with the input or with
// an error of the underlying reader, which it yields.
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

// begin goes to where the next game begins and reads its tags. fen is the place of the FEN
// tag. Errors: as Read.
func (r *Reader) begin(g *Game) (fen place, err error) {
	if r.tagged != nil {
		r.tagged = nil
		r.skipMoves(false)
	}
	if r.broken {
		r.resume()
	}
	r.game++
	r.inTags, r.warning, r.more, r.short = true, nil, 0, false
	if r.game == 1 {
		if wrong := r.in.noText(); wrong != "" {
			err = r.fail(r.in.here(), "the text is %s", wrong)
			for r.in.peek() >= 0 {
				r.in.pos = r.in.end
			}
			return fen, err
		}
	}
	r.in.space()
	r.from = r.in.offset()
	return r.tagsOf(g)
}

// tagsOf reads the tags of a game.
func (r *Reader) tagsOf(g *Game) (fen place, err error) {
	r.text, r.tags, r.parts, r.bad, r.chess960 = r.text[:0], r.tags[:0], 0, place{}, false
	fen, err = r.header(g)
	switch {
	case r.in.err != nil && r.in.err != io.EOF && r.in.peek() < 0:
		return fen, r.in.err
	case err != nil:
		r.broken = true
		return fen, err
	case len(r.tags) == 0 && r.in.peek() < 0:
		return fen, r.nothing(g)
	}
	r.inTags = false
	r.keepTags(g)
	return fen, nil
}

// rest reads what follows the tags. Errors: as Read.
func (r *Reader) rest(g *Game, fen place) error {
	for {
		found, ended, err := r.body(g, fen)
		switch {
		case r.in.err != nil && r.in.err != io.EOF && r.in.peek() < 0 && !ended:
			return r.in.err
		case err != nil:
			r.broken = true
			return err
		case found:
			g.Warning = r.finish()
			return nil
		case r.in.peek() < 0:
			return r.nothing(g)
		}
		// There were words in front of the tags.
		if fen, err = r.tagsOf(g); err != nil {
			return err
		}
	}
}

// nothing returns the error where the input ends and no game was found.
func (r *Reader) nothing(g *Game) error {
	if len(g.Main.Comments) > 0 || r.warning != nil {
		at := r.in.here()
		if r.warning != nil {
			at = place{r.warning.Line, r.warning.Column, r.warning.Offset}
		}
		return r.fail(at, "no game: there are neither tags nor moves")
	}
	r.game--
	return io.EOF
}

// finish returns the warning of what has been read of a game.
func (r *Reader) finish() *Error {
	if r.warning == nil {
		return nil
	}
	w := *r.warning
	if r.more > 0 {
		w.Reason += fmt.Sprintf(" (and %d more)", r.more)
	}
	return &w
}

// warn notes what the game says and the Game does not, or not as the standard says it.
func (r *Reader) warn(at place, format string, args ...any) {
	if r.warning == nil {
		r.warning = r.errorAt(at, fmt.Sprintf(format, args...), nil)
	} else {
		r.more++
	}
}

// drop passes over n bytes that mean nothing.
func (r *Reader) drop(at place, n int) {
	r.in.ahead(n - 1)
	r.warn(at, "unexpected %q: dropped", r.in.buf[r.in.pos:r.in.pos+n])
	r.in.pos += n
}

// body reads what follows the tags and reports whether there is anything, and whether the
// game has ended by its result.
func (r *Reader) body(g *Game, fen place) (found, ended bool, err error) {
	r.nodes, r.moves, r.tokens, r.number = r.nodes[:0], 0, 0, moveNumber{token: -1}
	r.result, r.moved, r.torn = -1, -1, false
	if err := r.startPosition(g, fen); err != nil {
		return false, false, err
	}
	if r.visitor != nil { // of comments among the tags
		for _, text := range g.Main.Comments {
			r.visitor.Comment(text)
		}
		g.Main.Comments = nil
	}
	l := level{out: &g.Main, resultTag: g.Tag("Result")}
	if err := r.line(&l); err != nil {
		return false, false, err
	}
	if r.repaired != nil {
		g.Start = r.repaired
		r.warn(fen, "FEN castling: rights that only Chess960 has: dropped")
	}
	if !l.marked && !r.torn && len(g.Tags) == 0 && r.moves == 0 {
		return false, false, nil
	}
	g.Shortened = r.short
	tag, known := resultOf(l.resultTag)
	switch g.Result = l.result; {
	case l.result == chess.NoResult:
		g.Result = tag
		if l.forfeit && (l.resultTag == "" || l.resultTag == "*" || l.resultTag == "?") {
			g.SetTag("Result", bothLose)
		}
	case known && tag != chess.NoResult && tag != l.result, !known && l.resultTag != "" && l.resultTag != "?":
		r.warn(l.resultAt, "the game ends in %s, and the tag Result is %.40q: dropped", l.result, l.resultTag)
	}
	return true, l.marked, nil
}

// errorAt builds the error for a place; err is what is behind it, nil for nothing.
func (r *Reader) errorAt(at place, reason string, err error) *Error {
	return &Error{Game: r.game, Line: at.line, Column: at.column, Offset: at.offset, Reason: reason, err: err}
}

// fail builds the error for a place from words.
func (r *Reader) fail(at place, format string, args ...any) error {
	return r.errorAt(at, fmt.Sprintf(format, args...), nil)
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
	return r.errorAt(at, err.Error(), err)
}

// resume goes to where the game after a bad one begins: behind its movetext, or, where it was
// bad among the tags, at the next Event tag at the latest.
func (r *Reader) resume() {
	r.broken = false
	if !r.inTags {
		r.skipMoves(true)
		return
	}
	for r.in.restOfLine(); r.in.peek() >= 0; r.in.restOfLine() {
		for isBlank(r.in.peek()) {
			r.in.pos++
		}
		switch c := r.in.peek(); {
		case c == '\n' || c == '\r' || c == '%':
		case !r.in.isTag(0):
			r.skipMoves(true)
			return
		case r.in.eventLine(0):
			return
		}
	}
}
