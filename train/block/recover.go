package block

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tabula-chess/tabula/internal/disk"
	"github.com/tabula-chess/tabula/internal/replace"
)

// Recovery tells what [OpenLog] found to put right.
type Recovery struct {
	Cut         int64    // bytes of a damaged tail that were cut off
	Kept        string   // file that has them now
	Reason      error    // why they were cut off
	Recovered   int      // games taken from the journal of a run that was killed
	JournalCut  int64    // bytes of the journal that are no games
	JournalKept string   // file that has the journal as it was
	Damages     []Damage // in the middle of the file; left as they are
}

// open does the work of OpenLog.
func (l *Log) open() (*Recovery, error) {
	if err := l.claim(); err != nil {
		return nil, err
	}
	size, err := l.file.Size()
	if err != nil {
		return nil, err
	}
	f, err := NewFile(l.file, size)
	if err != nil {
		return nil, err
	}
	if f.Plain {
		return nil, errors.New("is a plain file of games without blocks; give another name")
	}
	if err := l.ours(f); err != nil {
		return nil, err
	}
	if err := replace.Clean(l.sys, l.name); err != nil {
		return nil, err
	}
	if l.journal, err = openJournal(l.sys, l.name); err != nil {
		return nil, err
	}
	r := &Recovery{}
	if err := l.cutTail(f, r); err != nil {
		return nil, err
	}
	for i := range f.Entries {
		l.Totals.add(&f.Entries[i].Header)
	}
	if err := l.takeOver(f, r); err != nil {
		return nil, err
	}
	l.Totals.add(&l.packer.header)
	if l.packer.Games() > 0 {
		return r, l.waiting(l.Flush())
	}
	return r, l.journal.restart(l.end)
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

// cutTail removes what follows the last good block. It is on the disk under
// another name before.
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
	tail := make([]byte, r.Cut)
	if n, err := l.file.ReadAt(tail, l.end); n < len(tail) {
		return fmt.Errorf("the damaged tail: %w", err)
	}
	var err error
	if r.Kept, err = keep(l.sys, l.name, tail); err != nil {
		return fmt.Errorf("keeping the damaged tail: %w", err)
	}
	return l.file.Truncate(l.end)
}

// takeOver puts the games of the journal that are in no block into the packer.
// A journal that is damaged is kept under another name as it was.
func (l *Log) takeOver(f *File, r *Recovery) error {
	data, err := readJournal(l.sys, l.name)
	if err != nil {
		return err
	}
	began, games, good := parseJournal(data)
	// A head alone that is torn, or space that was never written, held no games.
	if len(data) >= journalHead && len(bytes.Trim(data[good:], "\x00")) > 0 {
		r.JournalCut = int64(len(data) - good)
		if r.JournalKept, err = keep(l.sys, JournalName(l.name), data); err != nil {
			return fmt.Errorf("keeping the damaged journal: %w", err)
		}
	}
	began = f.since(began)
	if err := l.settle(began, len(games)); err != nil {
		return err
	}
	if games, err = f.missing(began, games); err != nil {
		return err
	}
	for _, g := range games {
		l.packer.Add(g.id, g.game)
	}
	r.Recovered = len(games)
	return nil
}

// settle writes the blocks from the place where a journal with games began once
// more: when the run before could not sync them, they may be in the memory of
// the system alone, which holds them for written.
func (l *Log) settle(began int64, games int) error {
	if games == 0 || began == 0 || began >= l.end {
		return nil
	}
	data := make([]byte, l.end-began)
	if n, err := l.file.ReadAt(data, began); n < len(data) {
		return err
	}
	if _, err := l.file.WriteAt(data, began); err != nil {
		return err
	}
	return l.file.Sync()
}

// since returns where the blocks begin that can hold games of a journal that
// began when the file had the given length: there, unless the file is not the
// one that the journal began with.
func (f *File) since(began int64) int64 {
	for i := range f.Entries {
		e := &f.Entries[i]
		if e.Offset+int64(e.Stored()) == began {
			return began
		}
	}
	return 0
}

// missing returns the games of a journal that are in no block at or after
// offset.
func (f *File) missing(offset int64, games []journalled) (rest []journalled, err error) {
	if len(games) == 0 {
		return nil, nil
	}
	present, err := f.ids(offset)
	for _, g := range games {
		if !present[g.id] {
			rest = append(rest, g)
		}
	}
	return rest, err
}

// ids returns the origins of the games in the blocks at or after offset.
func (f *File) ids(offset int64) (map[ID]bool, error) {
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
	if err := l.Flush(); err != nil {
		return nil, err
	}
	f, err := NewFile(l.file, l.end)
	if err != nil {
		return nil, err
	}
	ids, err := f.ids(0)
	numbers := map[uint32]bool{}
	for id := range ids {
		if id.Run == run {
			numbers[id.Number] = true
		}
	}
	return numbers, err
}

// keep writes data to a new file beside the named one and returns its name.
func keep(sys disk.System, name string, data []byte) (string, error) {
	for i := 1; ; i++ {
		kept := fmt.Sprintf("%s.cut-%d", name, i)
		f, err := sys.Create(kept, name)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.WriteAt(data, 0)
		if err == nil {
			err = f.Sync()
		}
		if err = errors.Join(err, f.Close()); err == nil {
			err = sys.SyncDir(kept)
		}
		if err != nil {
			return "", errors.Join(err, sys.Remove(kept))
		}
		return kept, nil
	}
}
