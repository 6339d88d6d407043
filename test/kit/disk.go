package kit

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"

	"github.com/tabula-chess/tabula/internal/files"
)

// ErrKilled is the error of every operation after the process was killed. Such an operation has no
// effect.
var ErrKilled = errors.New("the process was killed")

// Fault says which operation fails and how. The zero Fault is none.
type Fault struct {
	At    int   // number of the operation from 1; 0 for none
	Err   error // what it returns; ErrKilled ends the process there
	Short bool  // a write that fails writes half of its bytes before
	Stays bool  // all later operations fail too
}

// Disk is a disk in memory. It is safe for concurrent use.
type Disk struct {
	mu      sync.Mutex
	fault   Fault
	ops     int
	dead    bool
	names   map[string]*inode
	durable map[string]*inode // names as a power cut leaves them at the least
	changes []change          // of names, since
}

// inode is the content of a file.
type inode struct {
	data    []byte
	durable []byte // as it was synced
	owner   *file  // of the lock
}

// change is a name that was given to a file, or removed where node is nil, and
// the name that the file had before, "" for none.
type change struct {
	name   string
	node   *inode
	before string
}

// file is an open file.
type file struct {
	disk *Disk
	name string
	node *inode
}

// NewDisk returns an empty disk.
func NewDisk() *Disk { return &Disk{names: map[string]*inode{}, durable: map[string]*inode{}} }

// Plan sets the next fault and restarts the count of operations at 0.
func (d *Disk) Plan(f Fault) { d.fault, d.ops = f, 0 }

// Operations returns the number of operations since Plan that could have failed.
func (d *Disk) Operations() int { return d.ops }

// Kill ends the process that used the disk, without its having done more: locks
// are free, what was written stays.
func (d *Disk) Kill() {
	d.dead, d.fault = false, Fault{}
	for _, n := range d.names {
		n.owner = nil
	}
}

// PowerCut kills the process and loses unsynced data: each file keeps its synced content, perhaps
// with a first part of later writes, and only the first few unsynced name changes survive.
func (d *Disk) PowerCut(r *rand.Rand) {
	d.Kill()
	for _, c := range d.changes[:r.IntN(len(d.changes)+1)] {
		c.in(d.durable)
	}
	d.changes = nil
	d.names = maps.Clone(d.durable)
	for _, name := range slices.Sorted(maps.Keys(d.names)) {
		n := d.names[name]
		if !slices.Equal(n.data, n.durable) {
			written := r.IntN(len(n.data) + 1)
			n.data = append(slices.Clone(n.data[:written]), n.durable[min(written, len(n.durable)):]...)
		}
		n.durable, n.owner = slices.Clone(n.data), nil
	}
}

// Content returns what a file holds, and whether it is there.
func (d *Disk) Content(name string) ([]byte, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, ok := d.names[name]
	if !ok {
		return nil, false
	}
	return slices.Clone(n.data), true
}

// Put gives a file its content, which survives all that comes.
func (d *Disk) Put(name string, data []byte) {
	n := &inode{data: slices.Clone(data), durable: slices.Clone(data)}
	d.names[name], d.durable[name] = n, n
}

// Names returns the names of all files, sorted.
func (d *Disk) Names() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.names))
}

// in carries out the change.
func (c *change) in(names map[string]*inode) {
	delete(names, c.before)
	if c.node == nil {
		delete(names, c.name)
	} else {
		names[c.name] = c.node
	}
}

// change changes names.
func (d *Disk) change(c change) {
	c.in(d.names)
	d.changes = append(d.changes, c)
}

// step counts an operation and returns the error it is to fail with.
func (d *Disk) step(what, name string) error {
	d.ops++
	switch {
	case d.dead:
		return ErrKilled
	case d.fault.At == 0 || d.ops < d.fault.At || d.ops > d.fault.At && !d.fault.Stays:
		return nil
	case d.fault.Err == ErrKilled:
		d.dead = true
		return ErrKilled
	}
	return &fs.PathError{Op: what, Path: name, Err: d.fault.Err}
}

// Open opens a file for reading.
func (d *Disk) Open(name string) (files.RegularFile, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("open", name); err != nil {
		return nil, err
	}
	n, ok := d.names[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &file{d, name, n}, nil
}

// Update opens a file for reading and writing, makes it where there is none, and locks it.
func (d *Disk) Update(name string) (files.RegularFile, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("open", name); err != nil {
		return nil, err
	}
	n := d.names[name]
	if n == nil {
		n = &inode{}
		d.change(change{name: name, node: n})
	}
	if n.owner != nil {
		return nil, files.ErrInUse
	}
	f := &file{d, name, n}
	n.owner = f
	return f, nil
}

// Target returns name: there are no links here.
func (d *Disk) Target(name string) (string, error) { return name, nil }

// Place gives a file another name and closes it.
func (d *Disk) Place(f files.RegularFile, name string) error {
	from := f.(*file)
	d.mu.Lock()
	err := d.step("rename", from.name)
	if err == nil {
		d.change(change{name, from.node, from.name})
	}
	d.mu.Unlock()
	return errors.Join(err, f.Close())
}

// Remove removes a name.
func (d *Disk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("remove", name); err != nil {
		return err
	}
	if _, ok := d.names[name]; !ok {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	d.change(change{name: name})
	return nil
}

// SyncDir makes all changes of names durable.
func (d *Disk) SyncDir(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("syncdir", name); err != nil {
		return err
	}
	d.durable, d.changes = maps.Clone(d.names), nil
	return nil
}

func (f *file) Name() string { return f.name }

func (f *file) Size() (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return int64(len(f.node.data)), nil
}

func (f *file) ReadAt(b []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.disk.step("read", f.name); err != nil {
		return 0, err
	}
	n := copy(b, f.node.data[min(at, int64(len(f.node.data))):])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) WriteAt(b []byte, at int64) (n int, err error) {
	d := f.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	dead := d.dead
	if err = d.step("write", f.name); err == nil {
		n = len(b)
	} else if d.fault.Short && !dead {
		n = len(b) / 2
	}
	if n > 0 {
		f.node.resize(max(len(f.node.data), int(at)+n))
		copy(f.node.data[at:], b[:n])
	}
	return n, err
}

func (f *file) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	err := f.disk.step("truncate", f.name)
	if err == nil {
		f.node.resize(int(size))
	}
	return err
}

func (f *file) Sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	err := f.disk.step("sync", f.name)
	if err == nil {
		f.node.durable = slices.Clone(f.node.data)
	}
	return err
}

func (f *file) Locked() (bool, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return f.node.owner != nil && f.node.owner != f, nil
}

// Close closes the file, also where it returns an error.
func (f *file) Close() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.node.owner == f {
		f.node.owner = nil
	}
	return f.disk.step("close", f.name)
}

// resize gives the content another length, filled with zeros.
func (n *inode) resize(size int) {
	data := make([]byte, size)
	copy(data, n.data)
	n.data = data
}

// Faults returns the ways in which the operation of the given number is to
// fail, one after the other.
func Faults(at int) []Fault {
	return []Fault{
		{At: at, Err: syscall.ENOSPC},
		{At: at, Err: syscall.ENOSPC, Short: true, Stays: true},
		{At: at, Err: syscall.EIO, Short: true},
		{At: at, Err: syscall.EIO, Stays: true},
		{At: at, Err: ErrKilled},
		{At: at, Err: ErrKilled, Short: true},
	}
}
