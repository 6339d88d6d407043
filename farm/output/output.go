// Package output collects the files of a run's jobs in one file on the owner's machine,
// in the order of the jobs.
//
// Beside the file stands a journal, which tells for each job the hash of what was added
// and where it ends. So a command that was killed goes on where it was, and what a banned
// worker has made is taken out again.
//
// The package imports farm/run and internal/files.
package output

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/files"
)

// File is a file to which jobs are added. It is used by one goroutine.
type File struct {
	file, journal files.File
	base          int64 // where the first job begins
	jobs          []added
	head          string
	size          int64 // of the journal
	behind        bool  // something else follows the jobs
}

// added is what the journal says of a job.
type added struct {
	sum [sha256.Size]byte
	end int64 // of the job in the file
	at  int64 // in the journal, behind it
}

// Open opens the file for a run, or makes it. What another has written into it stays, and
// the jobs are added behind it. Errors: it is no regular file, or in use.
func Open(name, id string) (f *File, err error) { return openOn(files.OS(), name, id) }

func openOn(sys files.System, name, id string) (f *File, err error) {
	target, err := sys.Target(name)
	if err != nil {
		return nil, err
	}
	f = new(File)
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	if f.file, err = sys.Update(target); err != nil {
		return f, err
	}
	if err := f.file.Lock(); err != nil {
		return f, fmt.Errorf("%s: %w", name, err)
	}
	if f.journal, err = sys.Update(fmt.Sprintf("%s.%.8s.journal", target, id)); err != nil {
		return f, err
	}
	if err := sys.SyncDir(target); err != nil {
		return f, err
	}
	if f.base, err = f.file.Size(); err != nil {
		return f, err
	}
	text, err := files.ReadAll(sys, f.journal.Name())
	if err != nil {
		return f, err
	}
	return f, f.load(id, text)
}

// load reads the journal, up to where a kill has torn it. The last job may not be whole.
func (f *File) load(id string, text []byte) error {
	head, rest, whole := bytes.Cut(text, []byte("\n"))
	base, length := int64(0), f.base
	if n, _ := fmt.Sscanf(string(head), "run "+id+" from %d", &base); !whole || n != 1 {
		if len(text) > 0 && whole {
			return fmt.Errorf("%s is no journal of run %s", f.journal.Name(), id)
		}
		if err := f.journal.Truncate(0); err != nil {
			return err
		}
		f.size = 0
		f.head = fmt.Sprintf("run %s from %d\n", id, f.base)
		return f.enter([]byte(f.head))
	}
	f.head, f.base, f.size = string(head)+"\n", base, int64(len(head)+1)
	for {
		line, more, whole := bytes.Cut(rest, []byte("\n"))
		var sum string
		var a added
		if n, _ := fmt.Sscanf(string(line), "%64s %d", &sum, &a.end); !whole || n != 2 {
			break
		}
		if n, err := hex.Decode(a.sum[:], []byte(sum)); n != len(a.sum) || err != nil {
			break
		}
		f.size += int64(len(line) + 1)
		a.at = f.size
		f.jobs, rest = append(f.jobs, a), more
	}
	jobs := len(f.jobs)
	if jobs > 0 && !f.has(jobs-1, length) {
		jobs--
	}
	if last, _ := f.end(len(f.jobs)); length > last {
		f.behind = true
		return nil
	}
	return f.rewind(jobs)
}

// has reports whether a job is whole in the file of a length.
func (f *File) has(job int, length int64) bool {
	from, _ := f.end(job)
	if f.jobs[job].end > length || f.jobs[job].end < from {
		return false
	}
	data := make([]byte, f.jobs[job].end-from)
	_, err := f.file.ReadAt(data, from)
	return err == nil && sha256.Sum256(data) == f.jobs[job].sum
}

// errBehind says that the file cannot be changed.
var errBehind = errors.New("the file has grown since by something else: give another file")

// end returns where the first jobs end in the file, and in the journal.
func (f *File) end(jobs int) (file, journal int64) {
	if jobs == 0 {
		return f.base, int64(len(f.head))
	}
	return f.jobs[jobs-1].end, f.jobs[jobs-1].at
}

// rewind takes all but the first jobs out again.
func (f *File) rewind(jobs int) error {
	if f.behind {
		return errBehind
	}
	end, at := f.end(jobs)
	f.jobs, f.size = f.jobs[:jobs], at
	return errors.Join(f.journal.Truncate(at), f.journal.Sync(), f.file.Truncate(end), f.file.Sync())
}

// enter appends a line to the journal.
func (f *File) enter(line []byte) error {
	if _, err := f.journal.WriteAt(line, f.size); err != nil {
		return err
	}
	f.size += int64(len(line))
	return f.journal.Sync()
}

// Jobs returns how many jobs the file has.
func (f *File) Jobs() int { return len(f.jobs) }

// Base returns how long the file was before the run.
func (f *File) Base() int64 { return f.base }

// Keep returns what adds the one file of each job. check, if not nil, looks at it first;
// its error says that the worker is at fault. A job that was added already is passed over;
// if it was added with other content, that goes and all behind it.
func (f *File) Keep(check func(r *run.Result, data []byte) error) run.Keep {
	return func(ctx context.Context, r *run.Result, get func(context.Context, run.Artefact) ([]byte, error)) error {
		if len(r.Files) != 1 {
			return run.Refused(fmt.Errorf("%d files, want one", len(r.Files)))
		}
		a := r.Files[0]
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
		if check != nil {
			if err := check(r, data); err != nil {
				return run.Refused(err)
			}
		}
		return f.add(data)
	}
}

// add adds the next job: first the entry, then the data, by which it is known after a kill
// what is this run's.
func (f *File) add(data []byte) error {
	if f.behind {
		return errBehind
	}
	from, at := f.end(len(f.jobs))
	a := added{sum: sha256.Sum256(data), end: from + int64(len(data))}
	err := f.enter(fmt.Appendf(nil, "%x %d\n", a.sum, a.end))
	if err == nil {
		a.at = f.size
		if _, err = f.file.WriteAt(data, from); err == nil {
			err = f.file.Sync()
		}
	}
	if err != nil {
		f.size = at
		return errors.Join(err, f.journal.Truncate(at), f.file.Truncate(from))
	}
	f.jobs = append(f.jobs, a)
	return nil
}

// Close closes the file.
func (f *File) Close() (err error) {
	for _, one := range []files.File{f.file, f.journal} {
		if one != nil {
			err = errors.Join(err, one.Close())
		}
	}
	return err
}
