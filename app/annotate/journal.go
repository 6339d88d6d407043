package annotate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files"
)

// journal keeps what has been done, so that a run that was killed does nothing twice. It
// is a file of JSON beside the output: a line that says of which run it is, then one for
// each game in the order in which they were finished. What a kill left behind the last
// whole line is cut off. A nil journal keeps nothing.
type journal struct {
	sys  files.System
	file files.File

	mu    sync.Mutex
	end   int64
	games map[int]span
}

// span is where the line of a game is.
type span struct {
	at   int64
	size int
}

// head is the first line.
type head struct {
	Run string `json:"run"` // digest of inputs and settings
}

// record is a game that is done.
type record struct {
	Game   int             `json:"game"`
	Text   []byte          `json:"text"`
	Report json.RawMessage `json:"report"`
}

// suffix ends the name of the journal of an output.
const suffix = ".journal"

// openJournal opens the journal beside the output, or begins one; nil where the run
// cannot be gone on with. Errors: a journal of another run, or one in use.
func (s *Settings) openJournal(known survey) (*journal, error) {
	if !s.resumable() {
		return nil, nil
	}
	sys := files.OS()
	target, err := sys.Target(s.Out)
	if err != nil {
		return nil, command.WrongUse(err)
	}
	f, err := sys.Update(target + suffix)
	if err != nil {
		return nil, err
	}
	j := &journal{sys: sys, file: f, games: map[int]span{}}
	if err := j.load(known.digest, s.Restart); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return j, nil
}

// load reads the journal of the run with that digest.
func (j *journal) load(digest string, restart bool) error {
	data, err := files.ReadAll(j.sys, j.file.Name())
	if err != nil {
		return err
	}
	if restart {
		data = nil
	}
	var h head
	for {
		line, _, whole := bytes.Cut(data[j.end:], []byte{'\n'})
		if !whole || !json.Valid(line) {
			break
		}
		if j.end == 0 {
			err = json.Unmarshal(line, &h)
		} else {
			var r record
			err = json.Unmarshal(line, &r)
			j.games[r.Game] = span{j.end, len(line)}
		}
		if err != nil {
			return fmt.Errorf("%s: line at byte %d: %w", j.file.Name(), j.end, err)
		}
		j.end += int64(len(line)) + 1
	}
	if j.end > 0 && h.Run != digest {
		return command.WrongUsef("%s is of a run with other games or settings: give its command to end that, or --restart to forget it", j.file.Name())
	}
	if err := j.file.Truncate(j.end); err != nil || j.end > 0 {
		return err
	}
	return j.append(head{digest})
}

// append writes a line and returns once it survives a power cut.
func (j *journal) append(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if _, err := j.file.WriteAt(append(line, '\n'), j.end); err != nil {
		return err
	}
	j.end += int64(len(line)) + 1
	return j.file.Sync()
}

// put keeps a game.
func (j *journal) put(d done) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	at := j.end
	if err := j.append(record{d.index, d.text, d.report}); err != nil {
		return err
	}
	j.games[d.index] = span{at, int(j.end - at - 1)}
	return nil
}

// get returns a game that has been kept.
func (j *journal) get(index int) (d done, ok bool, err error) {
	if j == nil {
		return d, false, nil
	}
	j.mu.Lock()
	where, ok := j.games[index]
	j.mu.Unlock()
	if !ok {
		return d, false, nil
	}
	text := make([]byte, where.size)
	if _, err := j.file.ReadAt(text, where.at); err != nil {
		return d, false, fmt.Errorf("%s: %w", j.file.Name(), err)
	}
	var r record
	err = json.Unmarshal(text, &r)
	return done{r.Game, r.Text, r.Report}, err == nil, err
}

// count returns how many games are kept.
func (j *journal) count() int {
	if j == nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.games)
}

// plies returns how many positions of games of these sizes are kept.
func (j *journal) plies(sizes []int) (n int64) {
	for i, size := range sizes {
		if j != nil && j.games[i].size > 0 {
			n += int64(size)
		}
	}
	return n
}

func (j *journal) name() string { return j.file.Name() }

// remove ends the journal: all is done.
func (j *journal) remove() error {
	if j == nil {
		return nil
	}
	if err := j.sys.Remove(j.file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return j.sys.SyncDir(j.file.Name())
}

// close lets others have the journal.
func (j *journal) close() error {
	if j == nil {
		return nil
	}
	return j.file.Close()
}
