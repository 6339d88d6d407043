package block

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"

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
// A block goes into the file before the journal starts anew, so a game is
// always in one of them, after an untimely kill in both; its ID tells.
const (
	journalMagic = "\xfftabjnl\xff"
	journalHead  = 8 + 8 + 4
	entryHead    = 4 + 4 + idSize
)

// JournalName returns the name of the journal of a file of blocks.
func JournalName(name string) string { return name + ".journal" }

// journal is an open journal.
type journal struct {
	file *os.File
	end  int64 // where the next entry goes
	buf  []byte
}

// journalled is a game found in a journal.
type journalled struct {
	id   ID
	game record.View
}

// readJournal returns where the file of blocks ended when the journal of name
// began, and its games up to the first damage. Without a journal there are
// none.
func readJournal(name string) (end int64, games []journalled, err error) {
	data, err := os.ReadFile(JournalName(name))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	end, games = parseJournal(data)
	return end, games, nil
}

// parseJournal reads the bytes of a journal.
func parseJournal(data []byte) (end int64, games []journalled) {
	if len(data) < journalHead || string(data[:8]) != journalMagic ||
		sum(data[:16]) != binary.LittleEndian.Uint32(data[16:]) {
		return 0, nil
	}
	end = int64(binary.LittleEndian.Uint64(data[8:]))
	for rest := data[journalHead:]; len(rest) >= entryHead; {
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
	return end, games
}

// openJournal opens the journal of name for writing, or makes one.
func openJournal(name string) (*journal, error) {
	f, err := os.OpenFile(JournalName(name), os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &journal{file: f}, nil
}

// restart empties the journal of a file that is now end bytes long.
func (j *journal) restart(end int64) error {
	if err := j.file.Truncate(0); err != nil {
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
	n, err := j.file.WriteAt(j.buf, j.end)
	if err == nil {
		j.end += int64(n)
	}
	return err
}

// add appends one game in one write.
func (j *journal) add(id ID, g record.View) error {
	b := binary.LittleEndian.AppendUint32(j.buf[:0], uint32(len(g)))
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, id.Run)
	b = binary.LittleEndian.AppendUint32(b, id.Number)
	b = binary.LittleEndian.AppendUint32(b, id.Nodes)
	b = append(b, g...)
	binary.LittleEndian.PutUint32(b[4:], sum(b[8:]))
	j.buf = b
	return j.write()
}

// remove ends the journal.
func (j *journal) remove() error {
	name := j.file.Name()
	if err := j.file.Close(); err != nil {
		return err
	}
	return os.Remove(name)
}
