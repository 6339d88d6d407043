package block

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/tabula-chess/tabula/internal/disk"
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

// File reads the blocks of a file and the games of its journal, or the games of
// a plain file in pieces. Read may be called from several goroutines at once.
type File struct {
	Entries []Entry  // the last of them the games of the journal, where Waiting is not 0
	Damages []Damage // found by the headers alone; Read finds the others
	Plain   bool     // games without blocks and checksums
	Waiting int      // games in the journal beside the file that are in no block of it
	Live    bool     // another process was adding games when the file was opened
	r       io.ReaderAt
	size    int64
	journal Packer // the games that wait
	closer  io.Closer
}

// Open opens a regular file and reads its headers and its journal. Damage is no
// error: it is in Damages. Of a file to which games are being added it gives
// those that are there at this moment.
func Open(name string) (*File, error) { return open(disk.OS(), name) }

// OpenWhole is Open for who cannot do with a file that is damaged: damage that
// the headers show is an error.
func OpenWhole(name string) (*File, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	if len(f.Damages) > 0 {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, &f.Damages[0])
	}
	return f, nil
}

func open(sys disk.System, name string) (*File, error) {
	target, err := sys.Target(name)
	if err != nil {
		return nil, err
	}
	// The journal first: what leaves it before it is read is in the file by then.
	journal, err := readJournal(sys, target)
	if err != nil {
		return nil, err
	}
	f, err := sys.Open(target)
	if err != nil {
		return nil, err
	}
	file, err := openWith(f, journal)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, nil
}

// openWith reads the headers of f and the bytes of its journal.
func openWith(f disk.File, journal []byte) (*File, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	file, err := NewFile(f, size)
	if err != nil {
		return nil, err
	}
	file.closer = f
	if file.Plain {
		return file, nil
	}
	if file.Live, err = f.Locked(); err != nil {
		file.Live = false // where nobody can ask nobody is known to write
	}
	file.dropUnfinished()
	return file, file.wait(journal)
}

// dropUnfinished forgets the block that is being written at the end of a live
// file. Its games are in the journal.
func (f *File) dropUnfinished() {
	n := len(f.Damages)
	if !f.Live || n == 0 {
		return
	}
	d := &f.Damages[n-1]
	if d.Offset+d.Length == f.size && (errors.Is(d.Err, ErrCut) || d.Length < headerSize) {
		f.size = d.Offset
		f.Damages = f.Damages[:n-1]
	}
}

// wait adds the games of a journal that are in no block as the last entry.
func (f *File) wait(journal []byte) error {
	began, games, _ := parseJournal(journal)
	games, err := f.missing(f.since(began), games)
	if err != nil || len(games) == 0 {
		return err
	}
	for _, g := range games {
		f.journal.Add(g.id, g.game)
	}
	f.Waiting = len(games)
	f.Entries = append(f.Entries, Entry{f.journal.header, f.next(), f.size})
	return nil
}

// NewFile reads the headers of size bytes behind r, which has no journal.
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

// Size returns the length of the file in bytes, without its journal.
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
			got, err := f.r.ReadAt(head[:], at+int64(from))
			if err != nil && !errors.Is(err, io.EOF) {
				return 0, err
			}
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

// Read reads the block of Entries[i] into b. Errors: a [*Damage] that names the
// block, or that of the file where it cannot be read.
func (f *File) Read(i int, b *Block) error {
	e := &f.Entries[i]
	b.Header = e.Header
	if f.Waiting > 0 && i == len(f.Entries)-1 {
		b.ids, b.games = f.journal.ids, f.journal.games
		return nil
	}
	fail := func(err error) error {
		return &Damage{Block: e.Number, Offset: e.Offset, Length: e.length(f.Plain), Err: err}
	}
	if cap(b.stored) < e.stored {
		b.stored = make([]byte, e.stored)
	}
	b.stored = b.stored[:e.stored]
	from := e.Offset
	if !f.Plain {
		from += headerSize
	}
	switch n, err := f.r.ReadAt(b.stored, from); {
	case n == len(b.stored):
	case errors.Is(err, io.EOF):
		return fail(ErrCut) // shorter than when it was opened
	default:
		return fmt.Errorf("block %d at byte %d: %w", e.Number, e.Offset, err)
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
