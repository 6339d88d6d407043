package games

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tabula-chess/tabula/internal/files"
)

// DB is a database: a directory of segments and a manifest that names them. A DB of
// [Open] is safe for concurrent use; what changes a DB of [Update] is not.
type DB struct {
	sys      files.System
	dir      string
	lock     files.File // of a DB that may be changed
	manifest manifest
	segments []*segment
	run      int    // runLength, less in tests
	most     uint64 // games of a segment: maxSegment, less in tests
}

// manifest says what belongs to a database. It is replaced as a whole: what it names
// was on the disk before.
type manifest struct {
	Format   int      `json:"format"`
	Next     int      `json:"next"` // number of the next segment
	Segments []string `json:"segments"`
	Sources  []source `json:"sources,omitempty"`
}

const format = 3

// Names of the files of a database.
const (
	manifestName  = "manifest.json"
	lockName      = "lock"
	segmentPrefix = "segment-"
)

// ErrNone says that a directory holds no database.
var ErrNone = errors.New("there is no database of games")

// Open opens a database for queries. Changes that another process makes later are not
// seen. Errors: [ErrNone]; [ErrDamaged], with the name of the file; those of the system.
func Open(dir string) (*DB, error) { return open(files.OS(), dir) }

// DefaultDir returns the directory in which the program keeps a user's games.
func DefaultDir() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "tabula", "games"), err
}

func open(sys files.System, dir string) (*DB, error) {
	db := &DB{sys: sys, dir: dir, run: runLength, most: maxSegment}
	for try := 1; ; try++ {
		err := db.load()
		if err == nil {
			return db, nil
		}
		db.Close()
		// Another process may have replaced segments since the manifest was read.
		if try == 5 || !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNone) {
			return nil, err
		}
	}
}

// Update opens a database to change it and makes the directory where there is none. One
// process at a time may: the error of others is that of package files, in use. What a
// run that was killed has left behind is removed.
func Update(dir string) (*DB, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return update(files.OS(), dir)
}

func update(sys files.System, dir string) (*DB, error) {
	db := &DB{sys: sys, dir: dir, run: runLength, most: maxSegment}
	lock, err := sys.Update(db.path(lockName))
	if err != nil {
		return nil, err
	}
	db.lock = lock
	if err = db.load(); errors.Is(err, ErrNone) {
		db.manifest = manifest{Format: format, Next: 1}
		err = nil
	}
	if err == nil {
		err = db.clean()
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// OpenSegment opens a database of one segment, whatever holds its bytes.
func OpenSegment(name string, file io.ReaderAt, size int64) (*DB, error) {
	r, err := openPages(name, file, size)
	if err != nil {
		return nil, err
	}
	db := &DB{dir: name}
	db.use([]*segment{newSegment(r, func() error { return nil })})
	return db, nil
}

// use makes segments those of the database.
func (db *DB) use(segments []*segment) {
	first := 0
	for _, s := range segments {
		s.first = first
		first += int(s.games)
	}
	db.segments = segments
}

func (db *DB) path(name string) string { return filepath.Join(db.dir, name) }

// load reads the manifest and opens the segments.
func (db *DB) load() error {
	name := db.path(manifestName)
	text, err := files.ReadAll(db.sys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", db.dir, ErrNone)
	}
	if err != nil {
		return err
	}
	db.manifest = manifest{}
	if err := json.Unmarshal(text, &db.manifest); err != nil {
		return fmt.Errorf("%s: %w: %w", name, ErrDamaged, err)
	}
	if db.manifest.Format != format {
		return fmt.Errorf("%s: format %d, want %d", name, db.manifest.Format, format)
	}
	for _, base := range db.manifest.Segments {
		s, err := openSegment(db.sys, db.path(filepath.Base(base)))
		if err != nil {
			return err
		}
		db.use(append(db.segments, s))
	}
	return nil
}

// clean removes segments that the manifest does not name.
func (db *DB) clean() error {
	names, err := db.sys.Siblings(db.path(segmentPrefix))
	for _, name := range names {
		if !slices.Contains(db.manifest.Segments, filepath.Base(name)) {
			err = errors.Join(err, db.sys.Remove(name))
		}
	}
	return err
}

// Close closes the files.
func (db *DB) Close() error {
	var err error
	for _, s := range db.segments {
		err = errors.Join(err, s.close())
	}
	if db.lock != nil {
		err = errors.Join(err, db.lock.Close())
	}
	db.segments, db.lock = nil, nil
	return err
}

// newBuilder begins the next segment.
func (db *DB) newBuilder() (*builder, error) {
	file, err := files.Begin(db.sys, db.path(fmt.Sprintf("%s%06d", segmentPrefix, db.manifest.Next)))
	if err != nil {
		return nil, err
	}
	return newBuilder(db.sys, file, db.run), nil
}

// replace puts the segment of a builder, nil for none, in the place of those from number
// from on to before number to, together with a change of the manifest. Where it fails, the
// database is as it was.
func (db *DB) replace(from, to int, b *builder, change func(*manifest)) error {
	next := db.manifest
	next.Segments, next.Sources = slices.Clone(next.Segments), slices.Clone(next.Sources)
	segments, old := db.segments, []*segment{}
	if b != nil {
		if err := b.commit(); err != nil {
			return err
		}
		name := b.file.Target()
		s, err := openSegment(db.sys, name)
		if err != nil {
			return errors.Join(err, db.sys.Remove(name))
		}
		old = segments[from:to]
		next.Segments = slices.Replace(next.Segments, from, to, filepath.Base(name))
		next.Next++
		segments = slices.Replace(slices.Clone(segments), from, to, s)
	}
	change(&next)
	text, err := json.MarshalIndent(&next, "", "  ")
	if err == nil {
		err = files.WriteOn(db.sys, db.path(manifestName), append(text, '\n'))
	}
	if err != nil {
		if b != nil {
			err = errors.Join(err, segments[from].close())
		}
		return err // the segment is removed when the database is opened next
	}
	db.manifest = next
	db.use(segments)
	for _, s := range old {
		err = errors.Join(err, s.close(), db.sys.Remove(s.name))
	}
	return err
}

// knows reports whether the database holds a game with a hash.
func (db *DB) knows(hash uint64) (bool, error) {
	for _, s := range db.segments {
		if n, err := s.common(hash); n > 0 || err != nil {
			return n > 0, err
		}
	}
	return false, nil
}

// Stats says what a database holds.
type Stats struct {
	Games     int   `json:"games"`
	Plies     int   `json:"plies"`
	Positions int   `json:"positions"` // of each segment, added up
	Popular   int   `json:"popular"`   // of these, those that have counts of their own
	Segments  int   `json:"segments"`
	Bytes     int64 `json:"bytes"`
}

// Stats returns what the segments say of themselves.
func (db *DB) Stats() Stats {
	all := Stats{Segments: len(db.segments)}
	for _, s := range db.segments {
		all.Games += int(s.games)
		all.Plies += int(s.plies)
		all.Positions += int(s.positions)
		all.Popular += int(s.popular)
		all.Bytes += s.size
	}
	return all
}
