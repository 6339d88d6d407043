package block

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tabula-chess/tabula/train/record"
)

// Log appends games to a file as they are played. A game that was added is
// never lost to a kill of the process: it is in the file's journal until its
// block is in the file. A Log is not safe for concurrent use.
type Log struct {
	Totals  Header // of the file and of the games added since the last block
	name    string
	file    *os.File
	end     int64 // length of the file
	journal *journal
	packer  Packer
	buf     []byte
}

// Recovery tells what [OpenLog] found to put right.
type Recovery struct {
	Cut       int64    // bytes of a damaged tail that were cut off
	Reason    error    // why
	Recovered int      // games taken from the journal of a run that was killed
	Damages   []Damage // in the middle of the file; left as they are
}

// OpenLog opens a file for appending, or makes one. It cuts off a damaged tail
// and takes over the games in the journal. It refuses a file that is not made
// of blocks, and on most systems one that another process has open as a Log.
func OpenLog(name string) (*Log, *Recovery, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, nil, err
	}
	l := &Log{name: name, file: f}
	recovery, err := l.open()
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, recovery, nil
}

// open does the work of OpenLog.
func (l *Log) open() (*Recovery, error) {
	if err := lock(l.file); err != nil {
		return nil, fmt.Errorf("in use by another process: %w", err)
	}
	info, err := l.file.Stat()
	if err != nil {
		return nil, err
	}
	f, err := NewFile(l.file, info.Size())
	if err != nil {
		return nil, err
	}
	if f.Plain {
		return nil, errors.New("is a plain file of games without blocks; give another name")
	}
	if err := l.ours(f); err != nil {
		return nil, err
	}
	r := &Recovery{}
	if err := l.cutTail(f, r); err != nil {
		return nil, err
	}
	for i := range f.Entries {
		l.count(&f.Entries[i].Header)
	}
	began, games, err := readJournal(l.name)
	if err != nil {
		return nil, err
	}
	present, err := idsFrom(f, began)
	if err != nil {
		return nil, err
	}
	if l.journal, err = openJournal(l.name); err != nil {
		return nil, err
	}
	for _, g := range games {
		if !present[g.id] {
			l.packer.Add(g.id, g.game)
			r.Recovered++
		}
	}
	l.count(&l.packer.header)
	return r, l.pack()
}

// ours refuses a file that no Log has begun.
func (l *Log) ours(f *File) error {
	if f.size == 0 || len(f.Entries) > 0 {
		return nil
	}
	head := make([]byte, min(f.size, int64(len(magic))))
	if _, err := l.file.ReadAt(head, 0); err != nil {
		return err
	}
	if !strings.HasPrefix(magic, string(head)) {
		return errors.New("exists and is no file of games; give another name")
	}
	return nil
}

// cutTail removes what follows the last good block.
func (l *Log) cutTail(f *File, r *Recovery) error {
	if n := len(f.Damages); n > 0 {
		r.Reason = &f.Damages[n-1]
	}
	var b Block
	for n := len(f.Entries); n > 0; n-- {
		e := &f.Entries[n-1]
		err := f.Read(n-1, &b)
		if err == nil {
			l.end = e.Offset + int64(e.Stored())
			break
		}
		var damage *Damage
		if !errors.As(err, &damage) {
			return err
		}
		if errors.Is(err, ErrVersion) {
			return err
		}
		r.Reason = damage
		f.Entries = f.Entries[:n-1]
	}
	for _, d := range f.Damages {
		if errors.Is(d.Err, ErrVersion) {
			return &d // not damage: nothing of it may be cut
		}
		if d.Offset < l.end {
			r.Damages = append(r.Damages, d)
		}
	}
	if r.Cut = f.size - l.end; r.Cut == 0 {
		r.Reason = nil
		return nil
	}
	return l.file.Truncate(l.end)
}

// idsFrom returns the origins of the games in the blocks at or after offset.
func idsFrom(f *File, offset int64) (map[ID]bool, error) {
	ids := map[ID]bool{}
	var b Block
	for i := range f.Entries {
		if f.Entries[i].Offset < offset {
			continue
		}
		var damage *Damage
		if err := f.Read(i, &b); errors.As(err, &damage) {
			continue // left for inspection to find
		} else if err != nil {
			return nil, err
		}
		for id := range b.Games() {
			ids[id] = true
		}
	}
	return ids, nil
}

// Numbers returns the numbers of the games of a run that the file holds.
func (l *Log) Numbers(run uint64) (map[uint32]bool, error) {
	if err := l.pack(); err != nil {
		return nil, err
	}
	f, err := NewFile(l.file, l.end)
	if err != nil {
		return nil, err
	}
	ids, err := idsFrom(f, 0)
	numbers := map[uint32]bool{}
	for id := range ids {
		if id.Run == run {
			numbers[id.Number] = true
		}
	}
	return numbers, err
}

// count adds a header to the totals.
func (l *Log) count(h *Header) {
	l.Totals.Games += h.Games
	l.Totals.Positions += h.Positions
	l.Totals.WhiteWins += h.WhiteWins
	l.Totals.BlackWins += h.BlackWins
}

// Add appends one game. When it returns without an error the game will be
// found by the next [OpenLog], however the process ends.
func (l *Log) Add(id ID, g record.View) error {
	if err := l.journal.add(id, g); err != nil {
		return err
	}
	before := l.packer.header
	l.packer.Add(id, g)
	now := &l.packer.header
	l.count(&Header{
		Games: now.Games - before.Games, Positions: now.Positions - before.Positions,
		WhiteWins: now.WhiteWins - before.WhiteWins, BlackWins: now.BlackWins - before.BlackWins,
	})
	if l.packer.Size() < TargetSize {
		return nil
	}
	return l.pack()
}

// pack writes the games of the journal as a block and restarts the journal.
func (l *Log) pack() (err error) {
	if l.packer.Games() > 0 {
		if l.buf, err = l.packer.Append(l.buf[:0]); err != nil {
			return err
		}
		if _, err := l.file.WriteAt(l.buf, l.end); err != nil {
			return err
		}
		if err := l.file.Sync(); err != nil {
			return err
		}
		l.end += int64(len(l.buf))
	}
	return l.journal.restart(l.end)
}

// Close writes the last block, removes the journal and closes the file.
func (l *Log) Close() error {
	err := l.pack()
	if err == nil {
		err = l.journal.remove()
	}
	if closeErr := l.file.Close(); err == nil {
		err = closeErr
	}
	return err
}
