package terminal

import (
	"bytes"
	"io"
	"strconv"
)

// Terminal control sequences, ECMA-48 with the private modes of xterm.
const (
	hideCursor   = "\x1b[?25l"
	showCursor   = "\x1b[?25h"
	clearLine    = "\x1b[K"
	clearBelow   = "\x1b[J"
	resetStyle   = "\x1b[0m"
	noWrap       = "\x1b[?7l"
	wrap         = "\x1b[?7h"
	beginUpdate  = "\x1b[?2026h" // synchronized update; terminals without it ignore it
	finishUpdate = "\x1b[?2026l"
)

// screen redraws a block of lines in place: it moves the cursor up to the first line and overwrites
// each line. So the display does not flicker, and the text above it stays.
type screen struct {
	out   io.Writer
	style style
	drawn int // number of lines drawn last
	buf   bytes.Buffer
}

// newScreen hides the cursor.
func newScreen(out io.Writer, color bool) *screen {
	_, _ = io.WriteString(out, hideCursor+noWrap)
	return &screen{out: out, style: style{on: color}}
}

// close shows the cursor again, below the block.
func (s *screen) close() { _, _ = io.WriteString(s.out, resetStyle+wrap+showCursor) }

// draw replaces the previous lines; the terminal cuts those that are wider. There must be fewer lines than rows of
// the terminal, because a higher block cannot be overwritten.
func (s *screen) draw(lines []string) {
	s.buf.Reset()
	s.buf.WriteString(beginUpdate)
	if s.drawn > 0 {
		s.buf.WriteString("\r\x1b[" + strconv.Itoa(s.drawn) + "A")
	}
	for _, l := range lines {
		s.buf.WriteString(clearLine + l + resetStyle + "\r\n")
	}
	s.buf.WriteString(clearBelow + finishUpdate)
	s.drawn = len(lines)
	_, _ = s.out.Write(s.buf.Bytes())
}

// style writes colours if they are turned on. Colour numbers refer to xterm's 256-colour palette.
type style struct{ on bool }

// paint returns text in a foreground colour, and on a background colour unless that is negative.
func (s style) paint(fg, bg int, text string) string {
	if !s.on {
		return text
	}
	codes := "38;5;" + strconv.Itoa(fg)
	if bg >= 0 {
		codes += ";48;5;" + strconv.Itoa(bg)
	}
	return "\x1b[" + codes + "m" + text + resetStyle
}

// bold returns text in bold.
func (s style) bold(text string) string {
	if !s.on {
		return text
	}
	return "\x1b[1m" + text + resetStyle
}

// dim returns text in a dim colour.
func (s style) dim(text string) string { return s.paint(244, -1, text) }
