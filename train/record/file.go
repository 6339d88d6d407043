package record

import (
	"errors"
	"fmt"
	"io"

	"github.com/tabula-chess/tabula/internal/files"
)

// BlockInfo is a block of a file.
type BlockInfo struct {
	header
	Offset int64
}

// Damage is a block of a file that cannot be read.
type Damage struct {
	Block  int // from 0
	Offset int64
	Err    error
}

// Error returns "block N at byte OFFSET: reason".
func (d *Damage) Error() string {
	return fmt.Sprintf("block %d at byte %d: %v", d.Block, d.Offset, d.Err)
}

// Unwrap returns the reason.
func (d *Damage) Unwrap() error { return d.Err }

// GameFile reads the blocks of a file. Read is safe for concurrent use.
type GameFile struct {
	Entries []BlockInfo
	Damage  *Damage // ends the file before its last byte: a header that is none, or a block that is cut; nil for none
	Live    bool    // another process was adding games when the file was opened
	r       io.ReaderAt
	size    int64
	closer  io.Closer
}

// Open opens a regular file and reads its headers. It stores damage in Damage and returns no error for it. It
// skips a block that another process is writing.
func Open(name string) (*GameFile, error) {
	f, err := files.OS().Open(name)
	if err != nil {
		return nil, err
	}
	live, err := f.Locked()
	live = live && err == nil // after an error nothing is known about writers
	size, err := f.Size()
	var file *GameFile
	if err == nil {
		file, err = NewFile(f, size)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	file.closer, file.Live = f, live
	if live && file.Damage != nil {
		goes, err := goesOn(f, file.Damage.Offset, size)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if !goes {
			file.size, file.Damage = file.Damage.Offset, nil // a block that is being written
		}
	}
	return file, nil
}

// NewFile reads the headers of the size bytes of r.
func NewFile(r io.ReaderAt, size int64) (*GameFile, error) {
	f := &GameFile{r: r, size: size}
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
		if err != nil {
			f.Damage = &Damage{len(f.Entries), at, err}
			break
		}
		f.Entries = append(f.Entries, BlockInfo{h, at})
		at += h.length()
	}
	return f, nil
}

// Close closes the file.
func (f *GameFile) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Size returns the length of the file in bytes.
func (f *GameFile) Size() int64 { return f.size }

// Counts returns the counts of the whole file by its headers.
func (f *GameFile) Counts() (c Counts) {
	for i := range f.Entries {
		c.add(&f.Entries[i].Counts)
	}
	return c
}

// Read reads the block of Entries[i] into b. The error is a [*Damage] that names the block, or a read error of the
// file.
func (f *GameFile) Read(i int, b *Block) error {
	e := &f.Entries[i]
	fail := func(err error) error { return &Damage{i, e.Offset, err} }
	if cap(b.payload) < e.payload {
		b.payload = make([]byte, e.payload)
	}
	b.payload = b.payload[:e.payload]
	switch n, err := f.r.ReadAt(b.payload, e.Offset+headerSize); {
	case n == len(b.payload):
	case errors.Is(err, io.EOF):
		return fail(ErrCut) // the file was truncated after Open
	default:
		return fmt.Errorf("block %d at byte %d: %w", i, e.Offset, err)
	}
	if err := b.unpack(&e.header); err != nil {
		return fail(err)
	}
	return nil
}
