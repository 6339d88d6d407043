package files

import (
	"errors"
	"io"
)

// ErrInUse says that another process holds the lock of a file.
var ErrInUse = errors.New("in use by another process")

// File is an open regular file.
type File interface {
	io.ReaderAt
	io.WriterAt

	// Name returns the name by which the file was opened.
	Name() string
	// Size returns the length in bytes.
	Size() (int64, error)
	// Truncate sets the length.
	Truncate(size int64) error
	// Sync returns once what was written, and the length, survive a power cut.
	Sync() error
	// Lock claims the file for this File until it is closed or the process
	// ends. It does not wait: [ErrInUse] where another has it. It does nothing
	// on systems without such locks, see [System.Locks].
	Lock() error
	// Locked reports whether another File has the lock.
	Locked() (bool, error)
	Close() error
}

// System opens, names and removes files.
type System interface {
	// Open opens a regular file for reading. Nothing else is opened, nor waited
	// for: regular.ErrOther.
	Open(name string) (File, error)
	// Update opens a regular file for reading and writing, and makes it where
	// there is none.
	Update(name string) (File, error)
	// Create makes a new file for reading and writing, with the permissions of
	// the file like, or the usual ones where there is no such file.
	Create(name, like string) (File, error)
	// Target returns the name of the file that name leads to through symbolic
	// links, which need not exist. regular.ErrOther where it is no regular file.
	Target(name string) (string, error)
	// Siblings returns the names of the files in the directory of name whose
	// names begin like it.
	Siblings(name string) ([]string, error)
	// Same reports whether name is still the name of f.
	Same(f File, name string) (bool, error)
	// Rename gives the file another name, in the same directory, in place of
	// what had it.
	Rename(from, to string) error
	Remove(name string) error
	// SyncDir returns once the names in the directory of name survive a power
	// cut.
	SyncDir(name string) error
	// Locks reports whether files can be locked here.
	Locks() bool
}

// ReadAll returns the content of a regular file.
func ReadAll(s System, name string) ([]byte, error) {
	f, err := s.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	data := make([]byte, size)
	n, err := f.ReadAt(data, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data[:n], nil
}
