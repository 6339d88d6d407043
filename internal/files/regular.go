package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrNotRegular reports that a name does not refer to a regular file.
var ErrNotRegular = errors.New("not a regular file")

// Open opens a regular file, or the one that a link leads to, for reading. For anything else the
// error is [ErrNotRegular].
func Open(name string) (*os.File, error) {
	if err := Check(name); err != nil {
		return nil, err
	}
	return os.Open(name)
}

// Read returns the content of the regular file with the given name; the errors
// are those of [Open].
func Read(name string) ([]byte, error) {
	if err := Check(name); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

// Append opens or creates a regular file to write at its end.
func Append(name string) (*os.File, error) {
	if err := Check(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
}

// Check returns the error that [Open] would return, without opening anything: opening a pipe blocks,
// and opening some devices has effects.
func Check(name string) error { return check(name, os.Stat) }

func check(name string, stat func(string) (fs.FileInfo, error)) error {
	info, err := stat(name)
	switch {
	case err != nil:
		return &fs.PathError{Op: "open", Path: name, Err: errors.Unwrap(err)}
	case info.IsDir():
		return fmt.Errorf("open %s: a directory, %w", name, ErrNotRegular)
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("open %s: a link, %w", name, ErrNotRegular)
	case !info.Mode().IsRegular():
		return fmt.Errorf("open %s: %w", name, ErrNotRegular)
	}
	return nil
}
