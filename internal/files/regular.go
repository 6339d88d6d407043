package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrNotRegular says that a name is that of something else than a regular file.
var ErrNotRegular = errors.New("not a regular file")

// Open opens the regular file with the given name, or to which it links, for
// reading. Nothing else is opened: the error is then [ErrNotRegular].
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

// Append opens the regular file with the given name, or makes it, to write at its end.
func Append(name string) (*os.File, error) {
	if err := Check(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
}

// Check returns the error that [Open] would return without opening anything,
// since opening a pipe waits for its other end, and opening some devices does
// something.
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
