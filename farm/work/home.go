package work

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabula-chess/tabula/internal/files"
)

// Home is a worker's own directory, with its name among the machines that share a key,
// and its spool. One process has it at a time.
type Home struct {
	Dir     string
	Machine string
	lock    files.File
}

// maxHomes is the number of workers that find a home below one directory.
const maxHomes = 1024

// OpenHome returns a home below dir that no other process has, the first of dir/0,
// dir/1, …; if there is none, it makes one.
func OpenHome(dir string) (*Home, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for n := range maxHomes {
		home := filepath.Join(dir, fmt.Sprint(n))
		if err := os.MkdirAll(filepath.Join(home, "spool"), 0o700); err != nil {
			return nil, err
		}
		lock, err := files.OS().Update(filepath.Join(home, "lock"))
		if errors.Is(err, files.ErrInUse) {
			continue
		} else if err != nil {
			return nil, err
		}
		machine, err := machineOf(filepath.Join(home, "machine"))
		if err != nil {
			lock.Close()
			return nil, err
		}
		return &Home{Dir: home, Machine: machine, lock: lock}, nil
	}
	return nil, fmt.Errorf("%s: %d workers are at work there", dir, maxHomes)
}

// Close gives the home to others.
func (h *Home) Close() error { return h.lock.Close() }

// machineOf returns the name that a file holds, a new one where there is no file.
func machineOf(name string) (string, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		text = []byte(strings.ToLower(rand.Text()[:12]))
		err = files.Write(name, text)
	}
	if err == nil && strings.Trim(string(text), "abcdefghijklmnopqrstuvwxyz234567") != "" {
		err = fmt.Errorf("%s: damaged, remove it", name)
	}
	return string(text), err
}
