package pgn

import (
	"bytes"
	"io"

	"github.com/tabula-chess/tabula/chess"
)

// ReadTags returns the next game with its tags alone, and the result that these
// name; its moves are read by [Reader.ReadMoves] or, where that is not called,
// passed over unchecked by the next read. So a file is searched for the few games
// that matter in a fraction of the time. What is passed over ends where tags begin
// behind movetext: games without tags that follow on a game are passed over with
// it. Errors: as [Reader.Read], those of the movetext aside.
func (r *Reader) ReadTags() (*Game, error) {
	r.next()
	g := new(Game)
	fen, err := r.header(g)
	switch {
	case r.in.err != nil && r.in.err != io.EOF:
		return nil, r.in.err
	case err != nil:
		r.broken = true
		return nil, err
	case len(r.tags) == 0 && r.in.peek() < 0:
		r.game--
		return nil, io.EOF
	}
	r.inTags = false
	r.keepTags(g)
	g.Result, _ = chess.ParseResult(g.Tag("Result")) // unknown where it names none
	r.tagged, r.fenAt = g, fen
	return g, nil
}

// ReadMoves reads the moves of the game that the last call of [Reader.ReadTags]
// returned, into it. Errors: as [Reader.Read]; io.EOF where there is no game after
// all: neither tags nor moves nor a result. A second call, or one for another game,
// does nothing.
func (r *Reader) ReadMoves(g *Game) error {
	if g == nil || r.tagged != g {
		return nil
	}
	r.tagged = nil
	found, err := r.body(g, r.fenAt)
	if r.in.err != nil && r.in.err != io.EOF {
		return r.in.err
	}
	switch {
	case err != nil:
		r.broken = true
	case !found:
		r.game--
		err = io.EOF
	}
	return err
}

// skipMoves goes to the tags behind the movetext, or to the end of the input. The
// next line that begins with a tag is looked for by a vector scan; only there is it
// asked whether that is inside a comment.
func (r *Reader) skipMoves() {
	in := &r.in
	if in.atLineStart() && in.isTag() {
		return // a game without movetext
	}
	open := false // a brace was opened and not closed
	for in.peek() >= 0 {
		chunk := in.buf[in.pos:in.end]
		i := bytes.Index(chunk, []byte("\n["))
		if i < 0 {
			open = braceOpen(chunk, open)
			// A line end may be the last byte of what is there.
			in.pass(max(1, len(chunk)-1))
			if in.atLineStart() && in.isTag() && (!open || in.has(`[Event "`)) {
				return
			}
			continue
		}
		open = braceOpen(chunk[:i], open)
		in.pass(i + 1)
		if in.isTag() && (!open || in.has(`[Event "`)) {
			return
		}
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

// pass passes over n bytes, which are in the buffer.
func (in *input) pass(n int) {
	text := in.buf[in.pos : in.pos+n]
	if lines := bytes.Count(text, []byte{'\n'}); lines > 0 {
		in.line += lines
		in.lineStart = in.pos + bytes.LastIndexByte(text, '\n') + 1
	}
	in.pos += n
}

// tagLine reads a tag pair that is written as nearly all are, [Name "value"] on
// one line without escapes, into text and tags. ok is false, and nothing is read,
// for any other.
func (r *Reader) tagLine() (span tagSpan, ok bool) {
	in := &r.in
	line := in.buf[in.pos:in.end]
	end := bytes.IndexByte(line, '\n')
	if end < 0 {
		return span, false
	}
	line = bytes.TrimSuffix(line[:end], []byte{'\r'})
	i := 1
	for i < len(line) && tagByte(line[i]) {
		i++
	}
	value := i + len(` "`)
	if i == 1 || len(line) < value+len(`"]`) || line[i] != ' ' || line[i+1] != '"' || string(line[len(line)-2:]) != `"]` {
		return span, false
	}
	for _, c := range line[value : len(line)-2] {
		if c < ' ' || c == '"' || c == '\\' {
			return span, false
		}
	}
	span.name = len(r.text)
	r.text = append(r.text, line[1:i]...)
	span.value = len(r.text)
	r.text = append(r.text, line[value:len(line)-2]...)
	span.end = len(r.text)
	in.pos += len(line)
	return span, true
}
