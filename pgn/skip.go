package pgn

import (
	"bytes"
	"unicode/utf8"
)

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

// skipMoves goes to the tags behind the movetext, or to the end of the input. Where tags may
// begin is looked for by vector scans; only there is it asked whether that is inside a comment.
func (r *Reader) skipMoves() {
	in := &r.in
	open := false // a brace was opened and not closed
	for in.peek() >= 0 {
		chunk := in.buf[in.pos:in.end]
		i, whole := tagStart(chunk, in.blankTo == in.pos)
		if i < 0 && whole == 0 {
			if in.fill() {
				continue
			}
			chunk = in.buf[in.pos:in.end]
			whole = len(chunk)
		}
		open = braceOpen(chunk[:whole], open)
		in.pass(whole)
		if i < 0 {
			continue
		}
		if in.beginsGame() && !in.hidden() && (!open || in.blankTo == in.pos && in.eventLine(0) && !in.closesComment(false)) {
			return
		}
		in.pos++
	}
}

// tagStart returns where in a chunk of movetext a tag pair may begin: a bracket that is the first of
// its line, or one of an Event tag; at is -1 where none does. whole is how many bytes have been
// looked through for good. blank tells that the line is blank up to the chunk.
func tagStart(chunk []byte, blank bool) (at, whole int) {
	event := []byte("Event \"")
	at, whole = -1, len(chunk)-len(event) // the rest may begin one
	k := 0
	if !blank {
		k = bytes.IndexByte(chunk, '\n') + 1
	}
	for line := k; k > 0 || blank; line = k {
		for k < len(chunk) && chunk[k] != '\n' {
			n := 1
			if chunk[k] > ' ' && chunk[k] != 0x7f {
				n = wideSpace(chunk[k:])
			}
			if n == 0 {
				break
			}
			k += n
		}
		if !utf8.FullRune(chunk[k:]) {
			whole = min(whole, line)
			break
		}
		if chunk[k] == '[' {
			at, whole = k, k
			break
		}
		next := bytes.IndexByte(chunk[k:], '\n')
		if next < 0 {
			break
		}
		k += next + 1
	}
	limit := len(chunk)
	if at >= 0 {
		limit = at
	}
	if i := bytes.Index(chunk[:limit], event); i > 0 && chunk[i-1] == '[' {
		at, whole = i-1, i-1
	}
	return at, max(0, whole)
}

// hidden reports whether the line says in front of the next byte that a comment or an escape line
// goes on there.
func (in *input) hidden() bool {
	line := in.buf[max(0, in.lineStart):in.pos]
	return bytes.IndexByte(line, ';') >= 0 || len(line) > 0 && line[0] == '%'
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
	blank := in.blankTo == in.pos
	if lines := bytes.Count(text, []byte{'\n'}); lines > 0 {
		in.line += lines
		in.lineStart = in.pos + bytes.LastIndexByte(text, '\n') + 1
		in.blankTo, blank = in.lineStart, true
	}
	for in.pos += n; blank && in.blankTo < in.pos; {
		switch c := in.buf[in.blankTo]; {
		case c <= ' ' || c == 0x7f:
			in.blankTo++
		case c >= utf8.RuneSelf && wideSpace(in.buf[in.blankTo:in.pos]) > 0:
			in.blankTo += wideSpace(in.buf[in.blankTo:in.pos])
		default:
			blank = false
		}
	}
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
