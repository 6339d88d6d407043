package work

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/files"
)

// spool is a directory of results that a farm may not have yet.
type spool struct{ dir string }

// spooled is the content of a spool file.
type spooled struct {
	Job     run.Job  `json:"job"`
	Message []byte   `json:"message"` // as run.Seal made it
	Files   [][]byte `json:"files,omitempty"`
}

const spoolEnding = ".result"

// openSpool returns the spool below a home for the farm with an id.
func openSpool(home, farm string) (spool, error) {
	s := spool{filepath.Join(home, "spool", farm)}
	if farm == "" || strings.ContainsAny(farm, "/\\.") {
		return s, fmt.Errorf("the farm calls itself %q", farm)
	}
	return s, os.MkdirAll(s.dir, 0o700)
}

// name returns the file of a job's result.
func (s spool) name(j run.Job) string { return filepath.Join(s.dir, j.Name()+spoolEnding) }

// put stores a result; it survives a power cut once put returns.
func (s spool) put(r spooled) error { return files.WriteJSON(s.name(r.Job), &r) }

// remove removes a result that the farm has.
func (s spool) remove(j run.Job) error { return os.Remove(s.name(j)) }

// all returns the names of the files in the spool.
func (s spool) all() (names []string, err error) {
	entries, err := os.ReadDir(s.dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), spoolEnding) {
			names = append(names, filepath.Join(s.dir, e.Name()))
		}
	}
	return names, err
}

// read reads a spool file.
func (s spool) read(name string) (r spooled, err error) {
	_, err = files.ReadJSON(name, &r)
	if err == nil && len(r.Message) == 0 {
		err = errors.New("it holds no result")
	}
	if err != nil {
		return r, fmt.Errorf("%s: damaged, remove it; the job will be done again: %w", name, err)
	}
	return r, nil
}
