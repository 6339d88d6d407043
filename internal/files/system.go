package files

import (
	"errors"
	"io"
)

// ErrInUse reports that another process has locked a file.
var ErrInUse = errors.New("in use by another process")

// RegularFile is an open regular file.
type RegularFile interface {
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
	// Locked reports whether another File has the lock; false on systems without locks.
	Locked() (bool, error)
	Close() error
}

// System opens, names and removes files.
type System interface {
	// Open opens a regular file for reading. Nothing else is opened: [ErrNotRegular].
	Open(name string) (RegularFile, error)
	// Update opens a regular file, no link to one, for reading and writing, makes it where there
	// is none, and locks it until it is closed or the process ends: [ErrInUse] where
	// another has the lock. On systems without locks it locks nothing.
	Update(name string) (RegularFile, error)
	// Target returns the name of the file that name leads to through symbolic
	// links, and name where there is no file. [ErrNotRegular] where it is something else.
	Target(name string) (string, error)
	// Place gives a file of Update another name, in the same directory, in place of what
	// had it, whose permissions it takes over, and closes it.
	Place(f RegularFile, name string) error
	Remove(name string) error
	// SyncDir returns once the names in the directory of name survive a power
	// cut.
	SyncDir(name string) error
}

// Lock opens a regular file, or makes it, and locks it until it is closed or the process ends:
// [ErrInUse] where another has the lock.
func Lock(name string) (io.Closer, error) { return OS().Update(name) }
