// Package replace writes files so that a kill leaves the old content or the
// new one, never half of it. It imports nothing of this module.
package replace

import (
	"errors"
	"os"
	"path/filepath"
)

// File replaces the content of the file with the given name by data, or makes
// the file. It is on the disk when File returns.
func File(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
