package record

import (
	"context"
	"runtime"

	"github.com/tabula-chess/tabula/internal/files"
)

// Writer writes a new file, which appears only when it is complete.
type Writer struct {
	Counts Counts // of the blocks written
	file   *files.Pending
	packer Packer
	buf    []byte
}

// Create starts a file that [Writer.Commit] renames to name. It refuses a device, a pipe, and a file that another
// process is writing.
func Create(name string) (*Writer, error) {
	p, err := files.Begin(name)
	return &Writer{file: p}, err
}

// Add appends one game, which must not be changed afterwards.
func (w *Writer) Add(id ID, g *Game) error {
	w.packer.Add(id, g)
	if !w.packer.full() {
		return nil
	}
	return w.flush()
}

// flush writes a block.
func (w *Writer) flush() (err error) {
	if w.buf, err = w.packer.Append(w.buf[:0]); err != nil {
		return err
	}
	w.Counts.add(&w.packer.Counts)
	w.packer.Reset()
	_, err = w.file.Write(w.buf)
	return err
}

// Commit writes the last block and gives the file its name.
func (w *Writer) Commit() error {
	defer w.Abort()
	if w.packer.Games > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	return w.file.Commit()
}

// Abort removes the unfinished file. After Commit it does nothing.
func (w *Writer) Abort() { w.file.Abort() }

// Merge writes the games of the named files in order to out and skips those with an earlier ID; repeated is their
// number. damaged is as for [Map]. If ctx ends first, Merge writes nothing.
func Merge(
	ctx context.Context, names []string, out string, damaged func(string, *Damage) error,
) (written Counts, repeated int, err error) {
	w, err := Create(out)
	if err != nil {
		return written, 0, err
	}
	defer w.Abort()
	seen := map[ID]bool{}
	err = Map(ctx, names, runtime.GOMAXPROCS(0), damaged, same, func(b *Block) error {
		for id, g := range b.Games() {
			if id != (ID{}) {
				if seen[id] {
					repeated++
					continue
				}
				seen[id] = true
			}
			if err := w.Add(id, g); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = w.Commit()
	}
	return w.Counts, repeated, err
}
