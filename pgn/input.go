package pgn

import (
	"bytes"
	"io"
)

// bufferSize is how much of the input is held at a time.
const bufferSize = 1 << 16

// input is a buffered stream of bytes that knows its line and column.
type input struct {
	src       io.Reader
	buf       []byte
	pos, end  int // what is unread: buf[pos:end]
	line      int // from 1
	lineStart int // index in buf of the line's first byte, negative where it has left
	passed    int // bytes of the stream before buf
	err       error
}

// place is a line and a column, both from 1, the column in bytes.
type place struct{ line, column int }

// here returns the place of the next byte.
func (in *input) here() place { return place{in.line, in.pos - in.lineStart + 1} }

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
		in.passed += in.pos
		in.pos = 0
	}
	for tries := 0; in.end < len(in.buf); tries++ {
		n, err := in.src.Read(in.buf[in.end:])
		in.end += n
		in.err = err
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
		if tries == 100 {
			in.err = io.ErrNoProgress
			return false
		}
	}
	return false
}

// peek returns the next byte, or -1 at the end of the input.
func (in *input) peek() int {
	if in.pos == in.end && !in.fill() {
		return -1
	}
	return int(in.buf[in.pos])
}

// skip passes over one byte, which peek has seen.
func (in *input) skip() {
	if in.buf[in.pos] == '\n' {
		in.line++
		in.lineStart = in.pos + 1
	}
	in.pos++
}

// has reports whether the next bytes are text.
func (in *input) has(text string) bool {
	for in.end-in.pos < len(text) {
		if !in.fill() {
			return false
		}
	}
	return string(in.buf[in.pos:in.pos+len(text)]) == text
}

// isTag reports whether the next bytes begin a tag pair: a bracket and a
// letter.
func (in *input) isTag() bool {
	if in.peek() != '[' {
		return false
	}
	if in.end-in.pos < 2 && !in.fill() {
		return false
	}
	c := in.buf[in.pos+1] | 0x20
	return c >= 'a' && c <= 'z'
}

// atLineStart reports whether the next byte is the first of its line.
func (in *input) atLineStart() bool { return in.pos == in.lineStart }

// space passes over white space and escape lines, which have a percent sign
// in their first column.
func (in *input) space() {
	for {
		switch c := in.peek(); {
		case c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\v' || c == '\f':
			in.skip()
		case c == '%' && in.atLineStart():
			in.restOfLine()
		default:
			return
		}
	}
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
	if c <= ' ' {
		return true
	}
	switch c {
	case '{', '}', '(', ')', '[', ']', ';', '$', '"', '<', '>', '*':
		return true
	}
	return false
}
