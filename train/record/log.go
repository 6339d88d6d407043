package record

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tabula-chess/tabula/internal/journal"
	"github.com/tabula-chess/tabula/internal/plural"
)

// Log appends blocks to a file. It is not safe for concurrent use.
type Log struct {
	Cut int64 // bytes of an unfinished block that were removed from the end

	file   *journal.RecordFile
	totals Counts
}

// OpenLog opens or creates a file for appending and removes an unfinished block from its end. It refuses a file
// with other content and, on most systems, a file that another process is writing.
func OpenLog(name string) (*Log, error) {
	f, err := journal.OpenFile(name)
	if err != nil {
		return nil, err
	}
	l := &Log{file: f}
	if err := l.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return l, nil
}

// open does the work of OpenLog on the open file.
func (l *Log) open() error {
	f, err := NewFile(l.file, l.file.Size())
	if err != nil {
		return err
	}
	if err := l.check(f); err != nil {
		return err
	}
	if err := l.cutTail(f); err != nil {
		return err
	}
	l.totals = f.Counts()
	return nil
}

// check refuses a file that no Log has begun, or whose blocks have another format.
func (l *Log) check(f *GameFile) error {
	if f.Damage != nil && errors.Is(f.Damage.Err, ErrFormat) {
		return f.Damage
	}
	if f.size == 0 || len(f.Entries) > 0 {
		return nil
	}
	head := make([]byte, min(f.size, int64(len(magic))))
	if _, err := l.file.ReadAt(head, 0); err != nil {
		return err
	}
	if !strings.HasPrefix(magic, string(head)) {
		return errors.New("the file exists and is not a game file; give another name")
	}
	return nil
}

// mostCut bounds a block, and so what a kill can leave of one.
const mostCut = blockSize

// cutTail cuts off what follows the last good block, if it can be a block that was not finished.
func (l *Log) cutTail(f *GameFile) error {
	var b Block
	end := int64(0)
	for n := len(f.Entries); n > 0; n-- {
		e := &f.Entries[n-1]
		err := f.Read(n-1, &b)
		if err == nil {
			end = e.Offset + e.length()
			break
		}
		if damage := (*Damage)(nil); !errors.As(err, &damage) {
			return err
		}
		f.Entries = f.Entries[:n-1]
	}
	l.Cut = f.size - end
	goes, err := goesOn(l.file, end, f.size)
	switch {
	case l.Cut == 0 || err != nil:
		return err
	case l.Cut > mostCut || goes:
		return fmt.Errorf("%s after the first %s cannot be read: %w; train merge copies what comes before to a file",
			plural.Of(l.Cut, "byte"), plural.Of(f.Counts().Games, "game"),
			cmp.Or(f.Damage, &Damage{len(f.Entries), end, ErrSum}))
	}
	return l.file.Cut(end)
}

// goesOn reports whether a block begins behind the one that begins at from, so that this is damaged and not unfinished.
func goesOn(r io.ReaderAt, from, size int64) (bool, error) {
	tail := make([]byte, min(size-from, mostCut))
	if _, err := r.ReadAt(tail, from); err != nil {
		return false, err
	}
	for at := 1; ; at++ {
		i := bytes.Index(tail[min(at, len(tail)):], []byte(magic))
		if i < 0 {
			return false, nil
		}
		at += i
		if _, err := parseHeader(tail[at:]); err == nil {
			return true, nil
		}
	}
}

// Counts returns the counts of the file.
func (l *Log) Counts() Counts { return l.totals }

// Append adds a block that [Packer.Append] made. It survives a power cut if Append returns nil. After an error a block
// that may not be whole has been taken back, and no more can be added.
func (l *Log) Append(block []byte) error {
	h, err := parseHeader(block)
	switch {
	case err != nil:
	case h.length() != int64(len(block)):
		err = ErrContent
	case len(block) > mostCut:
		err = fmt.Errorf("block of %d bytes: want at most %d", len(block), mostCut)
	}
	if err == nil {
		err = l.file.Append(block)
	}
	if err == nil {
		l.totals.add(&h.Counts)
	}
	return err
}

// IDs returns the IDs of the games in the file, in its order. It leaves out damaged blocks, which whoever reads the
// file reports.
func (l *Log) IDs() (all []ID, err error) {
	f, err := NewFile(l.file, l.file.Size())
	if err != nil {
		return nil, err
	}
	var b Block
	for i := range f.Entries {
		var damage *Damage
		if err := f.Read(i, &b); errors.As(err, &damage) {
			continue
		} else if err != nil {
			return nil, err
		}
		all = append(all, b.ids...)
	}
	return all, nil
}

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }
