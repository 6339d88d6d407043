package polyglot

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
)

// entrySize is the number of bytes of an entry.
const entrySize = 16

// BookEntry is an entry of a book.
type BookEntry struct {
	Key    uint64 // of the position
	Move   uint16 // see [DecodeMove]
	Weight uint16 // how often to play it, in relation to the position's other moves
	Learn  uint32 // of programs that learn; 0 in most books
}

// Book is an opening book. It reads entries from the file when they are needed, and is safe for
// concurrent use.
type Book struct {
	src    io.ReaderAt
	n      int
	closer io.Closer
}

// Open opens the book of a file. Errors: those of the system and of [NewBook].
func Open(name string) (*Book, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	b, err := NewBook(f, info.Size())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	b.closer = f
	return b, nil
}

// NewBook returns the book that src holds in its first size bytes. Errors: these are not whole entries.
func NewBook(src io.ReaderAt, size int64) (*Book, error) {
	if size < 0 || size%entrySize != 0 {
		return nil, fmt.Errorf("polyglot: %s no whole number of entries of %d", plural.Do(size, "byte", "is", "are"),
			entrySize)
	}
	return &Book{src: src, n: int(size / entrySize)}, nil
}

// Close closes the file of a book that Open has opened.
func (b *Book) Close() error {
	if b.closer == nil {
		return nil
	}
	return b.closer.Close()
}

// Len returns the number of entries.
func (b *Book) Len() int { return b.n }

// entry reads entry i.
func (b *Book) entry(i int) (BookEntry, error) {
	var raw [entrySize]byte
	if n, err := b.src.ReadAt(raw[:], int64(i)*entrySize); n < entrySize {
		return BookEntry{}, fmt.Errorf("polyglot: entry %d: %w", i, err)
	}
	return BookEntry{
		Key:    binary.BigEndian.Uint64(raw[:]),
		Move:   binary.BigEndian.Uint16(raw[8:]),
		Weight: binary.BigEndian.Uint16(raw[10:]),
		Learn:  binary.BigEndian.Uint32(raw[12:]),
	}, nil
}

// Find returns the entries of a key in the order of the book; none is no error.
// Errors: those of the file.
func (b *Book) Find(key uint64) ([]BookEntry, error) {
	var failed error
	at := sort.Search(b.n, func(i int) bool {
		e, err := b.entry(i)
		failed = cmp.Or(failed, err)
		return e.Key >= key
	})
	var found []BookEntry
	for ; at < b.n && failed == nil; at++ {
		e, err := b.entry(at)
		if failed = err; e.Key != key {
			break
		}
		found = append(found, e)
	}
	return found, failed
}

// WeightedMove is a move that a book knows.
type WeightedMove struct {
	Move   chess.Move // legal
	Weight uint16     // in relation to those of the position's other moves
	Learn  uint32
}

// Moves returns the legal moves of p in the book, those of the highest weight first. Errors: those of
// the file.
func (b *Book) Moves(p *chess.Position) ([]WeightedMove, error) {
	entries, err := b.Find(Key(p))
	if err != nil {
		return nil, err
	}
	var moves []WeightedMove
	for _, e := range entries {
		if m, err := DecodeMove(p, e.Move); err == nil { // else of another position with this key
			moves = append(moves, WeightedMove{m, e.Weight, e.Learn})
		}
	}
	slices.SortStableFunc(moves, func(a, b WeightedMove) int { return cmp.Compare(b.Weight, a.Weight) })
	return moves, nil
}

// Pick returns a random move of p, with probabilities in proportion to the weights. r is the source, nil
// for the default one. ok is false if the book has no move of p with a weight above 0. Errors: those of
// the file.
func (b *Book) Pick(p *chess.Position, r *rand.Rand) (m chess.Move, ok bool, err error) {
	moves, err := b.Moves(p)
	sum := 0
	for _, m := range moves {
		sum += int(m.Weight)
	}
	if err != nil || sum == 0 {
		return chess.NoMove, false, err
	}
	draw := rand.IntN
	if r != nil {
		draw = r.IntN
	}
	at := draw(sum)
	for _, m := range moves {
		if at -= int(m.Weight); at < 0 {
			return m.Move, true, nil
		}
	}
	panic("polyglot: weights that do not add up")
}
