package pgn

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// bufferSize is how much of the input is held at a time.
const bufferSize = 1 << 16

// window is how far ahead is looked for the end of a comment, in bytes.
const window = 1 << 15

// input is a buffered stream of bytes that knows its line and column.
type input struct {
	src       io.Reader
	buf       []byte
	pos, end  int                // what is unread: buf[pos:end]
	line      int                // from 1
	lineStart int                // index in buf of the line's first byte, negative where it has left
	blankTo   int                // index in buf up to which the line has been found blank
	passed    int                // bytes of the stream before buf
	closing   int                // offset of a closing brace that was seen, so that a long comment is looked through once
	unclosed  [len(closings)]int // offsets up to which the line is known not to have each of the closings
	err       error
}

// lineEnds reads a stream with line feeds in place of carriage returns that stand alone, by
// which old Macs ended lines. It ends with an error where the stream gives nothing and does not end.
type lineEnds struct {
	src  io.Reader
	held bool  // a carriage return was read and what follows it was not
	err  error // of src
}

// Read reads into p, which has room for two bytes at least.
func (l *lineEnds) Read(p []byte) (n int, err error) {
	start := 0
	if l.held {
		p[0], start = '\r', 1
	}
	for tries := 0; n == 0 && err == nil; tries++ {
		if n, err = l.src.Read(p[start:]); tries == 100 && n == 0 && err == nil {
			err = io.ErrNoProgress
		}
	}
	l.held, l.err, n = false, err, n+start
	for i := 0; ; i++ {
		next := bytes.IndexByte(p[i:n], '\r')
		if next < 0 {
			return n, err
		}
		switch i += next; {
		case i+1 == n && err == nil:
			l.held = true
			return n - 1, nil
		case i+1 == n || p[i+1] != '\n':
			p[i] = '\n'
		}
	}
}

// place is a line and a column, both from 1, the column in bytes, and the bytes of the input before it.
type place struct{ line, column, offset int }

// plus returns the place n bytes on in the line.
func (p place) plus(n int) place { return place{p.line, p.column + n, p.offset + n} }

// here returns the place of the next byte.
func (in *input) here() place { return place{in.line, in.pos - in.lineStart + 1, in.offset()} }

// offset returns how many bytes of the stream have been read.
func (in *input) offset() int { return in.passed + in.pos }

// fill reads more behind what is unread and reports whether there is more.
func (in *input) fill() bool {
	if in.err != nil {
		return false
	}
	if in.pos > 0 {
		copy(in.buf, in.buf[in.pos:in.end])
		in.end -= in.pos
		in.lineStart -= in.pos
		in.blankTo -= in.pos
		in.passed += in.pos
		in.pos = 0
	}
	n := 0
	for n == 0 && in.err == nil && in.end+1 < len(in.buf) {
		n, in.err = in.src.Read(in.buf[in.end:])
		in.end += n
	}
	return n > 0
}

// peek returns the next byte, or -1 at the end of the input.
func (in *input) peek() int {
	if in.pos == in.end && !in.fill() {
		return -1
	}
	return int(in.buf[in.pos])
}

// ahead returns the byte n bytes behind the next one, or -1 where the input ends before.
func (in *input) ahead(n int) int {
	for in.end-in.pos <= n {
		if !in.fill() {
			return -1
		}
	}
	return int(in.buf[in.pos+n])
}

// skip passes over one byte, which peek has seen.
func (in *input) skip() {
	if in.buf[in.pos] == '\n' {
		in.line++
		in.lineStart, in.blankTo = in.pos+1, in.pos+1
	}
	in.pos++
}

// has reports whether the bytes n bytes behind the next one are text.
func (in *input) has(n int, text string) bool {
	return in.ahead(n+len(text)-1) >= 0 && string(in.buf[in.pos+n:in.pos+n+len(text)]) == text
}

// isTag reports whether a tag pair begins for certain n bytes behind the next one: one whose value is
// quoted, or an Event tag.
func (in *input) isTag(n int) bool {
	name, quoted := in.tagName(n)
	return quoted || string(name) == "Event" && isBlank(in.ahead(n+1+len(name)))
}

// maxTagName is how many bytes of a tag are looked at for its name.
const maxTagName = 80

// tagName returns the name in the tag pair n bytes behind the next byte, "" where there is none, and whether
// a quoted value follows it. It is valid until the next read.
func (in *input) tagName(n int) (name []byte, quoted bool) {
	if in.ahead(n) != '[' {
		return nil, false
	}
	most := n + maxTagName
	for n++; isBlank(in.ahead(n)); n++ {
	}
	start, end := n, n
	for ; n < most; n++ {
		c := -1
		if in.pos+n < in.end || in.ahead(n) >= 0 {
			c = int(in.buf[in.pos+n])
		}
		switch {
		case c == '"':
			if end == start {
				end = n
			}
			return in.buf[in.pos+start : in.pos+end], end > start
		case isBlank(c):
			if end == start {
				end = n
			}
		case c < 0 || !tagByte(byte(c)):
			return in.buf[in.pos+start : in.pos+end], false
		}
	}
	return nil, false
}

