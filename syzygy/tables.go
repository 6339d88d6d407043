package syzygy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// MaxPieces is the largest number of pieces, kings included, of any table.
const MaxPieces = layout.MaxPieces

// Tables are the available endgame tables. All methods except Close are safe for concurrent use, and only read
// positions.
type Tables struct {
	// WDL and DTZ, nil where there is none; by material in either order of its colours
	endings  map[layout.Material]*[2]*tableFile
	files    []*tableFile
	pieces   int
	wdl, dtz int // files of the directories

	report func(error) // see Watch
	mu     sync.Mutex
	told   map[string]bool // names of files that were reported
}

// The kinds of table.
const (
	kindWDL = iota
	kindDTZ
)

// suffixes are the ends of the files' names.
var suffixes = [2]string{".rtbw", ".rtbz"}

// tableFile is a file that is opened when it is first needed.
type tableFile struct {
	path     string
	material layout.Material
	kind     int
	open     func() (data []byte, unmap func() error, err error)

	ready atomic.Pointer[opened]
	mu    sync.Mutex
	unmap func() error
}

// opened is what came of opening a table.
type opened struct {
	file *file
	err  error
}

// Open finds the tables in directories and adds the built-in ones of three pieces. A table is read, and
// damage is found, when it is first needed. If several directories have a table, the first counts. The
// error names directories that cannot be read or, by [ErrNone], have no tables; the Tables are usable
// all the same.
func Open(directories ...string) (*Tables, error) {
	var errs []error
	t := &Tables{endings: map[layout.Material]*[2]*tableFile{}, told: map[string]bool{}}
	for _, dir := range directories {
		entries, err := os.ReadDir(dir)
		if err != nil {
			errs = append(errs, fmt.Errorf("syzygy: %w", err))
			continue
		}
		any := false
		for _, e := range entries {
			if e.IsDir() {
				continue
			}
			path := filepath.Join(dir, e.Name())
			any = t.add(e.Name(), path, func() ([]byte, func() error, error) { return mapFile(path) }) || any
		}
		if !any {
			errs = append(errs, fmt.Errorf("syzygy: %s: %w", dir, ErrNone))
		}
	}
	for _, f := range t.files {
		if f.kind == kindWDL {
			t.wdl++
		} else {
			t.dtz++
		}
	}
	t.addEmbedded()
	return t, errors.Join(errs...)
}

// addEmbedded adds the tables that are part of the program.
func (t *Tables) addEmbedded() {
	entries, err := fs.ReadDir(embedded, embeddedDir)
	if err != nil {
		return // TestEmbedded shows that it is there
	}
	for _, e := range entries {
		name := embeddedDir + "/" + e.Name()
		t.add(e.Name(), "embedded "+e.Name(), func() ([]byte, func() error, error) {
			data, err := embedded.ReadFile(name)
			return data, func() error { return nil }, err
		})
	}
}

// add notes a file whose name is that of a table, and reports whether it is.
func (t *Tables) add(name, path string, open func() ([]byte, func() error, error)) bool {
	for kind, suffix := range suffixes {
		ending, ok := strings.CutSuffix(name, suffix)
		if !ok {
			continue
		}
		m, err := layout.ParseMaterial(ending)
		if err != nil || m.String() != ending {
			return false
		}
		if canonical, _ := m.Canonical(); canonical != m {
			return false
		}
		both := t.endings[m]
		if both == nil {
			both = new([2]*tableFile)
			t.endings[m], t.endings[m.Swap()] = both, both
		}
		if both[kind] == nil {
			both[kind] = &tableFile{path: path, material: m, kind: kind, open: open}
			t.files = append(t.files, both[kind])
		}
		if kind == kindWDL {
			t.pieces = max(t.pieces, m.Pieces())
		}
		return true
	}
	return false
}

// load returns the table's file, which it opens when it is first called.
func (f *tableFile) load() (*file, error) {
	if o := f.ready.Load(); o != nil {
		return o.file, o.err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.ready.Load(); o != nil {
		return o.file, o.err
	}
	o := new(opened)
	var data []byte
	if data, f.unmap, o.err = f.open(); o.err == nil {
		o.file, o.err = parse(f.path, data, f.material, f.kind == kindWDL)
	}
	if o.err == nil && len(data) <= verifyAtOnce {
		o.err = verify(f.path, data)
	}
	if o.err == nil {
		o.file.table = f
	}
	f.ready.Store(o)
	return o.file, o.err
}

// Watch sets a function that a probe calls with an error of a file, be it damaged or unreadable, once for each file: a
// search goes on without such tables. Set it before the first probe. No two calls run at once.
func (t *Tables) Watch(report func(error)) { t.report = report }

// tell reports an error of a file if nobody has been told of the file yet.
func (t *Tables) tell(err error) {
	if t.report == nil || errors.Is(err, ErrMissing) || errors.Is(err, ErrCastling) {
		return
	}
	name := err.Error()
	if damaged := (*FileError)(nil); errors.As(err, &damaged) {
		name = damaged.Path
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.told[name] {
		t.told[name] = true
		t.report(err)
	}
}

// Close closes the files. No probe may run or follow.
func (t *Tables) Close() error {
	var errs []error
	for _, f := range t.files {
		f.mu.Lock()
		if f.unmap != nil {
			errs = append(errs, f.unmap())
			f.unmap = nil
		}
		f.ready.Store(&opened{err: fs.ErrClosed})
		f.mu.Unlock()
	}
	return errors.Join(errs...)
}

// Pieces returns the largest number of pieces, kings included, for which there is
// a table of outcomes.
func (t *Tables) Pieces() int { return t.pieces }

// Found returns the number of WDL and DTZ files in the directories, those that
// are part of the program not counted.
func (t *Tables) Found() (wdl, dtz int) { return t.wdl, t.dtz }

// Has reports whether there is a WDL table for the pieces of p and p has no castling rights. Tables of
// the positions after captures may still be missing.
func (t *Tables) Has(p *chess.Position) bool {
	if p.Castling() != chess.NoCastling || p.Occupied().Count() > t.pieces {
		return false
	}
	m := layout.MaterialOf(p)
	e := t.endings[m]
	return m == 0 || e != nil && e[kindWDL] != nil
}

// Verify reads every file whole and compares its checksum. The error joins
// what is wrong, file by file.
func (t *Tables) Verify() error {
	var errs []error
	for _, f := range t.files {
		file, err := f.load()
		if err == nil {
			err = verify(f.path, file.data)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// SplitPath splits a list of directories as users write it: at semicolons and, except on Windows, at colons. Empty
// parts and "<empty>" are dropped, so that a list may end with a separator.
func SplitPath(list string) []string { return splitPath(list, os.PathListSeparator) }

// splitPath splits a list at semicolons and at a separator.
func splitPath(list string, separator rune) []string {
	var dirs []string
	for dir := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ';' || r == separator }) {
		if dir = strings.Trim(strings.TrimSpace(dir), `"`); dir != "" && dir != "<empty>" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
