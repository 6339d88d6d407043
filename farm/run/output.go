package run

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/tabula-chess/tabula/internal/files"
)

// Output is the file that collects what the jobs of a run come to, in the order of the jobs. It is written beside its
// place, again from the first job whenever an owner begins, and put there when the run ends or the owner does: the
// next owner compares. One goroutine uses it.
type Output struct {
	name string
	old  *os.File // what is there, of an earlier owner; nil for nothing, and where the file is the farm's own
	new  *files.Pending
}

// OpenOutput begins the file, none for "". A file that is there has to be of the same run, unless it is the farm's own.
// Errors: it cannot be written, or another process writes it.
func OpenOutput(name string, own bool) (o *Output, err error) {
	if name == "" {
		return nil, nil
	}
	o = &Output{name: name}
	if !own {
		if o.old, err = files.Open(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return o, o.begin()
}

func (o *Output) begin() (err error) {
	if o.new != nil {
		o.new.Abort()
	}
	o.new, err = files.Begin(o.name)
	return err
}

// add adds what the next job came to. It fails where the file that is there has something else.
func (o *Output) add(data []byte) error {
	if o.old != nil {
		old := make([]byte, len(data))
		if n, _ := o.old.ReadAt(old, o.new.Size()); !bytes.Equal(old[:n], data[:n]) {
			return o.foreign()
		}
	}
	_, err := o.new.Write(data)
	return err
}

func (o *Output) foreign() error {
	return fmt.Errorf("%s already exists and is not what this run comes to, as after a ban: remove it or name another file", o.name)
}

// Close puts the file in its place. A longer one that is there, and not the farm's own, stays while the run is not
// finished, and is an error when it is. There is nothing to close without an output.
func (o *Output) Close(finished bool) error {
	if o == nil {
		return nil
	}
	var size int64
	if o.old != nil {
		if info, err := o.old.Stat(); err == nil {
			size = info.Size()
		}
		o.old.Close()
	}
	if o.new == nil {
		return nil // it could not be begun again
	}
	if o.new.Size() <= size {
		o.new.Abort()
		if finished && o.new.Size() < size {
			return o.foreign()
		}
		return nil
	}
	return o.new.Commit()
}
