package pgn

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"runtime"
	"sync"
)

const (
	// partSize is about how many bytes a worker is given at a time.
	partSize = 1 << 20

	// maxPart bounds how far is looked for the end of a part. In a file where no
	// game begins with an Event tag there is none, and one worker reads the rest.
	maxPart = 64 << 20
)

// Parallel iterates over the games of src as Reader.Games does, the same games and
// the same errors in the same order, and reads them on several threads: workers,
// or as many as there are processors where that is below 1. A bounded part of the
// input is held at a time. When the loop ends early, src may have been read further
// than the game it ended at; nothing reads it any more by then.
//
// Parts are cut where a line begins with an Event tag, as games of all programs do
// that write tags.
func Parallel(src io.Reader, workers int) iter.Seq2[*Game, error] {
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	return func(yield func(*Game, error) bool) {
		order := make(chan *part, 2*workers) // as the file has them
		work := make(chan *part)
		stop := make(chan struct{})
		var running sync.WaitGroup
		running.Go(func() {
			defer close(order)
			defer close(work)
			for whole := range Parts(src) {
				p := &part{Part: whole, batch: make(chan read, 64)}
				for _, to := range []chan<- *part{order, work} {
					select {
					case to <- p:
					case <-stop:
						return
					}
				}
			}
		})
		for range workers {
			running.Go(func() {
				for p := range work {
					p.read(stop)
				}
			})
		}
		defer running.Wait()
		defer close(stop)
		deliver(order, yield)
	}
}

// Part is a piece of the input that holds whole games.
type Part struct {
	Offset int64 // bytes of the input before it
	Lines  int   // lines of the input before it

	src io.Reader
}

// Games iterates over the games of the part as [Reader.Games] does. Errors name the
// line in the whole input and the number of the game in the part.
func (p *Part) Games() iter.Seq2[*Game, error] {
	r := NewReader(p.src)
	r.in.line += p.Lines
	return r.Games()
}

// part is one that a worker reads.
type part struct {
	*Part
	batch chan read // its games; closed behind the last
}

// read is what a worker has read.
type read struct {
	games []*Game
	errs  []error
}

// batchSize is how many games a worker hands over at a time.
const batchSize = 64

// read reads the games of a part until it is told to stop.
func (p *part) read(stop <-chan struct{}) {
	defer close(p.batch)
	var b read
	send := func() bool {
		select {
		case p.batch <- b:
			b = read{}
			return true
		case <-stop:
			return false
		}
	}
	for g, err := range p.Games() {
		b.games, b.errs = append(b.games, g), append(b.errs, err)
		if len(b.games) == batchSize && !send() {
			return
		}
	}
	if len(b.games) > 0 {
		send()
	}
}

// deliver yields the games of the parts in their order, bad ones with their number
// in the whole.
func deliver(order <-chan *part, yield func(*Game, error) bool) {
	before := 0
	for p := range order {
		games := 0
		for b := range p.batch {
			for i, g := range b.games {
				games++
				var bad *Error
				if errors.As(b.errs[i], &bad) {
					bad.Game += before
				}
				if !yield(g, b.errs[i]) || b.errs[i] != nil && bad == nil {
					return
				}
			}
		}
		before += games
	}
}

// Parts cuts the input into parts of about a mebibyte, each of which may be read on a
// thread of its own. An error of src is the last error of the last part. Where no
// game begins with an Event tag, the last part is all the rest of src.
func Parts(src io.Reader) iter.Seq[*Part] {
	return func(yield func(*Part) bool) {
		offset, lines := int64(0), 0
		var buf []byte
		for {
			searched := len(buf)
			buf = append(buf, make([]byte, partSize)...)
			n, err := io.ReadFull(src, buf[searched:])
			buf = buf[:searched+n]
			at := lastGame(buf)
			switch {
			case err == io.EOF || err == io.ErrUnexpectedEOF:
				yield(&Part{offset, lines, bytes.NewReader(buf)})
				return
			case err != nil:
				yield(&Part{offset, lines, io.MultiReader(bytes.NewReader(buf), failing{err})})
				return
			case at == 0 && len(buf) >= maxPart:
				yield(&Part{offset, lines, io.MultiReader(bytes.NewReader(buf), src)})
				return
			case at == 0:
				continue
			}
			if !yield(&Part{offset, lines, bytes.NewReader(buf[:at:at])}) {
				return
			}
			offset, lines = offset+int64(at), lines+bytes.Count(buf[:at], []byte{'\n'})
			buf = bytes.Clone(buf[at:])
		}
	}
}

// failing is a source that has failed.
type failing struct{ err error }

// Read returns the error.
func (f failing) Read([]byte) (int, error) { return 0, f.err }

// endsGame reports whether a line in front of tags is movetext for certain: not a
// tag, behind a byte order mark perhaps, nor an escape line, nor a comment that may
// belong to the game to come.
func endsGame(line []byte) bool {
	return len(line) > 0 && line[0] != '[' && line[0] != '%' && line[0] != 0xef &&
		line[len(line)-1] != '}' && bytes.IndexByte(line, ';') < 0
}

// lastGame returns where the last game of text begins: a line with an Event tag
// behind a line of movetext. 0 tells that none does. Even inside a comment such a
// line begins a game for a Reader.
func lastGame(text []byte) int {
	event := []byte("\n[Event \"")
	for end := len(text); ; {
		at := bytes.LastIndex(text[:end], event)
		if at < 0 {
			return 0
		}
		before := bytes.TrimRight(text[:at], "\r\n \t")
		line := before[bytes.LastIndexByte(before, '\n')+1:]
		if endsGame(line) {
			return at + 1
		}
		end = at + 1
	}
}
