// Package journal stores the finished work of a program, so that the next run can continue after a
// kill, a full disk or a power cut.
//
// A journal is a text file that only grows. Its first line is [Magic]; every other line is a
// record: the CRC-32C of the text that follows, in eight hexadecimal digits, a blank, and that
// text, JSON. The text of a record holds no line end, so that damage costs the lines it touches
// and nothing else. What stands behind the last line end was being written when the program
// ended; [Open] cuts it off.
//
// Whole files are replaced with package files instead.
package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"sync"

	"github.com/tabula-chess/tabula/internal/files"
)

// Magic is the first line of a journal.
const Magic = "Tabula journal 1\n"

// Journal is an open journal. Several goroutines may use it.
type Journal struct {
	Cut     int64    // bytes of an unfinished record that Open cut off
	Damages []Damage // lines that are no records; they stay in the file

	mu   sync.Mutex
	file *RecordFile
}

// Location says where a record stands in the file.
type Location struct {
	offset int64
	size   int
}

// Damage is a damaged part of the file.
type Damage struct{ Offset, Length int64 }

// String returns "damaged from byte A to B".
func (d Damage) String() string {
	return fmt.Sprintf("damaged from byte %d to %d", d.Offset, d.Offset+d.Length)
}

// Open opens the journal with the given name, or begins one, locks it until [Journal.Close], and
// calls each with every record and its place, in order. Symbolic links are followed. The text is
// valid until each returns. Errors: those of each, [files.ErrInUse] where another process has the
// journal, a file that is no journal.
func Open(name string, each func(at Location, text []byte) error) (*Journal, error) {
	return open(files.OS(), name, each)
}

func open(sys files.System, name string, each func(Location, []byte) error) (*Journal, error) {
	f, err := openFile(sys, name)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: f}
	if err := j.load(each); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return j, nil
}

// load reads the journal, or begins it.
func (j *Journal) load(each func(Location, []byte) error) error {
	r := bufio.NewReader(io.NewSectionReader(j.file, 0, j.file.Size()))
	at, records, headed := int64(0), 0, false
	for {
		line, err := r.ReadBytes('\n')
		length := int64(len(line))
		if err == io.EOF {
			if at == 0 && strings.HasPrefix(Magic, string(bytes.TrimRight(line, "\x00"))) {
				return errors.Join(j.file.Cut(0), j.file.Append([]byte(Magic)))
			}
			break
		} else if err != nil {
			return err
		}
		place := Location{at, int(length)}
		at += length
		if place.offset == 0 && string(line) == Magic {
			headed = true
		} else if text, ok := parse(line); ok {
			records++
			if err := each(place, text); err != nil {
				return fmt.Errorf("record %d: %w", records, err)
			}
		} else {
			j.damaged(place.offset, length)
		}
	}
	if !headed && records == 0 {
		return errors.New("exists and is not a journal; give another name")
	}
	if j.Cut = j.file.Size() - at; j.Cut > 0 {
		return j.file.Cut(at)
	}
	return nil
}

// damaged notes a line that is no record.
func (j *Journal) damaged(offset, length int64) {
	if n := len(j.Damages); n > 0 && j.Damages[n-1].Offset+j.Damages[n-1].Length == offset {
		j.Damages[n-1].Length += length
	} else {
		j.Damages = append(j.Damages, Damage{offset, length})
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// format returns the line of a record.
func format(text []byte) []byte {
	return fmt.Appendf(nil, "%08x %s\n", crc32.Checksum(text, castagnoli), text)
}

// sumSize is the length of what stands before the text of a record.
const sumSize = 8 + 1

// parse returns the text of a record, unless the line is something else.
func parse(line []byte) (text []byte, ok bool) {
	if len(line) <= sumSize {
		return nil, false
	}
	text = line[sumSize : len(line)-1]
	return text, string(line[:sumSize]) == fmt.Sprintf("%08x ", crc32.Checksum(text, castagnoli))
}

// Append adds a record, value as JSON. It survives a power cut once Append returns without an
// error; after an error nothing more can be added.
func (j *Journal) Append(value any) (Location, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return Location{}, err
	}
	line := format(text)
	j.mu.Lock()
	defer j.mu.Unlock()
	at := Location{j.file.Size(), len(line)}
	return at, j.file.Append(line)
}

// Read reads a record into value.
func (j *Journal) Read(at Location, value any) error {
	line := make([]byte, at.size)
	_, err := j.file.ReadAt(line, at.offset)
	if err == nil {
		text, ok := parse(line)
		if !ok {
			err = errors.New("damaged since it was opened")
		} else {
			err = json.Unmarshal(text, value)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: record at byte %d: %w", j.Name(), at.offset, err)
	}
	return nil
}

// Name returns the name of the file, links followed.
func (j *Journal) Name() string { return j.file.Name() }

// Close closes the journal, which stays.
func (j *Journal) Close() error { return j.file.Close() }

// Remove closes the journal and removes the file: all is done.
func (j *Journal) Remove() error { return j.file.Remove() }
