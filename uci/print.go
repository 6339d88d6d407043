package uci

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"github.com/tabula-chess/tabula/internal/exit"
)

// readerCheck is the time between two looks at whether the reader has gone.
const readerCheck = time.Second

// printer writes whole lines from any goroutine.
type printer struct {
	mu   sync.Mutex
	w    io.Writer
	gone context.Context // ends at the first write that fails, its cause
	fail context.CancelCauseFunc
	log  debugLog
}

func newPrinter(w io.Writer) *printer {
	p := &printer{w: w}
	p.gone, p.fail = context.WithCancelCause(context.Background())
	go func() {
		tick := time.NewTicker(readerCheck)
		defer tick.Stop()
		for {
			select {
			case <-p.gone.Done():
				return
			case <-tick.C:
				if exit.ReaderGone(w) { // which a perft, with nothing to write, would not notice
					p.fail(fmt.Errorf("output: %w", syscall.EPIPE))
				}
			}
		}
	}()
	return p
}

// close ends the output. What is printed from now on is lost.
func (p *printer) close() {
	p.fail(nil)
	p.log.close() // nobody is left to tell
}

// record logs a line that was read.
func (p *printer) record(line string) { p.tell(p.log.add(">>", []byte(line))) }

// tell tells why the log ends, if it does.
func (p *printer) tell(err error) {
	if err != nil {
		p.note("error: Debug Log File: %v; nothing more is logged", err)
	}
}

// write writes b, one or more whole lines, in one piece. After an error nothing more is written.
func (p *printer) write(b []byte) {
	p.mu.Lock()
	if p.gone.Err() == nil {
		if _, err := p.w.Write(b); err != nil {
			p.fail(err)
		}
	}
	err := p.log.add("<<", b)
	p.mu.Unlock()
	p.tell(err)
}

// printf writes a line; the line feed is added.
func (p *printer) printf(format string, args ...any) {
	p.write(append(fmt.Appendf(nil, format, args...), '\n'))
}

// note writes an info string. Control characters, which could end the line or
// upset a terminal, become question marks.
func (p *printer) note(format string, args ...any) {
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "; "))
	p.printf("info string %s", strings.ToValidUTF8(text, "?"))
}
