package work

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/files"
)

// spool is a directory of results that the hub may not have yet.
type spool struct{ dir string }

// spooled is the content of a spool file.
type spooled struct {
	Result *run.Result `json:"result"`
	Files  [][]byte    `json:"files,omitempty"`
}

const spoolEnding = ".result"

// name returns the file of a job's result.
func (s spool) name(j run.Job) string { return filepath.Join(s.dir, j.Name()+spoolEnding) }

// put keeps a result; it survives a power cut once put returns.
func (s spool) put(j run.Job, r spooled) error {
	text, err := json.Marshal(&r)
	if err != nil {
		return err
	}
	return files.Write(s.name(j), text)
}

// remove removes a result that the hub has.
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
	text, err := files.ReadAll(files.OS(), name)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil || r.Result == nil {
		return r, fmt.Errorf("%s: damaged, remove it: the job will be done again: %w", name, err)
	}
	return r, nil
}
