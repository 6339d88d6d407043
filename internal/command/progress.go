package command

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

// Terminal reports whether out writes to a terminal.
func Terminal(out io.Writer) bool {
	_, _, ok := Size(out)
	return ok
}

// Size returns the columns and rows of the terminal that out writes to, and false where there is none. Writers with a
// method Unwrap pass on to another one. Besides files, whatever has a method Size is a terminal of that size.
func Size(out io.Writer) (width, height int, ok bool) {
	switch out := out.(type) {
	case interface{ Unwrap() io.Writer }:
		return Size(out.Unwrap())
	case interface{ Size() (width, height int) }:
		width, height = out.Size()
		return width, height, true
	case *os.File:
		if !term.IsTerminal(int(out.Fd())) {
			return 0, 0, false
		}
		if width, height, err := term.GetSize(int(out.Fd())); err == nil && width > 0 && height > 0 {
			return width, height, true
		}
		return 80, 24, true // the terminal does not tell
	}
	return 0, 0, false
}

// Awaits prints what input the program reads, if in is a terminal.
func Awaits(in io.Reader, out io.Writer, what string) {
	if f, ok := in.(*os.File); ok && Terminal(f) {
		fmt.Fprintln(out, what)
	}
}

// Screen is a writer for text and progress bars. Before it writes text, it removes the line of a
// bar, so that messages begin on an empty line. It is safe for concurrent use.
type Screen struct {
	out   io.Writer
	shows bool // on a terminal: elsewhere no bar is shown

	mu    sync.Mutex
	drawn int // columns of the bar on the terminal
}

// NewScreen returns a screen on out, or out itself if it is a screen.
func NewScreen(out io.Writer) *Screen {
	if s, ok := out.(*Screen); ok {
		return s
	}
	return &Screen{out: out, shows: Terminal(out)}
}

// Unwrap returns the underlying writer.
func (s *Screen) Unwrap() io.Writer { return s.out }

// Write removes the line of a bar and writes p.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	return s.out.Write(p)
}

// Clear removes the line of a bar.
func (s *Screen) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
}

func (s *Screen) clear() {
	if s.drawn > 0 {
		fmt.Fprintf(s.out, "\r%s\r", strings.Repeat(" ", s.drawn))
		s.drawn = 0
	}
}

// draw replaces the line of a bar by text, which is narrower than width.
func (s *Screen) draw(text string, width int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := utf8.RuneCountInString(text)
	fmt.Fprintf(s.out, "\r%s%s", text, strings.Repeat(" ", max(0, min(s.drawn, width-1)-n)))
	s.drawn = n
}

// redraw is the minimum time between two drawings of a line.
const redraw = 200 * time.Millisecond

// Bar is a progress bar. It is safe for concurrent use.
type Bar struct {
	screen *Screen
	now    func() time.Time

	mu    sync.Mutex
	text  string
	done  int64
	first int64 // done when the bar began: what was kept of an earlier run
	total int64 // -1 where it is not known
	began time.Time
	shown bool      // Show was called
	drawn time.Time // the line of a terminal, elsewhere the last one of Show
}

// NewBar returns a bar for total steps, -1 if their number is unknown, on out. If out is not a
// terminal, only Show prints something.
func NewBar(out io.Writer, total int64, what string) *Bar {
	return &Bar{screen: NewScreen(out), now: time.Now, total: total, text: what, began: time.Now()}
}

// Show sets the number of steps done and the text. The estimate of the remaining time begins with the first call, and
// again where fewer steps are done than before. If out is not a terminal, it prints the text with the remaining time
// each minute.
func (b *Bar) Show(done int, text string) {
	b.change(func() {
		b.text = text
		b.show(int64(done))
	})
}

// Write counts the bytes of p as steps, as [Bar.Show] does, so that reading shows progress even where nothing is found.
// It never fails.
func (b *Bar) Write(p []byte) (int, error) {
	b.change(func() { b.show(b.done + int64(len(p))) })
	return len(p), nil
}

// show sets the number of steps done, and prints the text if it is due where no bar is shown.
func (b *Bar) show(done int64) {
	now := b.now()
	if !b.shown || done < b.done {
		b.shown, b.first, b.began = true, done, now
	}
	b.done = done
	if b.screen.shows || now.Sub(b.began) < time.Minute || now.Sub(b.drawn) < time.Minute {
		return
	}
	b.drawn = now
	text := b.text
	if left := b.left(now); left >= 0 {
		text += ", " + short(left) + " left"
	}
	fmt.Fprintln(b.screen, text)
}

// left returns the remaining time, -1 where it is not known.
func (b *Bar) left(now time.Time) time.Duration {
	done := b.done - b.first
	if done <= 0 || b.total <= 0 {
		return -1
	}
	return time.Duration(float64(now.Sub(b.began)) * float64(b.total-b.done) / float64(done))
}

// Describe sets the text: parts with ", " between them, the most important
// first, of which as many are shown as there is space for.
func (b *Bar) Describe(text string) { b.change(func() { b.text = text }) }

// Set sets the number of steps done.
func (b *Bar) Set(done int) { b.change(func() { b.done = int64(done) }) }

// Begin sets the number of steps done by an earlier run. The estimate of the remaining time ignores
// them.
func (b *Bar) Begin(done int64) { b.change(func() { b.done, b.first = done, done }) }

// Add adds n to the number of steps done.
func (b *Bar) Add(n int) { b.change(func() { b.done += int64(n) }) }

// Total sets the number of steps.
func (b *Bar) Total(n int) { b.change(func() { b.total = int64(n) }) }

// Close removes the line from the terminal.
func (b *Bar) Close() { b.screen.Clear() }

// change applies a change and redraws the line if it is due.
func (b *Bar) change(do func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	do()
	now := b.now()
	if !b.screen.shows || now.Sub(b.drawn) < redraw {
		return
	}
	b.drawn = now
	width, _, _ := Size(b.screen)
	// One column stays free, because some terminals start a new line after the last column.
	b.screen.draw(line(width-1, b.text, b.done, b.total, b.left(now)), width)
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
