package pgn

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"runtime"
	"slices"
	"sync"

	"github.com/tabula-chess/tabula/internal/parallel"
)

const (
	// partSize is about how many bytes a worker is given at a time, batchSize of how many it
	// hands the games over at a time.
	partSize, batchSize = 1 << 17, 1 << 15

	// maxPart bounds how far is looked for the end of a part. In a file where no
	// game begins with an Event tag there is none, and one worker reads the rest.
	maxPart = 2 * MaxGameSize

	// underWay bounds the text of the parts that are being read or whose games wait for
	// their turn. A hostile text takes 100 times as much as games.
	underWay = 20 * partSize
)

// Parallel iterates over the games of src as Reader.Games does, the same games and
// the same errors in the same order, and reads them on several threads: workers,
// or as many as there are processors where that is below 1. A bounded part of the
// input is held at a time. When the loop ends early, src may have been read further
// than the game it ended at; nothing reads it any more by then.
//
// The input is cut where a line begins with an Event tag, as games of all programs do
// that write tags.
func Parallel(src io.Reader, workers int) iter.Seq2[*Game, error] {
	return Map(src, workers, func(g *Game) *Game { return g })
}

// Map is [Parallel] for what f makes of the games, which it is called with by the workers. A
// worker holds one game at a time. Its Warning has the number of the game once Map yields.
func Map[T any](src io.Reader, workers int, f func(*Game) T) iter.Seq2[T, error] {
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	return func(yield func(T, error) bool) {
		order := make(chan *part[T], 2*workers) // as the file has them
		work := make(chan *part[T], 2*workers)
		stop := make(chan struct{})
		budget := parallel.NewBudget(underWay)
		var running sync.WaitGroup
		running.Go(func() {
			defer close(order)
			defer close(work)
			for piece := range pieces(src) {
				p := &part[T]{piece: piece, batch: make(chan []read[T], partSize/batchSize)}
				if p.size > underWay {
					p.batch = make(chan []read[T]) // its games need not wait
				}
				var ok bool
				if p.give, ok = budget.Take(stop, p.size); !ok {
					return
				}
				for _, to := range []chan<- *part[T]{order, work} {
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
					p.read(f, stop)
				}
			})
		}
		defer running.Wait()
		defer close(stop)
		deliver(order, yield)
	}
}

// piece is a piece of the input that holds whole games.
type piece struct {
	lines int // of the input before it
	src   io.Reader
	size  int // bytes; more than may be under way where it is not known
}

// part is a piece that a worker reads.
type part[T any] struct {
	piece
	give  func()         // gives its text back to the budget
	batch chan []read[T] // its games; closed behind the last
}

// read is what a worker has read.
type read[T any] struct {
	value   T
	err     error
	warning *Error // of the game
}

// read reads the games of a part until it is told to stop.
func (p *part[T]) read(f func(*Game) T, stop <-chan struct{}) {
	defer close(p.batch)
	var batch []read[T]
	send := func() bool {
		select {
		case p.batch <- batch:
			batch = nil
			return true
		case <-stop:
			return false
		}
	}
	r := NewReader(p.src)
	r.in.line += p.lines
	sent := int64(0)
	for g, err := range r.Games() {
		one := read[T]{err: err}
		if err == nil {
			one.value, one.warning = f(g), g.Warning
		}
		batch = append(batch, one)
		if at := int64(r.in.offset()); at-sent >= batchSize {
			if sent = at; !send() {
				return
			}
		}
	}
	if len(batch) > 0 {
		send()
	}
}

// deliver yields the games of the parts in their order. Errors and warnings have the number
// of the game in the whole.
func deliver[T any](order <-chan *part[T], yield func(T, error) bool) {
	before := 0
	for p := range order {
		games := 0
		for batch := range p.batch {
			for _, one := range batch {
				games++
				var bad *Error
				if errors.As(one.err, &bad) {
					bad.Game += before
				}
				if one.warning != nil {
					one.warning.Game += before
				}
				if !yield(one.value, one.err) || one.err != nil && bad == nil {
					return
				}
			}
		}
		before += games
		p.give()
	}
}

// pieces cuts the input into pieces of about partSize. An error of src is the last error of the
// last one. Where no game begins with an Event tag, that is all the rest of src.
func pieces(src io.Reader) iter.Seq[piece] {
	src = bufio.NewReaderSize(&lineEnds{src: src}, bufferSize)
	return func(yield func(piece) bool) {
		lines := 0
		var buf []byte
		for {
			searched := len(buf)
			var err error
			buf, err = readMore(src, buf, max(partSize, searched/4))
			at := lastGame(buf, searched)
			switch {
			case err == io.EOF:
				yield(piece{lines, bytes.NewReader(buf), len(buf)})
				return
			case err != nil:
				yield(piece{lines, io.MultiReader(bytes.NewReader(buf), failing{err}), len(buf)})
				return
			case at == 0 && len(buf) >= maxPart:
				yield(piece{lines, io.MultiReader(bytes.NewReader(buf), src), underWay + 1})
				return
			case at == 0:
				continue
			}
			if !yield(piece{lines, bytes.NewReader(buf[:at:at]), at}) {
				return
			}
			lines += bytes.Count(buf[:at], []byte{'\n'})
			buf = bytes.Clone(buf[at:])
		}
	}
}

// readMore appends n bytes of src to buf. With fewer there is an error, which is io.EOF at the
// end of src alone: a decoder returns io.ErrUnexpectedEOF where what it reads is cut off.
func readMore(src io.Reader, buf []byte, n int) ([]byte, error) {
	buf = slices.Grow(buf, n)
	for tries := 0; n > 0; {
		got, err := src.Read(buf[len(buf):][:n])
		buf, n = buf[:len(buf)+got], n-got
		if tries++; got > 0 {
			tries = 0
		}
		if err == nil && tries == 100 {
			err = io.ErrNoProgress
		}
		if err != nil {
			return buf, err
		}
	}
	return buf, nil
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
// behind a line of movetext. 0 tells that none does; of the first bytes, searched, that is
// known. Inside a comment such a line may be text for a Reader.
func lastGame(text []byte, searched int) int {
	event := []byte("\n[Event \"")
	from := max(0, searched-len(event)-window) // what the bytes of a window say was not known
	for end := len(text); ; {
		at := bytes.LastIndex(text[from:end], event)
		if at < 0 {
			return 0
		}
		at += from
		before := bytes.TrimRight(text[:at], "\r\n \t")
		line := before[bytes.LastIndexByte(before, '\n')+1:]
		if endsGame(line) && !mayBeComment(text, at+1) {
			return at + 1
		}
		end = at + 1
	}
}

// mayBeComment reports whether the line at a place of text may be one of a comment: a brace is
// open there, and the next one closes it or is not known.
func mayBeComment(text []byte, at int) bool {
	open := bytes.LastIndexByte(text[:at], '{')
	if open < 0 || bytes.IndexByte(text[open:at], '}') >= 0 {
		return false
	}
	rest := text[at:min(len(text), at+window)]
	next := bytes.IndexAny(rest, "{}")
	return next < 0 && len(rest) < window || next >= 0 && rest[next] == '}'
}
