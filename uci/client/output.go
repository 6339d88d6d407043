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

// lastLines keeps the end of what is written to it.
type lastLines struct {
	mu   sync.Mutex
	text []byte
}

// maxTail is how much of an engine's standard error is kept.
const maxTail = 4096

// Write never fails.
func (t *lastLines) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > 2*maxTail {
		t.text = append(t.text[:0], t.text[len(t.text)-maxTail:]...)
	}
	return len(p), nil
}

// String returns what was kept.
func (t *lastLines) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
