// Package disktest is a disk in memory for tests: any operation on it can be
// made to fail, a process that uses it can be killed at any operation, and the
// power can be cut, which loses what was not synced.
package filestest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/tabula-chess/tabula/internal/files"
)

// ErrKilled is what every operation returns once the process is killed: it has
// no effect, as if it had not been reached.
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
	space   int64 // bytes; negative for no limit
	names   map[string]*inode
	durable map[string]*inode // names as a power cut leaves them at the least
	changes []change          // of names, since
	life    int               // files opened in an earlier life are of dead processes
}

// inode is the content of a file.
type inode struct {
	data    []byte
	durable []byte  // as a power cut leaves it at the least
	pending []write // since
	owner   *file   // of the lock
}

// write is a write, or a truncation where data is nil.
type write struct {
	at   int64
	data []byte
}

// change is a name that was given to a file, or removed where node is nil, and
// the name that the file had before, "" for none.
type change struct {
	name   string
	node   *inode
	before string
}

// New returns an empty disk without limit.
func New() *Disk {
	return &Disk{space: -1, names: map[string]*inode{}, durable: map[string]*inode{}}
}

// Plan sets the fault to come and counts operations from 0 again.
func (d *Disk) Plan(f Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault, d.ops = f, 0
}

// Limit sets the space of the disk in bytes; negative for no limit.
func (d *Disk) Limit(bytes int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.space = bytes
}

// Operations returns the number of operations since Plan that could have failed.
func (d *Disk) Operations() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ops
}

// Kill ends the process that used the disk, without its having done more: locks
// are free, what was written stays.
func (d *Disk) Kill() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.life++
	d.dead, d.fault = false, Fault{}
	for _, n := range d.names {
		n.owner = nil
	}
}

// PowerCut kills the process and loses what was not synced: of the changes to
// each file any part may be there, torn at sectors and in any order, and of the
// changes of names the first few.
func (d *Disk) PowerCut(r *rand.Rand) {
	d.Kill()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.changes[:r.IntN(len(d.changes)+1)] {
		set(d.durable, c)
	}
	d.changes = nil
	d.names = maps.Clone(d.durable)
	for _, name := range slices.Sorted(maps.Keys(d.names)) {
		d.names[name].cut(r)
	}
}

// sector is what a disk writes whole or not at all.
const sector = 512

// cut loses changes that were not synced.
func (n *inode) cut(r *rand.Rand) {
	data := slices.Clone(n.durable)
	for _, w := range n.pending {
		if w.data == nil {
			if r.IntN(2) == 0 {
				data = resize(data, w.at)
			}
			continue
		}
		for from := w.at; from < w.at+int64(len(w.data)); {
			to := min(from/sector*sector+sector, w.at+int64(len(w.data)))
			if r.IntN(4) > 0 {
				data = put(data, from, w.data[from-w.at:to-w.at])
			}
			from = to
		}
	}
	n.data, n.durable, n.pending, n.owner = data, slices.Clone(data), nil, nil
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
	d.mu.Lock()
	defer d.mu.Unlock()
	n := &inode{data: slices.Clone(data), durable: slices.Clone(data)}
	d.names[name], d.durable[name] = n, n
}

// Names returns the names of all files, sorted.
func (d *Disk) Names() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.names))
}

// set carries out a change of names.
func set(names map[string]*inode, c change) {
	delete(names, c.before)
	if c.node == nil {
		delete(names, c.name)
	} else {
		names[c.name] = c.node
	}
}

// change changes names.
func (d *Disk) change(c change) {
	set(d.names, c)
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

// used returns the bytes of all files.
func (d *Disk) used() (n int64) {
	for _, node := range d.names {
		n += int64(len(node.data))
	}
	return n
}

// Open opens a file for reading.
func (d *Disk) Open(name string) (files.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open("open", name, false)
}

// Update opens a file for reading and writing, and makes it where there is none.
func (d *Disk) Update(name string) (files.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open("open", name, true)
}

func (d *Disk) open(what, name string, create bool) (files.File, error) {
	if err := d.step(what, name); err != nil {
		return nil, err
	}
	n, ok := d.names[name]
	if !ok {
		if !create {
			return nil, &fs.PathError{Op: what, Path: name, Err: fs.ErrNotExist}
		}
		n = &inode{}
		d.change(change{name: name, node: n})
	}
	return &file{disk: d, name: name, node: n, life: d.life}, nil
}

// Create makes a new file.
func (d *Disk) Create(name, _ string) (files.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.names[name]; ok {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	return d.open("create", name, true)
}

// Target returns name: there are no links here.
func (d *Disk) Target(name string) (string, error) { return name, nil }

// Siblings returns the names that begin like name.
func (d *Disk) Siblings(name string) (names []string, err error) {
	for _, n := range d.Names() {
		if strings.HasPrefix(n, name) {
			names = append(names, n)
		}
	}
	return names, nil
}

// Same reports whether name is still the name of f.
func (d *Disk) Same(f files.File, name string) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.names[name] == f.(*file).node, nil
}

// Rename gives a file another name.
func (d *Disk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("rename", from); err != nil {
		return err
	}
	n, ok := d.names[from]
	if !ok {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	d.change(change{to, n, from})
	return nil
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

// SyncDir makes the changes of names in a directory durable.
func (d *Disk) SyncDir(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("syncdir", filepath.Dir(name)); err != nil {
		return err
	}
	for _, c := range d.changes {
		set(d.durable, c)
	}
	d.changes = nil
	return nil
}

// Locks returns true.
func (d *Disk) Locks() bool { return true }

// String lists the files for messages of tests.
func (d *Disk) String() string {
	var b strings.Builder
	for _, name := range d.Names() {
		data, _ := d.Content(name)
		fmt.Fprintf(&b, "%s (%d bytes) ", name, len(data))
	}
	return b.String()
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
