// Package progress shows how far a long command is, in one line that fits the
// terminal. It imports nothing of this module.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// Terminal reports whether out is one.
func Terminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// redraw is the least time between two drawings of a line.
const redraw = 200 * time.Millisecond

// usualWidth is taken for the width of a terminal that does not tell it.
const usualWidth = 80

// Bar is a line that tells how much of a number of steps is done. It is safe for
// concurrent use.
type Bar struct {
	out   io.Writer
	width func() int // columns of the terminal; nil where there is none: nothing is shown
	now   func() time.Time

	mu      sync.Mutex
	text    string
	done    int64
	first   int64 // done when the bar began: what was kept of an earlier run
	total   int64 // -1 where it is not known
	began   time.Time
	drawn   time.Time
	columns int // of the line on the terminal
}

// New returns a bar over total steps, -1 where their number is not known yet, on
// the terminal out, and a silent one where that is no terminal.
func New(out io.Writer, total int64, what string) *Bar {
	b := &Bar{out: out, now: time.Now, total: total, text: what, began: time.Now()}
	if file, ok := out.(*os.File); ok && Terminal(out) {
		b.width = func() int {
			if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
				return width
			}
			return usualWidth
		}
	}
	return b
}

// Describe sets the text: parts with ", " between them, the most important
// first, of which as many are shown as there is space for.
func (b *Bar) Describe(text string) { b.change(func() { b.text = text }) }

// Set says how many steps are done.
func (b *Bar) Set(done int) { b.change(func() { b.done = int64(done) }) }

// Begin says how many steps an earlier run has done: the time left is reckoned
// by those since.
func (b *Bar) Begin(done int64) { b.change(func() { b.done, b.first = done, done }) }

// Add says that n more steps are done.
func (b *Bar) Add(n int) { b.change(func() { b.done += int64(n) }) }

// Total sets the number of steps.
func (b *Bar) Total(n int) { b.change(func() { b.total = int64(n) }) }

// Close removes the line from the terminal.
func (b *Bar) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.columns > 0 {
		fmt.Fprintf(b.out, "\r%s\r", strings.Repeat(" ", b.columns))
		b.columns = 0
	}
}

// change carries out a change and draws the line if it is time to.
func (b *Bar) change(do func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	do()
	now := b.now()
	if b.width == nil || now.Sub(b.drawn) < redraw {
		return
	}
	b.drawn = now
	var left time.Duration = -1
	if done := b.done - b.first; done > 0 && b.total > 0 {
		left = time.Duration(float64(now.Sub(b.began)) * float64(b.total-b.done) / float64(done))
	}
	// One column stays free: some terminals begin a new line after the last.
	text := line(b.width()-1, b.text, b.done, b.total, left)
	columns := utf8.RuneCountInString(text)
	fmt.Fprintf(b.out, "\r%s%s", text, strings.Repeat(" ", max(0, min(b.columns, b.width()-1)-columns)))
	b.columns = columns
}

// Columns of the bar itself.
const (
	leastBar = 8
	mostBar  = 30
)

// line returns a line of at most width columns: as many parts of text as fit, a
// bar where there is space, the percentage and the time left, where it is known
// and not negative.
func line(width int, text string, done, total int64, left time.Duration) string {
	tail := ""
	if total > 0 {
		tail = fmt.Sprintf(" %3d%%", min(100, max(0, done*100/total)))
		if left >= 0 {
			tail += " " + short(left) + " left"
		}
	}
	for utf8.RuneCountInString(text)+len(tail) > width {
		i := strings.LastIndex(text, ", ")
		if i < 0 {
			runes := []rune(text)
			text = string(runes[:min(len(runes), max(0, width-len(tail)))])
			break
		}
		text = text[:i]
	}
	if len(tail) > width {
		return tail[:max(0, width)]
	}
	if space := width - utf8.RuneCountInString(text) - len(tail) - 1; total > 0 && space >= leastBar {
		space = min(space, mostBar)
		full := int(min(int64(space), max(0, done*int64(space)/total)))
		text += " " + strings.Repeat("█", full) + strings.Repeat("░", space-full)
	}
	return text + tail
}

// short returns a time in at most six columns: the two largest units of it.
func short(d time.Duration) string {
	switch s := int(d.Seconds()); {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 24*3600:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	case s < 100*24*3600:
		return fmt.Sprintf("%dd%02dh", s/86400, s/3600%24)
	default:
		return fmt.Sprintf("%dd", min(s/86400, 99999))
	}
}
