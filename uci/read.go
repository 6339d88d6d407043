package uci

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"time"
)

// maxLine bounds the length of a command line in bytes. The longest game that
// can be played needs less than a tenth of it.
const maxLine = 1 << 20

// line is one line of input.
type line struct {
	text    string
	tooLong bool      // more than maxLine bytes; text is empty
	at      time.Time // when it had been read, the moment a clock starts at

	// Known once the session has read it.
	words     []string
	skipped   int      // words before the command
	command   *Command // nil for none
	stop, hit bool     // overtook the line while it was held, and counts for its job too

	// A line that is held for those refused in a row.
	refused  bool
	behind   bool // a position was among them
	searches int  // which are still to be answered
}

// readLines reads lines from in and sends them until the input ends, reading
// fails, or done is closed. Lines longer than maxLine are skipped without
// being kept in memory.
func readLines(in io.Reader, lines chan<- line, done <-chan struct{}) {
	defer close(lines)
	r := bufio.NewReaderSize(in, 64<<10)
	for first := true; ; first = false {
		l, err := readLine(r)
		if first { // editors and shells write a byte order mark
			l.text = strings.TrimPrefix(l.text, "\ufeff")
		}
		if err == nil || l.text != "" || l.tooLong {
			l.at = time.Now()
			select {
			case lines <- l:
			case <-done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine reads up to the next line feed, which is dropped. With an error
// comes what had been read before it.
func readLine(r *bufio.Reader) (l line, err error) {
	var text []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(text)+len(part) > maxLine {
			l.tooLong, text = true, nil
		}
		if !l.tooLong {
			text = append(text, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if n := len(text); n > 0 && text[n-1] == '\n' {
			text = text[:n-1]
		}
		l.text = string(text)
		return l, err
	}
}
