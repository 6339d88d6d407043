package annotate

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/journal"
)

// suffix ends the name of the journal of an output.
const suffix = ".journal"

// reviewed holds the finished games in a journal beside the output, so that a run that continues
// after a kill reviews no game twice. A nil *reviewed holds nothing.
type reviewed struct {
	file *journal.Journal
	run  string // digest of inputs and settings

	mu    sync.Mutex
	games map[int]journal.Place
}

// record is a finished game.
type record struct {
	Run string `json:"run"`
	done
}

// openJournal opens or creates the journal of the run with that digest. Errors: a journal of another
// run, or one in use.
func (s *Settings) openJournal(name, run string) (*reviewed, error) {
	r := &reviewed{run: run, games: map[int]journal.Place{}}
	other := false
	file, err := journal.Open(name, func(at journal.Place, text []byte) error {
		var game struct {
			Run  string
			Game int
		}
		err := json.Unmarshal(text, &game)
		other = other || game.Run != run
		r.games[game.Game] = at
		return err
	})
	if err != nil {
		return nil, err
	}
	r.file = file
	switch {
	case s.Restart:
		if err := file.Remove(); err != nil {
			return nil, err
		}
		clear(r.games)
		r.file, err = journal.Open(name, nil)
		return r, err
	case other:
		file.Close()
		return nil, exit.WrongUsef("%s belongs to a run with other games or settings: repeat its command to finish it, or give --restart to discard it", name)
	}
	for _, d := range file.Damages {
		fmt.Fprintf(s.Err, "%s: %v; the games stored there are reviewed again\n", name, d)
	}
	return r, nil
}

// put stores a game.
func (r *reviewed) put(d done) error {
	if r == nil {
		return nil
	}
	at, err := r.file.Append(record{r.run, d})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.games[d.Index] = at
	return nil
}

// get returns a stored game.
func (r *reviewed) get(index int) (d done, ok bool, err error) {
	if r == nil {
		return d, false, nil
	}
	r.mu.Lock()
	at, ok := r.games[index]
	r.mu.Unlock()
	if !ok {
		return d, false, nil
	}
	var game record
	err = r.file.Read(at, &game)
	return game.done, err == nil, err
}

// count returns the number of stored games.
func (r *reviewed) count() int {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.games)
}

// plies returns the number of positions in the stored games, given the size of each game.
func (r *reviewed) plies(sizes []int) (n int64) {
	if r == nil {
		return 0
	}
	for i := range r.games {
		n += int64(sizes[i])
	}
	return n
}

// close closes the journal and leaves the games for the next run.
func (r *reviewed) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// remove deletes the journal, after the outputs are complete.
func (r *reviewed) remove() error {
	if r == nil {
		return nil
	}
	file := r.file
	r.file = nil
	return file.Remove()
}
