package work

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// spooled is a result that a farm may not have yet.
type spooled struct {
	Job     run.Job  `json:"job"`
	Message []byte   `json:"message"` // as run.Seal made it
	Files   [][]byte `json:"files,omitempty"`
}

// slot is a spool file. Each core has one of its own, which it writes again and again: a new
// file for every result would have to be synced together with its folder. It holds the hash
// of what follows, so that a torn one is known.
type slot struct{ file files.File }

const slotEnding = ".result"

// spoolDir returns the folder of the spool below a home for the farm with an id.
func spoolDir(home, farm string) (string, error) {
	if farm == "" || strings.ContainsAny(farm, "/\\.") {
		return "", fmt.Errorf("the farm calls itself %q", farm)
	}
	dir := filepath.Join(home, "spool", farm)
	return dir, os.MkdirAll(dir, 0o700)
}

// openSlot opens the slot of a core, or makes it.
func openSlot(dir string, core int) (slot, error) {
	name := filepath.Join(dir, fmt.Sprint(core)+slotEnding)
	f, err := files.OS().Update(name)
	if err != nil {
		return slot{}, err
	}
	return slot{f}, files.OS().SyncDir(name)
}

// put stores a result; it survives a power cut once put returns.
func (s slot) put(r spooled) error {
	text, err := json.Marshal(&r)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	if err := s.clear(); err != nil {
		return err
	}
	if _, err := s.file.WriteAt(append(sum[:], text...), 0); err != nil {
		return err
	}
	return s.file.Sync()
}

// clear removes the result: the farm has it. What a power cut brings back is published once
// more, which does no harm.
func (s slot) clear() error { return s.file.Truncate(0) }

// left returns the results in a folder, and removes its files. What is torn was not finished:
// the job will be done again.
func left(dir string, deliver func(spooled) error) error {
	names, err := filepath.Glob(filepath.Join(dir, "*"+slotEnding))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var r spooled
		if n := sha256.Size; len(text) > n {
			sum := sha256.Sum256(text[n:])
			if bytes.Equal(sum[:], text[:n]) {
				err := json.Unmarshal(text[n:], &r)
				if err == nil {
					err = deliver(r)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
		}
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return err
}