// beginsGame reports whether the next bytes are tags of the next game: the first of a line, or
// an Event tag anywhere.
func (in *input) beginsGame() bool {
	return in.blankTo == in.pos && in.isTag(0) || in.has(0, eventTag)
}

// eventTag begins nearly all games.
const eventTag = `[Event "`

// eventLine reports whether the line that begins n bytes behind the next one begins with an
// Event tag.
func (in *input) eventLine(n int) bool {
	for ; isBlank(in.ahead(n)); n++ {
	}
	return in.ahead(n) == '[' && in.has(n, eventTag)
}

// closesComment reports whether, of the braces that follow within the window, the first is a
// closing one. With inGame only those before the next Event tag count.
func (in *input) closesComment(inGame bool) bool {
	if !inGame && in.offset() <= in.closing {
		return true
	}
	for n := 0; n < window; n++ {
		switch in.ahead(n) {
		case '}':
			in.closing = in.offset() + n
			return true
		case '{', -1:
			return false
		case '\n':
			if inGame && in.eventLine(n+1) {
				return false
			}
		}
	}
	return false
}

// noText says what the first bytes are if they cannot begin PGN, "" else.
func (in *input) noText() string {
	for magic, name := range map[string]string{
		"\x1f\x8b": "gzip", "BZh": "bzip2", "\x28\xb5\x2f\xfd": "zstd", "\xfd7zX": "xz", "PK\x03\x04": "zip",
		"7z\xbc\xaf": "7-Zip",
	} {
		if in.has(0, magic) {
			return "packed by " + name + "; unpack it first"
		}
	}
	a, b := in.peek(), in.ahead(1)
	if a == 0xff && b == 0xfe || a == 0xfe && b == 0xff || a == 0 && b > 0 || a > 0 && b == 0 {
		return "UTF-16, want UTF-8"
	}
	return ""
}

// isBlank says which bytes of a line are white space.
func isBlank(c int) bool { return c == ' ' || c == '\t' }

// space passes over white space, control characters and escape lines, which have a percent
// sign in their first column.
func (in *input) space() {
	for {
		c, n := in.peek(), 1
		switch {
		case c == '\n':
			in.skip()
			continue
		case c > ' ' && c < 0x7f:
			if c != '%' || in.pos != in.lineStart {
				return
			}
			in.restOfLine()
			continue
		case c < 0:
			return
		case c >= utf8.RuneSelf:
			in.ahead(utf8.UTFMax - 1)
			if n = wideSpace(in.buf[in.pos:in.end]); n == 0 {
				return
			}
		}
		if in.blankTo == in.pos {
			in.blankTo += n
		}
		in.pos += n
	}
}

// wideSpace returns the length of the white space beyond ASCII that a text begins with: no-break
// spaces, also that of Windows-1252, and byte order marks. 0 is none.
func wideSpace(text []byte) int {
	switch c, n := utf8.DecodeRune(text); {
	case c == utf8.RuneError && n == 1 && text[0] == 0xa0:
		return 1
	case c == 0x85 || c == 0xa0 || c == 0x1680 || c >= 0x2000 && c <= 0x200f || c == 0x2028 || c == 0x2029 ||
		c == 0x202f || c == 0x205f || c == 0x2060 || c == 0x3000 || c == 0xfeff:
		return n
	}
	return 0
}

// restOfLine passes over what is left of the line and its end.
func (in *input) restOfLine() {
	for in.peek() >= 0 {
		if i := bytes.IndexByte(in.buf[in.pos:in.end], '\n'); i >= 0 {
			in.pos += i
			in.skip()
			return
		}
		in.pos = in.end
	}
}

// maxToken bounds the length of a token; no move, number or result is longer.
const maxToken = 64

// token returns the bytes up to the next white space or punctuation, maxToken
// at most. They are valid until the next call.
func (in *input) token() []byte {
	n := 0
	for n < maxToken {
		if in.pos+n == in.end && !in.fill() {
			break
		}
		if ends(in.buf[in.pos+n]) {
			break
		}
		n++
	}
	in.pos += n
	return in.buf[in.pos-n : in.pos]
}

// ends says which bytes end a token.
func ends(c byte) bool {
	if c <= ' ' || c == 0x7f {
		return true
	}
	switch c {
	case '{', '}', '(', ')', '[', ']', ';', '$', '"', '<', '>', '*':
		return true
	}
	return false
}
