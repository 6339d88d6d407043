package syzygy

import (
	"errors"
	"fmt"
)

// Reasons why a position cannot be looked up. They are returned without an allocation.
var (
	ErrMissing  = errors.New("syzygy: there is no table for these pieces")
	ErrCastling = errors.New("syzygy: tables know no castling rights")
)

// ErrNone reports a directory without tables.
var ErrNone = errors.New("no tables in it")

// FileError is an error in the file of a table. Later probes of the table return it again.
type FileError struct {
	Path   string
	Offset int64 // of the byte that is wrong, from the beginning of the file
	Reason string
}

// Error returns "PATH: at byte OFFSET: REASON".
func (e *FileError) Error() string {
	return fmt.Sprintf("%s: at byte %d: %s", e.Path, e.Offset, e.Reason)
}
