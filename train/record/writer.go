package record

import (
	"context"
	"fmt"
	"runtime"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/files"
)

// FileWriter writes a new file, which appears only when it is complete.
type FileWriter struct {
	Counts Counts // of the blocks written
	file   *files.Pending
	packer Packer
	buf    []byte
}

// Create starts a file that [FileWriter.Commit] renames to name. It refuses a device, a pipe, and a file that another
// process is writing.
func Create(name string) (*FileWriter, error) {
	p, err := files.Begin(name)
	return &FileWriter{file: p}, err
}

// Add appends one game, which must not be changed afterwards.
func (w *FileWriter) Add(id ID, g *ScoredGame) error {
	w.packer.Add(id, g)
	if !w.packer.full() {
		return nil
	}
	return w.flush()
}

// flush writes a block.
func (w *FileWriter) flush() (err error) {
	if w.buf, err = w.packer.Append(w.buf[:0]); err != nil {
		return err
	}
	w.Counts.add(&w.packer.Counts)
	w.packer.Reset()
	_, err = w.file.Write(w.buf)
	return err
}

// Commit writes the last block and gives the file its name.
func (w *FileWriter) Commit() error {
	defer w.Abort()
	if w.packer.Games > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	return w.file.Commit()
}

// Abort removes the unfinished file. After Commit it does nothing.
func (w *FileWriter) Abort() { w.file.Abort() }

// Merged says what became of the games of a [Merge].
type Merged struct {
	Written  Counts
	Repeated int // games with an earlier ID, left out
	Illegal  int // games with an illegal start position or move, left out
	Damaged  int // blocks and ends of files that could not be read
}

// Merge writes the games of the named files in order to out, without those that repeat an earlier ID or break the
// rules of chess. It calls report with each damaged block and illegal game, and stops if that returns an error. If ctx
// ends first, or there are no games, Merge writes nothing.
func Merge(ctx context.Context, names []string, out string, report func(name string, err error) error) (Merged, error) {
	var m Merged
	w, err := Create(out)
	if err != nil {
		return m, err
	}
	defer w.Abort()
	seen, some := map[ID]bool{}, false
	for _, name := range names {
		err := Map(ctx, []string{name}, runtime.GOMAXPROCS(0), func(name string, d *Damage) error {
			m.Damaged++
			return report(name, d)
		}, checked, func(games []checkedGame) error {
			for _, g := range games {
				switch {
				case g.err != nil:
					m.Illegal++
					if err := report(name, fmt.Errorf("game %d of run %d: %w", g.id.Number, g.id.Run, g.err)); err != nil {
						return err
					}
					continue
				case g.id != (ID{}) && seen[g.id]:
					m.Repeated++
					continue
				}
				seen[g.id], some = true, true
				if err := w.Add(g.id, g.game); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return m, err
		}
	}
	if !some {
		return m, nil
	}
	err = w.Commit()
	m.Written = w.Counts
	return m, err
}

// checkedGame is a game with the error of its [ScoredGame.Verify].
type checkedGame struct {
	id   ID
	game *ScoredGame
	err  error
}

// checked returns the games of a block with what is wrong with them.
func checked(b *Block) (games []checkedGame, _ error) {
	p := new(chess.Position)
	for id, g := range b.Games() {
		games = append(games, checkedGame{id, g, g.Verify(p, nil)})
	}
	return games, nil
}
