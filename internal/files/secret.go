package files

import (
	"errors"
	"os"
)

// Secret returns the content of a file that only its owner reads. Where there is no file, it is made with what make
// returns.
func Secret(name string, make func() ([]byte, error)) (text []byte, err error) {
	if text, err = os.ReadFile(name); !errors.Is(err, os.ErrNotExist) {
		return text, err
	}
	if text, err = make(); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	return text, err
}
