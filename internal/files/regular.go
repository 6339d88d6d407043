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
// reading. Nothing else is opened: the error is then [ErrNotRegular], which names
// what is there.
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
	return os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY|noWait, 0o666)
}

// Check returns the error that [Open] would return without opening anything,
// since opening a pipe waits for its other end, and opening some devices does
// something.
func Check(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return &fs.PathError{Op: "open", Path: name, Err: errors.Unwrap(err)}
	}
	if mode := info.Mode(); !mode.IsRegular() {
		return fmt.Errorf("open %s: %w but %s", name, ErrNotRegular, kind(mode))
	}
	return nil
}

// kind names what a mode stands for.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}
