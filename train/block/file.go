package block

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tabula-chess/tabula/train/record"
)

// Entry is a block and where it lies in its file.
type Entry struct {
	Header
	Number int // among all blocks, damaged stretches counted as one
	Offset int64
}

// length returns the bytes of the block in its file.
func (e *Entry) length(plain bool) int64 {
	if plain {
		return int64(e.stored)
	}
	return int64(e.Stored())
}

// Damage is a part of a file that is no good block.
type Damage struct {
	Block  int // number of the block it is or comes before, from 0
	Offset int64
	Length int64
	Err    error
}

// Error returns "block N at byte OFFSET: reason".
func (d *Damage) Error() string {
	return fmt.Sprintf("block %d at byte %d: %v", d.Block, d.Offset, d.Err)
}

// Unwrap returns the reason.
func (d *Damage) Unwrap() error { return d.Err }

// File reads the blocks of a file, or the games of a plain file in pieces.
// Read may be called from several goroutines at once.
type File struct {
	Entries []Entry
	Damages []Damage // found by the headers alone; Read finds the others
	Plain   bool     // games without blocks and checksums
	r       io.ReaderAt
	size    int64
	closer  io.Closer
}

// Open opens a file and reads its headers. Damage is no error: it is in
// Damages.
func Open(name string) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	file, err := NewFile(f, info.Size())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	file.closer = f
	return file, nil
}

// NewFile reads the headers of size bytes behind r.
func NewFile(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size}
	var first record.Packed
	n, err := r.ReadAt(first[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	// A block is no position: its magic has more bits than a board has pieces.
	if n == len(first) && first.Check() == nil {
		f.Plain = true
		return f, f.scanPlain()
	}
	return f, f.scan()
}

// Close closes a file of [Open].
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Size returns the length of the file in bytes.
func (f *File) Size() int64 { return f.size }

// Games returns the number of games by the headers.
func (f *File) Games() (n int) {
	for i := range f.Entries {
		n += f.Entries[i].Games
	}
	return n
}

// Positions returns the number of positions by the headers.
func (f *File) Positions() (n int) {
	for i := range f.Entries {
		n += f.Entries[i].Positions
	}
	return n
}

// next returns the number of the next block.
func (f *File) next() int { return len(f.Entries) + len(f.Damages) }

// scan finds the blocks. After damage it looks for the next header.
func (f *File) scan() error {
	var head [headerSize]byte
	for at := int64(0); at < f.size; {
		n, err := f.r.ReadAt(head[:min(headerSize, f.size-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		h, err := parseHeader(head[:n])
		if err == nil && at+int64(h.Stored()) > f.size {
			err = ErrCut
		}
		if err == nil {
			f.Entries = append(f.Entries, Entry{h, f.next(), at})
			at += int64(h.Stored())
			continue
		}
		next, findErr := f.findHeader(at + 1)
		if findErr != nil {
			return findErr
		}
		f.Damages = append(f.Damages, Damage{Block: f.next(), Offset: at, Length: next - at, Err: err})
		at = next
	}
	return nil
}

// findHeader returns where the first good header at or after at lies, or the
// size of the file.
func (f *File) findHeader(at int64) (int64, error) {
	const window = 1 << 20
	buf := make([]byte, min(window, max(0, f.size-at)))
	for at < f.size {
		n, err := f.r.ReadAt(buf[:min(int64(len(buf)), f.size-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		part := buf[:n]
		for from := 0; ; {
			i := bytes.Index(part[from:], []byte(magic))
			if i < 0 {
				break
			}
			from += i
			var head [headerSize]byte
			got, _ := f.r.ReadAt(head[:], at+int64(from))
			if _, err := parseHeader(head[:got]); err == nil {
				return at + int64(from), nil
			}
			from++
		}
		if at+int64(n) >= f.size || n < headerSize {
			break
		}
		at += int64(n - len(magic) + 1) // a magic may straddle two windows
	}
	return f.size, nil
}

// scanPlain cuts a plain file into pieces of whole games.
func (f *File) scanPlain() error {
	buf := make([]byte, 0, 4*TargetSize)
	for at := int64(0); at < f.size; {
		want := min(int64(cap(buf)), f.size-at)
		n, err := f.r.ReadAt(buf[:want], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		h, length := count(buf[:n])
		if length == 0 {
			if n < int(f.size-at) && cap(buf) < maxPayload {
				buf = make([]byte, 0, 2*cap(buf)) // a game longer than the buffer
				continue
			}
			f.Damages = append(f.Damages, Damage{Block: f.next(), Offset: at, Length: f.size - at, Err: record.ErrTruncated})
			return nil
		}
		h.raw, h.stored = length, length
		f.Entries = append(f.Entries, Entry{h, f.next(), at})
		at += int64(length)
	}
	return nil
}

// Read reads the block of Entries[i] into b. Errors: a [*Damage] that names the block.
func (f *File) Read(i int, b *Block) error {
	e := &f.Entries[i]
	fail := func(err error) error {
		return &Damage{Block: e.Number, Offset: e.Offset, Length: e.length(f.Plain), Err: err}
	}
	b.Header = e.Header
	if cap(b.stored) < e.stored {
		b.stored = make([]byte, e.stored)
	}
	b.stored = b.stored[:e.stored]
	from := e.Offset
	if !f.Plain {
		from += headerSize
	}
	if n, err := f.r.ReadAt(b.stored, from); n < len(b.stored) {
		return fail(err)
	}
	if f.Plain {
		b.ids, b.games = nil, b.stored
		if h, n := count(b.games); n != len(b.games) || h.Games != e.Games {
			return fail(ErrContent)
		}
		return nil
	}
	if err := b.expand(); err != nil {
		return fail(err)
	}
	return nil
}
