package uci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"github.com/tabula-chess/tabula/internal/exit"
)

// Sizes of what is written at a time and of what waits to be written.
const (
	chunkSize  = 16 << 10 // bytes of one Write
	reportRoom = 1 << 20  // bytes of output waiting above which search reports are dropped
	answerRoom = 16 << 20 // bytes of output waiting above which no command is read
)

// readerCheck is the time between two looks at whether the reader has gone.
const readerCheck = time.Second

// errUnread is the error of output that nobody reads at the end of a session.
var errUnread = errors.New("the output is not read")

// printer writes whole lines, in order, from any goroutine. A goroutine of its
// own does the writing, so that a reader that does not read holds up nobody.
type printer struct {
	w      io.Writer
	wake   chan struct{} // holds a token when there is something to write
	broken chan struct{} // closed when err is set
	closed chan struct{} // ends the writing

	mu      sync.Mutex
	waiting []byte        // what is to be written
	writing bool          // a Write is under way
	moved   chan struct{} // closed and made anew after each Write
	seen    chan struct{} // moved, as stands saw it last
	err     error         // the first failed write

	log debugLog
}

func newPrinter(w io.Writer) *printer {
	p := &printer{w: w, wake: make(chan struct{}, 1), broken: make(chan struct{}), closed: make(chan struct{}),
		moved: make(chan struct{})}
	go func() {
		tick := time.NewTicker(readerCheck)
		defer tick.Stop()
		for {
			select {
			case <-p.wake:
				for p.writeChunk() {
				}
			case <-tick.C:
				if exit.ReaderGone(w) { // which a perft, with nothing to write, would not notice
					p.wrote(fmt.Errorf("output: %w", syscall.EPIPE))
					return
				}
			case <-p.closed:
				return
			}
		}
	}()
	return p
}

// close ends the writing goroutine. What is printed from now on is lost.
func (p *printer) close() {
	close(p.closed)
	p.log.close() // nobody is left to tell
}

// record logs lines that were read or written.
func (p *printer) record(mark string, text []byte) {
	if err := p.log.add(mark, text); err != nil {
		p.note("error: Debug Log File: %v; nothing more is logged", err)
	}
}

// write writes b, one or more whole lines, in one piece.
func (p *printer) write(b []byte) {
	p.mu.Lock()
	if p.err == nil {
		p.waiting = append(p.waiting, b...)
	}
	p.mu.Unlock()
	p.record("<<", b)
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// writeChunk writes some of what waits; false means that none do.
func (p *printer) writeChunk() bool {
	p.mu.Lock()
	if len(p.waiting) == 0 {
		p.mu.Unlock()
		return false
	}
	n := min(len(p.waiting), chunkSize)
	chunk := p.waiting[:n:n]
	if p.waiting = p.waiting[n:]; len(p.waiting) == 0 {
		p.waiting = nil // the chunk is in use
	}
	p.writing = true
	p.mu.Unlock()

	_, err := p.w.Write(chunk)

	p.wrote(err)
	return err == nil
}

// wrote notes that a Write has ended. After an error all output is dropped.
func (p *printer) wrote(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writing = false
	if err != nil && p.err == nil {
		p.err, p.waiting = err, nil
		close(p.broken)
	}
	close(p.moved)
	p.moved = make(chan struct{})
}

// hasRoom reports whether less than limit bytes wait.
func (p *printer) hasRoom(limit int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) < limit
}

// stands reports whether output waits and nothing was written since the last call.
func (p *printer) stands() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	stood := (p.writing || len(p.waiting) > 0) && p.moved == p.seen
	p.seen = p.moved
	return stood
}

// room waits until less than limit bytes wait, the output is gone or ctx is
// done.
func (p *printer) room(ctx context.Context, limit int) {
	for {
		p.mu.Lock()
		full, moved := len(p.waiting) >= limit && p.err == nil, p.moved
		p.mu.Unlock()
		if !full {
			return
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return
		}
	}
}

// flush waits until everything is written. It gives up when nothing has been
// read for as long as patience, where that is not 0, or after a second without
// reading once ctx is done.
func (p *printer) flush(ctx context.Context, patience time.Duration) error {
	for {
		p.mu.Lock()
		err, moved, done := p.err, p.moved, len(p.waiting) == 0 && !p.writing
		p.mu.Unlock()
		if err != nil || done {
			return err
		}
		interrupted := ctx.Done()
		if ctx.Err() != nil {
			interrupted, patience = nil, time.Second
		}
		var late <-chan time.Time // never, where there is no end to patience
		if patience > 0 {
			late = time.After(patience)
		}
		select {
		case <-moved:
		case <-interrupted:
		case <-late:
			return errUnread
		}
	}
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
