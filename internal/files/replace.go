package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
)

// Write replaces the content of the file with the given name by data, or makes
// the file. It is on the disk when Write returns. Errors: ErrNotRegular for
// what is no regular file, [ErrInUse] where another process holds the lock
// of the file.
func Write(name string, data []byte) error { return WriteOn(OS(), name, data) }

// WriteOn is [Write] on a disk of the caller's choice.
func WriteOn(s System, name string, data []byte) error {
	p, err := Begin(s, name)
	if err != nil {
		return err
	}
	defer p.Abort()
	if _, err := p.Write(data); err != nil {
		return err
	}
	return p.Commit()
}

// WriteWith replaces the content of the file with the given name by what write
// writes, unless that fails. It is on the disk when WriteWith returns. Errors: those
// of write and of [Write].
func WriteWith(name string, write func(io.Writer) error) error {
	p, err := Begin(OS(), name)
	if err != nil {
		return err
	}
	defer p.Abort()
	w := bufio.NewWriter(p)
	if err := errors.Join(write(w), w.Flush()); err != nil {
		return err
	}
	return p.Commit()
}

// CheckTarget returns the error that [Begin] would return, so that a command can tell
// before its work that the result cannot be written. It leaves nothing behind.
func CheckTarget(name string) error {
	p, err := Begin(OS(), name)
	if err == nil {
		p.Abort()
	}
	return err
}

// Pending is the content that a file is to have. It stands beside the file,
// under a name that ends in ".tmp", until [Pending.Commit] puts it in place.
type Pending struct {
	sys    System
	target string
	old    File // what is to be replaced, locked; nil for nothing
	temp   File // nil once done
	at     int64
}

// Begin begins the content of the file with the given name, which may be a link
// to it, and keeps others from writing that file until Commit or Abort. It
// removes what runs that were killed have left beside the file. Errors: as
// those of [Write].
func Begin(s System, name string) (*Pending, error) {
	target, err := s.Target(name)
	if err != nil {
		return nil, err
	}
	p := &Pending{sys: s, target: target}
	if err := p.claim(); err != nil {
		return nil, err
	}
	err = Clean(s, target)
	if err == nil {
		err = p.create()
	}
	if err != nil {
		p.release()
		return nil, err
	}
	return p, nil
}

// Scratch begins content beside the file with the given name that is to be read
// again and never put in place.
func Scratch(s System, name string) (*Pending, error) {
	target, err := s.Target(name)
	if err != nil {
		return nil, err
	}
	p := &Pending{sys: s, target: target}
	return p, p.create()
}

// claim locks the file that is to be replaced, where there is one.
func (p *Pending) claim() error {
	f, err := p.sys.Open(p.target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("to be replaced: %w", err)
	}
	if err := f.Lock(); err != nil {
		f.Close()
		return fmt.Errorf("cannot be replaced: %w", err)
	}
	p.old = f
	return nil
}

// release gives the lock of the old file back.
func (p *Pending) release() {
	if p.old != nil {
		p.old.Close() // it was only read
		p.old = nil
	}
}

// suffix ends the names of files that have not got their place yet.
const suffix = ".tmp"

// attempts is the number of names tried for a new file: more than one is needed
// only where another process cleans up between its making and its locking.
const attempts = 100

// create makes the file beside the target and locks it, so that [Clean] knows
// that somebody is at work on it.
func (p *Pending) create() error {
	for range attempts {
		name := fmt.Sprintf("%s.%d%s", p.target, rand.Uint32(), suffix)
		f, err := p.sys.Create(name, p.target)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = f.Lock()
		same := false
		if err == nil {
			same, err = p.sys.Same(f, name)
		}
		if err == nil && same {
			p.temp = f
			return nil
		}
		f.Close()
		if err != nil && !errors.Is(err, ErrInUse) {
			p.sys.Remove(name)
			return err
		}
	}
	return fmt.Errorf("%s: no name for a file beside it", p.target)
}

// Write appends to the content.
func (p *Pending) Write(b []byte) (int, error) {
	n, err := p.temp.WriteAt(b, p.at)
	p.at += int64(n)
	return n, err
}

// ReadAt reads what was written.
func (p *Pending) ReadAt(b []byte, at int64) (int, error) { return p.temp.ReadAt(b, at) }

// Size returns the number of bytes written.
func (p *Pending) Size() int64 { return p.at }

// Target returns the name of the file that is to be replaced, links followed.
func (p *Pending) Target() string { return p.target }

// Commit puts the content in place. It is on the disk when Commit returns
// without an error; with one the file has the old content or the new one.
func (p *Pending) Commit() error {
	defer p.Abort()
	if p.old == nil { // one may have come since
		if err := p.claim(); err != nil {
			return err
		}
	}
	if err := p.temp.Sync(); err != nil {
		return err
	}
	name := p.temp.Name()
	err := p.temp.Close() // first: some systems rename no open file
	p.temp = nil
	if err == nil {
		err = p.sys.Rename(name, p.target)
	}
	if err != nil {
		p.sys.Remove(name)
		return err
	}
	return p.sys.SyncDir(p.target)
}

// Abort removes the content. After Commit it does nothing.
func (p *Pending) Abort() {
	if p.temp != nil {
		name := p.temp.Name()
		p.temp.Close()
		p.sys.Remove(name)
		p.temp = nil
	}
	p.release()
}

// Clean removes the files that runs which were killed have left beside the file
// with the given name: those no process is at work on, as their locks tell.
// Without locks it removes nothing.
func Clean(s System, name string) error {
	if !s.Locks() {
		return nil
	}
	beside, err := s.Siblings(name + ".")
	if err != nil {
		return err
	}
	for _, stale := range beside {
		if !isPending(name, stale) {
			continue
		}
		// Another process may be faster, or have no right to: no harm is done.
		if f, err := s.Open(stale); err == nil {
			if f.Lock() == nil {
				s.Remove(stale)
			}
			f.Close()
		}
	}
	return nil
}

// isPending reports whether a file beside the named one has a name of create's.
func isPending(name, beside string) bool {
	number, ok := strings.CutSuffix(strings.TrimPrefix(beside, name+"."), suffix)
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}
