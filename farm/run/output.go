package run

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/internal/files"
)

// Output is the file that collects what the jobs of a run come to, in the order of the jobs. An
// owner that begins again writes it again from the start: what is there and equal stays. Beside
// it stands an empty-looking mark, FILE.RUN, which says that the file is of this run. Its
// methods are used by one goroutine.
type Output struct {
	file, mark files.File
	at         int64 // where the next job begins
}

// OpenOutput makes the file for a run, or opens it again. Errors: there is a file of something
// else, or it is in use.
func OpenOutput(name, id string) (o *Output, err error) {
	sys := files.OS()
	target, err := sys.Target(name)
	if err != nil {
		return nil, err
	}
	o = new(Output)
	defer func() {
		if err != nil {
			err = errors.Join(err, o.Close())
		}
	}()
	if o.mark, err = sys.Update(fmt.Sprintf("%s.%.8s", target, id)); err != nil {
		return o, err
	}
	marked, err := o.mark.Size()
	if err != nil {
		return o, err
	}
	if o.file, err = sys.Update(target); err != nil {
		return o, err
	}
	size, err := o.file.Size()
	if err == nil && size > 0 && marked == 0 {
		return o, errors.Join(fmt.Errorf("%s is there already, and not of this run", name), sys.Remove(o.mark.Name()))
	}
	if err == nil && marked == 0 {
		_, err = o.mark.WriteAt([]byte("run "+id+"\n"), 0)
		err = errors.Join(err, o.mark.Sync(), sys.SyncDir(target))
	}
	return o, err
}

// begin goes back to the first job.
func (o *Output) begin() { o.at = 0 }

// add adds what the next job came to. What an earlier owner has written stays as far as it is equal.
func (o *Output) add(data []byte) error {
	old := make([]byte, len(data))
	if n, _ := o.file.ReadAt(old, o.at); n < len(data) || !bytes.Equal(old, data) {
		err := o.file.Truncate(o.at)
		if err == nil {
			_, err = o.file.WriteAt(data, o.at)
		}
		if err != nil {
			return err
		}
	}
	o.at += int64(len(data))
	return nil
}

// end cuts off what is behind the last job; then the file is on the disk.
func (o *Output) end() error { return errors.Join(o.file.Truncate(o.at), o.file.Sync()) }

// Close closes the file.
func (o *Output) Close() (err error) {
	for _, f := range []files.File{o.file, o.mark} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}
