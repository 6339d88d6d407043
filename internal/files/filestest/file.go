package filestest

import (
	"io"
	"io/fs"
	"slices"
	"syscall"

	"github.com/tabula-chess/tabula/internal/files"
)

// file is an open file of a Disk.
type file struct {
	disk   *Disk
	name   string
	node   *inode
	life   int
	closed bool
}

// begin locks the disk and refuses what a file that is closed, or of a process
// that is dead, cannot do. The caller unlocks the disk.
func (f *file) begin() error {
	f.disk.mu.Lock()
	if f.closed {
		return fs.ErrClosed
	}
	if f.life != f.disk.life {
		return ErrKilled
	}
	return nil
}

func (f *file) Name() string { return f.name }

func (f *file) Size() (int64, error) {
	defer f.disk.mu.Unlock()
	if err := f.begin(); err != nil {
		return 0, err
	}
	return int64(len(f.node.data)), nil
}

func (f *file) ReadAt(b []byte, at int64) (int, error) {
	defer f.disk.mu.Unlock()
	if err := f.begin(); err != nil {
		return 0, err
	}
	if err := f.disk.step("read", f.name); err != nil {
		return 0, err
	}
	if at >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(b, f.node.data[at:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) WriteAt(b []byte, at int64) (int, error) {
	defer f.disk.mu.Unlock()
	if err := f.begin(); err != nil {
		return 0, err
	}
	d := f.disk
	wasDead := d.dead
	if err := d.step("write", f.name); err != nil {
		n := 0
		if d.fault.Short && !wasDead {
			n = len(b) / 2
			f.node.write(b[:n], at)
		}
		return n, err
	}
	if grown := at + int64(len(b)) - int64(len(f.node.data)); d.space >= 0 && grown > 0 {
		if over := d.used() + grown - d.space; over > 0 {
			n := max(0, len(b)-int(over))
			f.node.write(b[:n], at)
			return n, &fs.PathError{Op: "write", Path: f.name, Err: syscall.ENOSPC}
		}
	}
	f.node.write(b, at)
	return len(b), nil
}

func (f *file) Truncate(size int64) error {
	defer f.disk.mu.Unlock()
	if err := f.begin(); err != nil {
		return err
	}
	if err := f.disk.step("truncate", f.name); err != nil {
		return err
	}
	f.node.data = resize(f.node.data, size)
	f.node.pending = append(f.node.pending, write{at: size})
	return nil
}

// Sync makes what was written durable. Where it fails, what was to be synced
// never will be, though readers still see it, as on Linux.
func (f *file) Sync() error {
	defer f.disk.mu.Unlock()
	if err := f.begin(); err != nil {
		return err
	}
	if err := f.disk.step("sync", f.name); err != nil {
		if !f.disk.dead {
			f.node.pending = nil
		}
		return err
	}
	for _, w := range f.node.pending {
		if w.data == nil {
			f.node.durable = resize(f.node.durable, w.at)
		} else {
			f.node.durable = put(f.node.durable, w.at, w.data)
		}
	}
	f.node.pending = nil
	return nil
}

func (f *file) Lock() error {
	defer f.disk.mu.Unlock()
	if err := f.begin(); err != nil {
		return err
	}
	if f.node.owner != nil && f.node.owner != f {
		return files.ErrInUse
	}
	f.node.owner = f
	return nil
}

func (f *file) Locked() (bool, error) {
	defer f.disk.mu.Unlock()
	if err := f.begin(); err != nil {
		return false, err
	}
	return f.node.owner != nil && f.node.owner != f, nil
}

// Close closes the file, also where it returns an error.
func (f *file) Close() error {
	defer f.disk.mu.Unlock()
	if err := f.begin(); err != nil {
		return err
	}
	f.closed = true
	if f.node.owner == f {
		f.node.owner = nil
	}
	return f.disk.step("close", f.name)
}

// write changes the content.
func (n *inode) write(b []byte, at int64) {
	n.data = put(n.data, at, b)
	n.pending = append(n.pending, write{at, slices.Clone(b)})
}

// put returns data with b at an offset.
func put(data []byte, at int64, b []byte) []byte {
	if end := at + int64(len(b)); end > int64(len(data)) {
		data = resize(data, end)
	}
	copy(data[at:], b)
	return data
}

// resize returns data with another length, filled with zeros.
func resize(data []byte, size int64) []byte {
	if size <= int64(len(data)) {
		return data[:size:size]
	}
	return append(data, make([]byte, size-int64(len(data)))...)
}
