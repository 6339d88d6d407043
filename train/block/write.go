package block

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/tabula-chess/tabula/internal/disk"
	"github.com/tabula-chess/tabula/internal/replace"
	"github.com/tabula-chess/tabula/train/record"
)

// Writer writes a new file of blocks: whole, or not at all.
type Writer struct {
	Totals  Header
	sys     disk.System
	file    *replace.Pending
	journal disk.File // of the file that is replaced, locked; nil for none
	packer  Packer
	buf     []byte
}

// Create begins a file that [Writer.Commit] puts in place of name, together with
// its journal. It refuses a name that is a device's or a pipe's, and a file that
// another process writes.
func Create(name string) (*Writer, error) { return create(disk.OS(), name) }

func create(sys disk.System, name string) (*Writer, error) {
	p, err := replace.Begin(sys, name)
	if err != nil {
		return nil, err
	}
	w := &Writer{sys: sys, file: p}
	if err := w.claimJournal(); err != nil {
		p.Abort()
		return nil, err
	}
	return w, nil
}

// Pack sets the form of the blocks to come, [Exact] otherwise.
func (w *Writer) Pack(f Form) { w.packer.Form = f }

// Scratch begins a file beside the named one that never gets a name of its own:
// [Writer.Seal] reads it and [Writer.Abort] removes it. Its form is [Fast].
func Scratch(name string) (*Writer, error) {
	p, err := replace.Scratch(disk.OS(), name)
	if err != nil {
		return nil, err
	}
	return &Writer{sys: disk.OS(), file: p, packer: Packer{Form: Fast}}, nil
}

// claimJournal locks the journal of the file that is to be replaced.
func (w *Writer) claimJournal() error {
	f, err := w.sys.Open(JournalName(w.file.Target()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := f.Lock(); err != nil {
		f.Close()
		return fmt.Errorf("cannot be replaced: the journal: %w", err)
	}
	w.journal = f
	return nil
}

// Add appends one game.
func (w *Writer) Add(id ID, g record.View) error {
	w.packer.Add(id, g)
	if w.packer.Size() < TargetSize {
		return nil
	}
	return w.pack()
}

// pack writes a block.
func (w *Writer) pack() (err error) {
	w.Totals.add(&w.packer.header)
	if w.buf, err = w.packer.Append(w.buf[:0]); err != nil {
		return err
	}
	_, err = w.file.Write(w.buf)
	return err
}

// finish writes what is left.
func (w *Writer) finish() error {
	if w.packer.Games() == 0 {
		return nil
	}
	return w.pack()
}

// Commit writes what is left and gives the file its name.
func (w *Writer) Commit() error {
	defer w.Abort()
	if err := w.finish(); err != nil {
		return err
	}
	if err := w.file.Commit(); err != nil {
		return err
	}
	if w.journal == nil {
		return nil
	}
	// It belonged to the file that is no more. Were it to stay, its games would
	// be found by their IDs, or added.
	return w.sys.Remove(w.journal.Name())
}

// Seal writes what is left and returns what was written, which can be read until
// [Writer.Abort]. Nothing can be added any more.
func (w *Writer) Seal() (*File, error) {
	if err := w.finish(); err != nil {
		return nil, err
	}
	return NewFile(w.file, w.file.Size())
}

// Abort removes the unfinished file. After Commit it does nothing.
func (w *Writer) Abort() {
	w.file.Abort()
	if w.journal != nil {
		w.journal.Close()
		w.journal = nil
	}
}
