package client

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// MaxLine is the most bytes a line of an engine may have.
const MaxLine = 1 << 20

// maxQueue is the most bytes of lines that wait for somebody to read them; the
// oldest are dropped. A searching engine whose Search nobody waits for comes to
// this, and what it wrote long ago is of no use.
const maxQueue = 1 << 24

// queue holds the lines of an engine that are not read yet, so that the engine
// never has to wait for its reader.
type queue struct {
	mu    sync.Mutex
	lines []string
	size  int
	err   error         // why no more lines come
	more  chan struct{} // holds a token when lines or err has changed
}

// push adds a line.
func (q *queue) push(line string) {
	q.mu.Lock()
	q.lines = append(q.lines, line)
	for q.size += len(line); q.size > maxQueue; q.lines = q.lines[1:] {
		q.size -= len(q.lines[0])
	}
	q.mu.Unlock()
	q.wake()
}

// end tells that no more lines come, and why; the first reason holds.
func (q *queue) end(err error) {
	q.mu.Lock()
	if q.err == nil {
		q.err = err
	}
	q.mu.Unlock()
	q.wake()
}

// wake tells the reader to look again.
func (q *queue) wake() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// pop returns the next line. Without one ok is false, and err tells whether
// more can come.
func (q *queue) pop() (line string, ok bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lines) == 0 {
		return "", false, q.err
	}
	line = q.lines[0]
	q.lines = q.lines[1:]
	q.size -= len(line)
	return line, true, nil
}

// clear drops the lines that nobody asked for.
func (q *queue) clear() {
	q.mu.Lock()
	q.lines, q.size = nil, 0
	q.mu.Unlock()
}

// readLines hands the lines of an engine to push, without spaces at their ends,
// until its output ends. A line that is too long is an error; so is nothing else.
func readLines(src io.Reader, push func(line string)) error {
	in := bufio.NewScanner(src)
	in.Buffer(nil, MaxLine)
	for in.Scan() {
		if line := strings.TrimSpace(in.Text()); line != "" {
			push(line)
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return &ProtocolError{Reason: fmt.Sprintf("a line of more than %d bytes", MaxLine)}
	}
	return nil
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTail is how much of an engine's standard error is kept.
const maxTail = 4096

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > 2*maxTail {
		t.text = append(t.text[:0], t.text[len(t.text)-maxTail:]...)
	}
	return len(p), nil
}

// String returns what was kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
