package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
)

// Write creates the file with the given name or replaces its content by data. The data are on disk
// when Write returns. Errors: [ErrNotRegular] for pipes, directories and devices; [ErrInUse] if
// another process has locked the file or is replacing it.
func Write(name string, data []byte) error { return writeData(OS(), name, data) }

func writeData(s System, name string, data []byte) error {
	return write(s, name, func(p *Pending) error {
		_, err := p.Write(data)
		return err
	})
}

// WriteWith replaces the content of the file with the given name by the output of content, unless
// content fails. The data are on disk when WriteWith returns. Errors: those of content and [Write].
func WriteWith(name string, content func(io.Writer) error) error {
	return write(OS(), name, func(p *Pending) error {
		w := bufio.NewWriter(p)
		return errors.Join(content(w), w.Flush())
	})
}

func write(s System, name string, content func(*Pending) error) error {
	p, err := begin(s, name)
	if err != nil {
		return err
	}
	defer p.Abort()
	if err := content(p); err != nil {
		return err
	}
	return p.Commit()
}

// CheckTarget returns the error that [Begin] would return, so that a command can report it before
// long work. It leaves no file.
func CheckTarget(name string) error {
	p, err := Begin(name)
	if err == nil {
		p.Abort()
	}
	return err
}

// Pending is the new content of a file. It is stored beside the file under a name that ends in ".tabula.tmp"
// until [Pending.Commit] puts it in place.
type Pending struct {
	sys    System
	target string
	temp   RegularFile // nil once done
	at     int64
}

// suffix ends the names of pending files, and of none that a user has.
const suffix = ".tabula.tmp"

// Begin starts to replace the file with the given name, following links. No one else can replace the
// file until Commit or Abort. Begin overwrites the pending file of a killed run. Errors: as [Write].
func Begin(name string) (*Pending, error) { return begin(OS(), name) }

func begin(s System, name string) (*Pending, error) {
	target, err := s.Target(name)
	if err != nil {
		return nil, err
	}
	if err := free(s, target); err != nil {
		return nil, err
	}
	temp, err := s.Update(target + suffix)
	if err != nil {
		return nil, err
	}
	p := &Pending{sys: s, target: target, temp: temp}
	if err := temp.Truncate(0); err != nil {
		p.Abort()
		return nil, err
	}
	return p, nil
}

// free returns an error if another process writes the file.
func free(s System, name string) error {
	f, err := s.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("to be replaced: %w", err)
	}
	defer f.Close() // it was only read
	if taken, err := f.Locked(); err != nil || taken {
		return errors.Join(err, fmt.Errorf("%s cannot be replaced: %w", name, ErrInUse))
	}
	return nil
}

// Scratch begins content beside the file with the given name that is to be read
// again and never put in place. Where the system allows it the file has no name, and is
// gone with the process.
func Scratch(name string) (*Pending, error) {
	s := OS()
	temp, err := s.Update(fmt.Sprintf("%s.%d%s", name, rand.Uint32(), suffix))
	if err != nil {
		return nil, err
	}
	_ = s.Remove(temp.Name()) // Abort tries again
	return &Pending{sys: s, target: name, temp: temp}, nil
}

// Write appends to the content.
func (p *Pending) Write(b []byte) (int, error) {
	n, err := p.temp.WriteAt(b, p.at)
	if err != nil {
		return n, errors.Join(err, p.temp.Truncate(p.at))
	}
	p.at += int64(n)
	return n, nil
}

// ReadAt reads what was written.
func (p *Pending) ReadAt(b []byte, at int64) (int, error) { return p.temp.ReadAt(b, at) }

// Size returns the number of bytes written.
func (p *Pending) Size() int64 { return p.at }

// Target returns the name of the file to be replaced, after following links.
func (p *Pending) Target() string { return p.target }

// Commit puts the content in place. It is on disk when Commit returns nil; after an error the file
// has either the old or the new content.
func (p *Pending) Commit() error {
	defer p.Abort()
	if err := errors.Join(free(p.sys, p.target), p.temp.Sync()); err != nil {
		return err
	}
	temp := p.temp
	p.temp = nil
	if err := p.sys.Place(temp, p.target); err != nil {
		_ = p.sys.Remove(temp.Name())
		return err
	}
	return p.sys.SyncDir(p.target)
}

// Abort removes the content. After Commit it does nothing.
func (p *Pending) Abort() {
	if p.temp == nil {
		return
	}
	// Once it is closed, the name may be somebody else's. Windows removes no open file.
	if p.sys.Remove(p.temp.Name()) != nil {
		defer p.sys.Remove(p.temp.Name())
	}
	p.temp.Close()
	p.temp = nil
}
