package work

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/tabula-chess/tabula/internal/files"
)

// OutputFile is a file that a [Kind] writes as it folds results. Each start of a run writes it again, from the first
// job, beside its place. A file that is there has to begin in the same way; it is replaced by a longer one. One
// goroutine uses an OutputFile.
type OutputFile struct {
	name string
	old  *os.File // what is there; nil for nothing
	new  *files.Pending
}

// OutputError reports that the output of a run cannot be written. Unlike other errors of [Kind.Add] it says nothing
// about the result, and ends the run.
type OutputError struct{ Err error }

func (e *OutputError) Error() string { return e.Err.Error() }
func (e *OutputError) Unwrap() error { return e.Err }

// OpenOutput begins the file with the given name. Errors: it is no regular file, or another process writes it.
func OpenOutput(name string) (*OutputFile, error) {
	old, err := files.Open(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	o := &OutputFile{name: name, old: old}
	if o.new, err = files.Begin(name); err != nil {
		o.old.Close()
		return nil, err
	}
	return o, nil
}

// Write adds data. The error is an [*OutputError].
func (o *OutputFile) Write(data []byte) (int, error) {
	if o.old != nil {
		there := make([]byte, len(data))
		if n, _ := o.old.ReadAt(there, o.new.Size()); !bytes.Equal(there[:n], data[:n]) {
			return 0, &OutputError{fmt.Errorf("%s exists and is not of this run; remove it or name another file", o.name)}
		}
	}
	n, err := o.new.Write(data)
	if err != nil {
		err = &OutputError{fmt.Errorf("%s: %w", o.name, err)}
	}
	return n, err
}

// Close puts the file in its place, unless it is empty or a longer one is there.
func (o *OutputFile) Close() error {
	defer o.new.Abort()
	var size int64
	if o.old != nil {
		info, err := o.old.Stat()
		o.old.Close()
		if err != nil {
			return err
		}
		size = info.Size()
	}
	if o.new.Size() <= size {
		return nil
	}
	return o.new.Commit()
}
