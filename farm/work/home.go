package work

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nats-io/nkeys"

	"github.com/tabula-chess/tabula/internal/files"
)

// Home is a worker's own directory: its key, by which the farm knows it, and its
// spool. One process has it at a time.
type Home struct {
	Dir  string
	Key  nkeys.KeyPair
	lock files.File
}

// maxHomes is the number of workers that find a home below one directory.
const maxHomes = 1024

// OpenHome returns a home below dir that no other process has, the first of
// dir/0, dir/1, …; where there is none it makes one.
func OpenHome(dir string) (*Home, error) {
	for n := range maxHomes {
		home := filepath.Join(dir, fmt.Sprint(n))
		if err := os.MkdirAll(filepath.Join(home, "spool"), 0o700); err != nil {
			return nil, err
		}
		lock, err := files.OS().Update(filepath.Join(home, "lock"))
		if err != nil {
			return nil, err
		}
		// To ask is quick where to lock would wait a while for what is taken.
		taken, err := lock.Locked()
		if err == nil && !taken {
			err = lock.Lock()
		}
		if taken || err != nil {
			lock.Close()
			if taken || errors.Is(err, files.ErrInUse) {
				continue
			}
			return nil, err
		}
		key, err := openKey(filepath.Join(home, "key"))
		if err != nil {
			lock.Close()
			return nil, err
		}
		return &Home{Dir: home, Key: key, lock: lock}, nil
	}
	return nil, fmt.Errorf("%s: %d workers are at work there", dir, maxHomes)
}

// Close gives the home to others.
func (h *Home) Close() error { return h.lock.Close() }

// openKey returns the key of a file, a new one where there is no file.
func openKey(name string) (nkeys.KeyPair, error) {
	seed, err := os.ReadFile(name)
	if err == nil {
		key, err := nkeys.FromSeed(seed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return key, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	key, err := nkeys.CreateUser()
	if err != nil {
		return nil, err
	}
	if seed, err = key.Seed(); err != nil {
		return nil, err
	}
	if err := files.Write(name, seed); err != nil {
		return nil, err
	}
	return key, os.Chmod(name, 0o600)
}
