package block

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"

	"github.com/tabula-chess/tabula/internal/disk"
	"github.com/tabula-chess/tabula/train/record"
)

// The journal holds the games that are not yet in a block of the file beside
// it:
//
//	journal = magic "\xfftabjnl\xff" (8 bytes), length of the file of blocks
//	          when the journal began (8 bytes), CRC-32C of both (4 bytes), entry*
//	entry   = length of the game (4 bytes), CRC-32C of ID and game (4 bytes),
//	          ID (16 bytes), game
//
// A block is on the disk before the journal starts anew, so a game is always in
// one of them, after an untimely kill in both; its ID tells.
const (
	journalMagic = "\xfftabjnl\xff"
	journalHead  = 8 + 8 + 4
	entryHead    = 4 + 4 + idSize
)

// JournalName returns the name of the journal of a file of blocks.
func JournalName(name string) string { return name + ".journal" }

// journal is an open journal, which its Log alone may write.
type journal struct {
	sys   disk.System
	file  disk.File
	end   int64 // where the next entry goes
	dirty bool  // something was written since the last sync
	buf   []byte
}

// journalled is a game found in a journal.
type journalled struct {
	id   ID
	game record.View
}

// parseJournal reads the bytes of a journal: where the file of blocks ended when
// it began, its games up to the first damage, and the bytes that hold them.
func parseJournal(data []byte) (end int64, games []journalled, good int) {
	if len(data) < journalHead || string(data[:8]) != journalMagic ||
		sum(data[:16]) != binary.LittleEndian.Uint32(data[16:]) {
		return 0, nil, 0
	}
	end = int64(binary.LittleEndian.Uint64(data[8:]))
	rest := data[journalHead:]
	for len(rest) >= entryHead {
		size := int64(binary.LittleEndian.Uint32(rest))
		if size > int64(len(rest)-entryHead) {
			break
		}
		entry := rest[:entryHead+int(size)]
		if sum(entry[8:]) != binary.LittleEndian.Uint32(rest[4:]) {
			break
		}
		g, more, err := record.Next(entry[entryHead:])
		if err != nil || len(more) > 0 {
			break
		}
		b := Block{ids: entry[8:entryHead]}
		games = append(games, journalled{b.id(0), g})
		rest = rest[len(entry):]
	}
	return end, games, len(data) - len(rest)
}

// readJournal returns the bytes of the journal of the named file, none where
// there is no journal.
func readJournal(sys disk.System, name string) ([]byte, error) {
	data, err := disk.ReadAll(sys, JournalName(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// openJournal opens the journal of the named file for writing, or makes one, and
// claims it.
func openJournal(sys disk.System, name string) (*journal, error) {
	f, err := sys.Update(JournalName(name))
	if err != nil {
		return nil, err
	}
	if err := f.Lock(); err != nil {
		f.Close()
		return nil, fmt.Errorf("the journal: %w", err)
	}
	if err := sys.SyncDir(name); err != nil {
		f.Close()
		return nil, err
	}
	return &journal{sys: sys, file: f}, nil
}

// restart empties the journal of a file that is now end bytes long. The old
// entries are off the disk before there is a new head, which is not theirs.
func (j *journal) restart(end int64) error {
	if err := j.file.Truncate(0); err != nil {
		return err
	}
	if err := j.file.Sync(); err != nil {
		return err
	}
	b := append(j.buf[:0], journalMagic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(end))
	b = binary.LittleEndian.AppendUint32(b, sum(b))
	j.buf, j.end = b, 0
	return j.write()
}

// write writes buf as one piece.
func (j *journal) write() error {
	j.dirty = true
	n, err := j.file.WriteAt(j.buf, j.end)
	if err != nil {
		// What is there of it is no entry. If it stays the next run keeps it apart.
		return errors.Join(err, j.file.Truncate(j.end))
	}
	j.end += int64(n)
	return nil
}

// add appends one game in one write.
func (j *journal) add(id ID, g record.View) error {
	b := binary.LittleEndian.AppendUint32(j.buf[:0], uint32(len(g)))
	b = append(b, 0, 0, 0, 0)
	b = id.append(b)
	b = append(b, g...)
	binary.LittleEndian.PutUint32(b[4:], sum(b[8:]))
	j.buf = b
	return j.write()
}

// sync puts what was added onto the disk.
func (j *journal) sync() error {
	if !j.dirty {
		return nil
	}
	err := j.file.Sync()
	if err == nil {
		j.dirty = false
	}
	return err
}

// close closes the journal, and removes it where its games are elsewhere and
// its name was not given to another file.
func (j *journal) close(remove bool) error {
	name := j.file.Name()
	same, err := j.sys.Same(j.file, name)
	err = errors.Join(err, j.file.Close()) // first: some systems remove no open file
	if err == nil && remove && same {
		err = j.sys.Remove(name)
	}
	return err
}
