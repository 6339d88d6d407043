package pgn

import "bytes"

// ReadTags returns the next game with only its tags and the result that they name. [Reader.ReadMoves]
// reads its moves; otherwise the next read skips them unchecked, in a fraction of the time. Skipping
// ends where tags follow movetext, so games without tags after this one are skipped too. Errors: as
// [Reader.Read], except those of the movetext.
func (r *Reader) ReadTags() (*Game, error) {
	g := new(Game)
	fen, err := r.begin(g)
	if err != nil {
		return nil, err
	}
	g.Result, _ = resultOf(g.Tag("Result")) // unknown where it names none
	g.Warning = r.finish()
	r.tagged, r.fenAt = g, fen
	return g, nil
}

// ReadMoves reads the moves of the game that the last call of [Reader.ReadTags] returned. Errors: as
// [Reader.Read]; io.EOF if the game has no tags, no moves and no result. A second call, or one for
// another game, does nothing.
func (r *Reader) ReadMoves(g *Game) error {
	if g == nil || r.tagged != g {
		return nil
	}
	r.tagged = nil
	return r.rest(g, r.fenAt)
}

// skipMoves goes to the tags behind the movetext, or to the end of the input, line by line. Behind a bad game it also
// stops at move number 1 behind an empty line and other moves: a game without tags.
func (r *Reader) skipMoves(bad bool) {
	in := &r.in
	open := false // a brace was opened and not closed
	noted := -1   // the line whose rest is a comment
	moved := r.moves > 0
	for {
		line := in.line
		in.space()
		if in.line == noted && in.peek() >= 0 {
			in.pos += len(in.restAhead())
			continue
		}
		if bad && moved && !open && in.line > line+1 && in.has(0, "1.") && in.ahead(2) != '.' {
			return
		}
		if in.peek() < 0 || in.beginsGame() && (!open || in.blankTo == in.pos && in.eventLine(0) &&
			!in.closesComment(false)) {
			return
		}
		text := in.restAhead()
		if i := bytes.Index(text[1:], []byte(eventTag)) + 1; i > 0 {
			text = text[:i]
		}
		moved = moved || !open && '0' < text[0] && text[0] <= '9'
		var note bool
		if open, note = comments(text, open); note {
			noted = in.line
		}
		in.pos += len(text)
	}
}

// restAhead returns what is left of the line, or of a long one what is held of it but for bytes that
// may begin an Event tag: one byte at least, of which there has to be one.
func (in *input) restAhead() []byte {
	for n := 0; ; {
		text := in.buf[in.pos:in.end]
		if i := bytes.IndexByte(text[n:], '\n'); i >= 0 {
			return text[:n+i]
		}
		if n = len(text); !in.fill() {
			return text[:max(1, n-len(eventTag))]
		}
	}
}

// comments reports, of a part of a line that begins in a comment in braces or not, whether such a comment is open behind
// it, and whether one begins that goes on to the line's end.
func comments(text []byte, open bool) (within, note bool) {
	if bytes.IndexByte(text, ';') < 0 {
		return braceOpen(text, open), false
	}
	for {
		stop := "{;"
		if open {
			stop = "}"
		}
		i := bytes.IndexAny(text, stop)
		switch {
		case i < 0:
			return open, false
		case text[i] == ';':
			return false, true
		}
		open, text = !open, text[i+1:]
	}
}

// braceOpen reports whether a comment is open behind text that begins inside one
// or not. Braces do not nest.
func braceOpen(text []byte, open bool) bool {
	if bytes.IndexByte(text, '{') < 0 {
		return open && bytes.IndexByte(text, '}') < 0
	}
	return bytes.IndexByte(text[bytes.LastIndexByte(text, '{'):], '}') < 0
}

// tagLine reads a tag pair that is written as nearly all are, [Name "value"] on
// one line without escapes, into text and tags. ok is false, and nothing is read,
// for any other.
func (r *Reader) tagLine() (span tagSpan, ok bool) {
	in := &r.in
	line := in.buf[in.pos:in.end]
	i := 1
	for i < len(line) && tagByte(line[i]) {
		i++
	}
	value := i + len(` "`)
	if i == 1 || value >= len(line) || line[i] != ' ' || line[i+1] != '"' {
		return span, false
	}
	end := value
	for end < len(line) && line[end] >= ' ' && line[end] != '"' && line[end] != '\\' {
		end++
	}
	behind := end + len(`"]`)
	if behind >= len(line) || line[end] != '"' || line[end+1] != ']' || line[behind] != '\n' && line[behind] != '\r' {
		return span, false
	}
	span.name = len(r.text)
	r.text = append(r.text, line[1:i]...)
	span.value = len(r.text)
	r.text = append(r.text, line[value:end]...)
	span.end = len(r.text)
	in.pos += behind
	return span, true
}
