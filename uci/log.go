package uci

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/internal/files"
)

// debugLog is the file of the option Debug Log File: all lines of the session, each with
// the time of day and >> for those that were read or << for those that were written.
type debugLog struct {
	mu   sync.Mutex
	file io.WriteCloser // nil for none
}

// open appends to the file with the given name from now on, instead of the one before.
func (l *debugLog) open(name string) error {
	if err := l.close(); err != nil {
		return err
	}
	if name == "" {
		return nil
	}
	f, err := files.Append(name)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file = f
	return nil
}

// close ends the log.
func (l *debugLog) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// add logs lines, the last of which need not end in a line feed. After an error nothing
// more is logged.
func (l *debugLog) add(mark string, text []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	var buf []byte
	now := time.Now().Format("15:04:05.000")
	for line := range bytes.Lines(text) {
		buf = fmt.Appendf(buf, "%s %s %s\n", now, mark, bytes.TrimRight(line, "\r\n"))
	}
	_, err := l.file.Write(buf)
	if err != nil {
		l.file.Close() // the first error counts
		l.file = nil
	}
	return err
}
