package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/internal/files"
)

// Gathered is a file to which the files of a run's jobs are added, in the order of the jobs.
// Beside it stands a journal, which tells for each job the hash of what was added and where it
// ends. So a command that was killed goes on where it was, and what a banned worker has made
// is taken out again. It is used by one goroutine.
type Gathered struct {
	file, journal files.File
	jobs          []added
}

// added is what the journal says of a job.
type added struct {
	sum [sha256.Size]byte
	end int64 // of the job in the file
}

// lineSize is the size of a journal's line: a hash and where the job ends.
const lineSize = 2*sha256.Size + 1 + 16 + 1

// Gather makes the file for a run, or opens it again. Errors: there is a file of something else,
// or it is in use.
func Gather(name, id string) (f *Gathered, err error) {
	sys := files.OS()
	target, err := sys.Target(name)
	if err != nil {
		return nil, err
	}
	f = new(Gathered)
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	if f.file, err = sys.Update(target); err != nil {
		return f, err
	}
	if f.journal, err = sys.Update(fmt.Sprintf("%s.%.8s.journal", target, id)); err != nil {
		return f, err
	}
	if err := sys.SyncDir(target); err != nil {
		return f, err
	}
	text, err := files.ReadAll(sys, f.journal.Name())
	if err != nil {
		return f, err
	}
	return f, f.load(name, text)
}

// load reads the journal, up to where a kill has torn it. The last job may not be whole.
func (f *Gathered) load(name string, journal []byte) error {
	length, err := f.file.Size()
	if err != nil {
		return err
	}
	if len(journal) == 0 && length > 0 {
		return fmt.Errorf("%s is there already, and not of this run", name)
	}
	for ; len(journal) >= lineSize; journal = journal[lineSize:] {
		var sum []byte
		var a added
		if _, err := fmt.Sscanf(string(journal[:lineSize]), "%x %x\n", &sum, &a.end); err != nil || len(sum) != len(a.sum) {
			return fmt.Errorf("%s is damaged: remove it and %s", f.journal.Name(), name)
		}
		copy(a.sum[:], sum)
		f.jobs = append(f.jobs, a)
	}
	jobs := len(f.jobs)
	if jobs > 0 {
		from := f.end(jobs - 1)
		data := make([]byte, max(0, f.end(jobs)-from))
		if _, err := f.file.ReadAt(data, from); err != nil || sha256.Sum256(data) != f.jobs[jobs-1].sum {
			jobs--
		}
	}
	return f.rewind(jobs)
}

// end returns where the first jobs end in the file.
func (f *Gathered) end(jobs int) int64 {
	if jobs == 0 {
		return 0
	}
	return f.jobs[jobs-1].end
}

// rewind takes all but the first jobs out again.
func (f *Gathered) rewind(jobs int) error {
	f.jobs = f.jobs[:jobs]
	return errors.Join(f.journal.Truncate(int64(jobs*lineSize)), f.journal.Sync(), f.file.Truncate(f.end(jobs)), f.file.Sync())
}

// Keep returns what adds the one file of each job. check looks at it first; its error says that
// the worker is at fault. A job that was added already is passed over;
// if it was added with other content, that goes and all behind it.
func (f *Gathered) Keep(check func(r *Result, data []byte) error) Keep {
	return func(ctx context.Context, r *Result, get func(context.Context, *File) ([]byte, error)) error {
		a := r.File
		if a == nil {
			return Refused(errors.New("the result has no file"))
		}
		if r.Index < len(f.jobs) {
			if strings.EqualFold(hex.EncodeToString(f.jobs[r.Index].sum[:]), a.Sum) {
				return nil
			}
			if err := f.rewind(r.Index); err != nil {
				return err
			}
		}
		data, err := get(ctx, a)
		if err != nil {
			return err
		}
		if err := check(r, data); err != nil {
			return Refused(err)
		}
		return f.add(data)
	}
}

// add adds the next job: first the entry, then the data, by which it is known after a kill
// what is this run's.
func (f *Gathered) add(data []byte) error {
	from := f.end(len(f.jobs))
	a := added{sha256.Sum256(data), from + int64(len(data))}
	_, err := f.journal.WriteAt(fmt.Appendf(nil, "%x %016x\n", a.sum, a.end), int64(len(f.jobs)*lineSize))
	if err == nil {
		err = f.journal.Sync()
	}
	if err == nil {
		_, err = f.file.WriteAt(data, from)
	}
	if err == nil {
		err = f.file.Sync()
	}
	if err != nil {
		return errors.Join(err, f.rewind(len(f.jobs)))
	}
	f.jobs = append(f.jobs, a)
	return nil
}

// Close closes the file.
func (f *Gathered) Close() (err error) {
	for _, one := range []files.File{f.file, f.journal} {
		if one != nil {
			err = errors.Join(err, one.Close())
		}
	}
	return err
}
