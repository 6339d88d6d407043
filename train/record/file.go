package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/tabula-chess/tabula/internal/files"
)

// Entry is a block of a file.
type Entry struct {
	header
	Number int // among all blocks; damaged bytes between two of them count as one
	Offset int64
}

// Damage is a part of a file that is not a valid block.
type Damage struct {
	Block          int // number of the damaged block or of the block after it, from 0
	Offset, Length int64
	Err            error
}

// Error returns "block N at byte OFFSET: reason".
func (d *Damage) Error() string {
	return fmt.Sprintf("block %d at byte %d: %v", d.Block, d.Offset, d.Err)
}

// Unwrap returns the reason.
func (d *Damage) Unwrap() error { return d.Err }

// File reads the blocks of a file. Read is safe for concurrent use.
type File struct {
	Entries []Entry
	Damages []Damage // found by the headers alone; Read finds the others
	Live    bool     // another process was adding games when the file was opened
	r       io.ReaderAt
	size    int64
	closer  io.Closer
}

// Open opens a regular file and reads its headers. It stores damage in Damages and returns no error for it. It
// skips a block that another process is writing.
func Open(name string) (*File, error) {
	f, err := files.OS().Open(name)
	if err != nil {
		return nil, err
	}
	live, err := f.Locked()
	live = live && err == nil // after an error nothing is known about writers
	size, err := f.Size()
	var file *File
	if err == nil {
		file, err = NewFile(f, size)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	file.closer, file.Live = f, live
	if n := len(file.Damages) - 1; live && n >= 0 && file.Damages[n].Offset+file.Damages[n].Length == size {
		file.size = file.Damages[n].Offset // a block that is being written
		file.Damages = file.Damages[:n]
	}
	return file, nil
}

// OpenWhole is [Open] for callers that need the whole file: it returns an error for damage in the headers.
func OpenWhole(name string) (*File, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	if len(f.Damages) > 0 {
		f.Close()
		return nil, fmt.Errorf("%s: %w; train merge copies the undamaged rest into another file", name, &f.Damages[0])
	}
	return f, nil
}

// NewFile reads the headers of the size bytes of r.
func NewFile(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size}
	var head [headerSize]byte
	for at := int64(0); at < size; {
		n, err := r.ReadAt(head[:min(headerSize, size-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		h, err := parseHeader(head[:n])
		if err == nil && at+h.length() > size {
			err = ErrCut
		}
		if err == nil {
			f.Entries = append(f.Entries, Entry{h, f.next(), at})
			at += h.length()
			continue
		}
		next, findErr := f.findHeader(at + 1)
		if findErr != nil {
			return nil, findErr
		}
		f.Damages = append(f.Damages, Damage{Block: f.next(), Offset: at, Length: next - at, Err: err})
		at = next
	}
	return f, nil
}

// Close closes the file.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Size returns the length of the file in bytes.
func (f *File) Size() int64 { return f.size }

// Counts returns the counts of the whole file by its headers.
func (f *File) Counts() (c Counts) {
	for i := range f.Entries {
		c.add(&f.Entries[i].Counts)
	}
	return c
}

// next returns the number of the next block.
func (f *File) next() int { return len(f.Entries) + len(f.Damages) }

// findHeader returns the offset of the first good header at or after at, or the
// size of the file.
func (f *File) findHeader(at int64) (int64, error) {
	buf := make([]byte, min(1<<20, max(0, f.size-at)))
	for at < f.size {
		n, err := f.r.ReadAt(buf[:min(int64(len(buf)), f.size-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		for from := 0; ; from++ {
			i := bytes.Index(buf[from:n], []byte(magic))
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
		}
		if at+int64(n) >= f.size || n < headerSize {
			break
		}
		at += int64(n - len(magic) + 1) // a magic may straddle two parts
	}
	return f.size, nil
}

// Read reads the block of Entries[i] into b. The error is a [*Damage] that names the block, or a read error of the
// file.
func (f *File) Read(i int, b *Block) error {
	e := &f.Entries[i]
	fail := func(err error) error {
		return &Damage{Block: e.Number, Offset: e.Offset, Length: e.length(), Err: err}
	}
	if cap(b.payload) < e.payload {
		b.payload = make([]byte, e.payload)
	}
	b.payload = b.payload[:e.payload]
	switch n, err := f.r.ReadAt(b.payload, e.Offset+headerSize); {
	case n == len(b.payload):
	case errors.Is(err, io.EOF):
		return fail(ErrCut) // the file was truncated after Open
	default:
		return fmt.Errorf("block %d at byte %d: %w", e.Number, e.Offset, err)
	}
	if err := b.unpack(&e.header); err != nil {
		return fail(err)
	}
	return nil
}
