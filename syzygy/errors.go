package syzygy

import (
	"errors"
	"fmt"
)

// Reasons why a position cannot be looked up. They cost no allocation, so that
// a search may ask for anything.
var (
	ErrMissing  = errors.New("syzygy: there is no table for these pieces")
	ErrCastling = errors.New("syzygy: tables know no castling rights")
)

// ErrNone says that a directory holds no tables.
var ErrNone = errors.New("no tables in it")

// FileError tells what is wrong with a table's file. Every later probe of that
// table returns it again.
type FileError struct {
	Path   string
	Offset int64 // of the byte that is wrong, from the beginning of the file
	Reason string
}

// Error returns "PATH: at byte OFFSET: REASON".
func (e *FileError) Error() string {
	return fmt.Sprintf("%s: at byte %d: %s", e.Path, e.Offset, e.Reason)
}
