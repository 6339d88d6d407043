package pgn

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
	"slices"

	"github.com/tabula-chess/tabula/internal/parallel"
)

const (
	// partSize is about how many bytes are read at a time.
	partSize = 1 << 17
	// maxPart bounds how far is looked for the end of a part. In a file where no game begins
	// with an Event tag or none ends in a result there is none, and the rest is read in one go.
	maxPart = 2 * MaxGameSize
	// underWay bounds the text of the parts that are being read or whose games wait for
	// their turn. A hostile text takes 100 times as much as games.
	underWay = 20 * partSize
)

// Parallel yields the same games and errors as Reader.Games, in the same order, and reads them on about
// that many threads; below 1, on as many as there are processors. It holds a bounded part of the
// input. If the loop ends early, src may have been read further; nothing reads it any more.
//
// The input is cut where a line begins with an Event tag, with which nearly all programs begin a game, behind one that
// ends in a result.
func Parallel(src io.Reader, workers int) iter.Seq2[*Game, error] {
	return Map(src, workers, func(g *Game) *Game { return g })
}

// Map is [Parallel] for what f makes of the games; f is called on several threads. The Warning
// of a game has its number once Map yields.
func Map[T any](src io.Reader, workers int, f func(*Game) T) iter.Seq2[T, error] {
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	type part struct {
		piece
		give  func() // gives its text back to the budget
		games []read[T]
	}
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		budget := parallel.NewBudget(underWay)
		before := 0 // games of earlier parts
		_ = parallel.InOrder(ctx, workers, func(yield func(part) bool) {
			for p := range pieces(src) {
				give, ok := budget.Take(ctx.Done(), p.size)
				if !ok || !yield(part{piece: p, give: give}) {
					return
				}
			}
		}, func(p part) part {
			if p.size <= underWay { // or its games are read when it is their turn
				p.games = slices.Collect(readPiece(p.piece, f))
			}
			return p
		}, func(p part) error {
			games := slices.Values(p.games)
			if p.size > underWay {
				games = readPiece(p.piece, f)
			}
			ended := false
			defer func() {
				if p.give(); !ended {
					cancel() // so that no further part is waited for
				}
			}()
			n := 0
			for one := range games {
				n++
				bad, isBad := errors.AsType[*Error](one.err)
				if isBad {
					bad.Game += before
				}
				if one.warning != nil {
					one.warning.Game += before
				}
				if !yield(one.value, one.err) || one.err != nil && !isBad {
					return context.Canceled
				}
			}
			before += n
			ended = true
			return nil
		})
	}
}

// piece is a piece of the input that holds whole games.
type piece struct {
	lines int // of the input before it
	bytes int // likewise
	src   io.Reader
	size  int // bytes; more than may be under way where it is not known
}

// read is what was read of a game.
type read[T any] struct {
	value   T
	err     error
	warning *Error // of the game
}

// readPiece iterates over the games of a piece, numbered from 1.
func readPiece[T any](p piece, f func(*Game) T) iter.Seq[read[T]] {
	return func(yield func(read[T]) bool) {
		r := NewReader(p.src)
		r.in.line, r.in.passed = r.in.line+p.lines, p.bytes
		for g, err := range r.Games() {
			one := read[T]{err: err}
			if err == nil {
				one.value, one.warning = f(g), g.Warning
			}
			if !yield(one) {
				return
			}
		}
	}
}

// pieces cuts the input into pieces of about partSize. An error of src is the last error of the
// last one. Where a file has no place to be cut, that is all the rest of src.
func pieces(src io.Reader) iter.Seq[piece] {
	ends := &lineEnds{src: src}
	src = bufio.NewReaderSize(ends, bufferSize)
	return func(yield func(piece) bool) {
		lines, passed := 0, 0
		var buf []byte
		for {
			searched := len(buf)
			more := max(partSize, searched/4)
			buf = slices.Grow(buf, more)
			n, err := io.ReadFull(src, buf[searched:][:more])
			if buf = buf[:searched+n]; err != nil {
				err = ends.err // that of ReadFull may be io.ErrUnexpectedEOF, as may that of a decoder
			}
			at := lastGame(buf, searched)
			switch {
			case err != nil:
				yield(piece{lines, passed, io.MultiReader(bytes.NewReader(buf), failing{err}), len(buf)})
				return
			case at == 0 && len(buf) >= maxPart:
				yield(piece{lines, passed, io.MultiReader(bytes.NewReader(buf), src), underWay + 1})
				return
			case at == 0:
				continue
			}
			if !yield(piece{lines, passed, bytes.NewReader(buf[:at:at]), at}) {
				return
			}
			lines += bytes.Count(buf[:at], []byte{'\n'})
			passed += at
			buf = bytes.Clone(buf[at:])
		}
	}
}

// failing is a source that has failed.
type failing struct{ err error }

// Read returns the error.
func (f failing) Read([]byte) (int, error) { return 0, f.err }

// endsGame reports whether a line in front of an Event tag ends a game for certain: its last word is a result, and
// neither a tag nor a comment can go on up to there, but for one in braces.
func endsGame(line []byte) bool {
	switch word := line[bytes.LastIndexAny(line, " \t")+1:]; string(word) {
	case "1-0", "0-1", "1/2-1/2":
	default:
		if !bytes.HasSuffix(word, []byte{'*'}) {
			return false
		}
	}
	if start := bytes.TrimLeft(line, " \t"); start[0] == '*' && len(start) > 1 { // "* * *"
		return false
	}
	for {
		i := bytes.IndexAny(line, "[%;")
		if i < 0 {
			return true
		}
		end := bytes.IndexByte(line[i:], ']')
		if end < 0 || end > 100 || !bytes.HasPrefix(line[i:], []byte("[%")) { // a clock, for example
			return false
		}
		line = line[i+end:]
	}
}

// lastGame returns where the last game of text begins for certain, without all that comes before: as a Reader has it
// in beginsGame, but only a line with an Event tag behind one with a result, where no brace is open. 0
// tells that none does; of the first bytes, searched, that is known.
func lastGame(text []byte, searched int) int {
	event := []byte("\n" + eventTag)
	from := max(0, searched-len(event))
	for end := len(text); ; {
		at := bytes.LastIndex(text[from:end], event)
		if at < 0 {
			return 0
		}
		at += from
		before := bytes.TrimRight(text[:at], "\r\n \t")
		line := before[bytes.LastIndexByte(before, '\n')+1:]
		if end = at + 1; endsGame(line) {
			open := bytes.LastIndexByte(before, '{')
			if open < 0 || bytes.IndexByte(before[open:], '}') >= 0 {
				return at + 1
			}
			end = max(from, open) // a brace that is not closed is looked at once, not from each game behind it
		}
	}
}
