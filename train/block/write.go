package block

import (
	"os"
	"path/filepath"

	"github.com/tabula-chess/tabula/train/record"
)

// Writer writes a new file of blocks: whole, or not at all.
type Writer struct {
	Totals Header
	name   string
	temp   *os.File
	done   bool
	packer Packer
	buf    []byte
}

// Create begins a file that [Writer.Commit] puts in place of name.
func Create(name string) (*Writer, error) {
	temp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return nil, err
	}
	return &Writer{name: name, temp: temp}, nil
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
	h := &w.packer.header
	w.Totals.Games += h.Games
	w.Totals.Positions += h.Positions
	w.Totals.WhiteWins += h.WhiteWins
	w.Totals.BlackWins += h.BlackWins
	if w.buf, err = w.packer.Append(w.buf[:0]); err != nil {
		return err
	}
	_, err = w.temp.Write(w.buf)
	return err
}

// Commit writes what is left and gives the file its name.
func (w *Writer) Commit() error {
	if w.packer.Games() > 0 {
		if err := w.pack(); err != nil {
			return err
		}
	}
	if err := w.temp.Sync(); err != nil {
		return err
	}
	if err := w.temp.Chmod(0o644); err != nil {
		return err
	}
	if err := w.temp.Close(); err != nil {
		return err
	}
	if err := os.Rename(w.temp.Name(), w.name); err != nil {
		return err
	}
	w.done = true
	return nil
}

// Abort removes the unfinished file. After Commit it does nothing.
func (w *Writer) Abort() {
	if !w.done {
		w.temp.Close()
		os.Remove(w.temp.Name())
	}
}
