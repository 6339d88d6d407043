package games

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/internal/files"
)

// DB is a database: a directory of segments and a manifest. A DB of [Open] is safe for
// concurrent use; what changes a DB of [Update] is not.
type DB struct {
	dir      string
	lock     io.Closer // of a DB that may be changed
	manifest manifest
	named    bool // the manifest on the disk names the segments
	segments []*segment

	// Bounds, which are lower in tests.
	run   int    // records that are sorted in memory at a time
	batch uint64 // games after which an import puts them on the disk
	most  uint64 // games of a segment
}

// manifest says what belongs to a database, so that a loss is noticed.
type manifest struct {
	Format   int               `json:"format"`
	Segments []part            `json:"segments"`
	Marks    map[string]string `json:"marks,omitempty"` // see DB.Mark
}

// part is a segment when the manifest was written. Later it may be part of another.
type part struct {
	Name  string `json:"name"`
	Games uint64 `json:"games"`
	Sum   uint32 `json:"crc32"` // of its footer
}

const format = 5

// Names of the files of a database.
const (
	manifestName = "manifest.json"
	lockName     = "lock"
)

// ErrInUse reports that another process changes the database.
var ErrInUse = files.ErrInUse

// ErrNone reports that a directory holds no database.
var ErrNone = errors.New("there is no database of games")

// Open opens a database for queries. It does not see later changes by other processes. Errors:
// [ErrNone]; [ErrDamaged], with the name of the file; errors of the file system.
func Open(dir string) (*DB, error) {
	db := newDB(dir)
	for try := 1; ; try++ {
		err := db.load()
		if err == nil {
			return db, nil
		}
		db.Close()
		// Another process may have replaced segments since their names were read.
		if try == 5 || errors.Is(err, ErrNone) || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrDamaged) {
			return nil, err
		}
	}
}

// DefaultDir returns the directory in which the program keeps a user's games.
func DefaultDir() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "tabula", "games"), err
}

func newDB(dir string) *DB { return &DB{dir: dir, run: 1 << 20, batch: 500_000, most: maxSegment} }

// Update opens a database for changes and creates the directory if necessary. Only one process at a
// time can do this; for others the error is [ErrInUse]. It removes the remains of a killed run.
func Update(dir string) (*DB, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	db, err := locked(dir)
	if err != nil {
		return nil, err
	}
	if err = db.load(); errors.Is(err, ErrNone) {
		db.manifest = manifest{Format: format}
		err = nil
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	db.clean()
	return db, nil
}

// locked returns a DB that may be changed, of which nothing was read.
func locked(dir string) (db *DB, err error) {
	db = newDB(dir)
	db.lock, err = files.Lock(db.path(lockName))
	return db, err
}

// Remove deletes the database in a directory; there may be none. Errors: [ErrInUse]; those of the file system.
func Remove(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := locked(dir)
	if err != nil {
		return err
	}
	names, err := db.segmentFiles()
	for _, name := range append(names, db.path(manifestName)) {
		if gone := os.Remove(name); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return errors.Join(err, db.Close())
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
	err := db.readManifest()
	spans, _, err2 := db.spans()
	switch {
	case errors.Is(err, fs.ErrNotExist) && err2 == nil && len(spans) > 0:
		return fmt.Errorf("%s: %w: there are segments, such as %s, and no manifest", db.dir, ErrDamaged, spans[0])
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", db.dir, ErrNone)
	case cmp.Or(err, err2) != nil:
		return cmp.Or(err, err2)
	}
	for _, sp := range spans {
		s, err := openSegment(db.path(sp.String()))
		if err != nil {
			return err
		}
		db.use(append(db.segments, s))
	}
	return db.compare()
}

// compare returns an error where the segments do not have the games of those that the manifest
// names. There may be one more at the end, of an import that was killed.
func (db *DB) compare() error {
	left := db.manifest.Segments
	db.named = len(db.segments) == len(left)
	for i, s := range db.segments {
		parts := s.partsOf(left)
		if len(parts) == 0 && len(left) > 0 && left[0].before(s.span()) {
			break // left[0] is missing
		}
		left = left[len(parts):]
		db.named = db.named && len(parts) == 1
		switch games := gamesOf(parts); {
		case len(parts) == 0 && len(left) == 0 && i == len(db.segments)-1:
			// the import was killed before it wrote the manifest
		case len(parts) == 1 && parts[0].Name == s.part().Name && parts[0] != s.part():
			return s.damaged("it is not the segment that the manifest names")
		case len(parts) == 0, games != s.games:
			return s.damaged("it has %d games, and the manifest says %d", s.games, games)
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("%s: %w: it is not there, and the manifest names it", db.path(left[0].Name), ErrDamaged)
	}
	return nil
}

// partsOf returns those of a manifest's parts, from the first on, that are part of the segment.
func (s *segment) partsOf(parts []part) []part {
	n := 0
	for n < len(parts) && parts[n].within(s.span()) {
		n++
	}
	return parts[:n]
}

// within reports whether a segment has the games of the part.
func (p part) within(s span) bool {
	own, ok := parseSpan(p.Name)
	return ok && s.holds(own)
}

// before reports whether the part begins before a segment.
func (p part) before(s span) bool {
	own, ok := parseSpan(p.Name)
	return ok && own.first < s.first
}

// gamesOf returns how many games parts have.
func gamesOf(parts []part) (games uint64) {
	for _, p := range parts {
		games += p.Games
	}
	return games
}

func (s *segment) part() part { return part{s.span().String(), s.games, s.sum} }

// sealed is the manifest as it is stored: with the checksum of its text.
type sealed struct {
	Sum      uint32          `json:"crc32"`
	Manifest json.RawMessage `json:"manifest"`
}

func (db *DB) readManifest() error {
	name := db.path(manifestName)
	text, err := files.Read(name)
	if err != nil {
		return err
	}
	var of sealed
	if err = json.Unmarshal(text, &of); err == nil && crc32.ChecksumIEEE(of.Manifest) != of.Sum {
		err = errors.New("its checksum does not match")
	}
	db.manifest = manifest{}
	if err == nil {
		err = json.Unmarshal(of.Manifest, &db.manifest)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", name, ErrDamaged, err)
	}
	if db.manifest.Format != format {
		return fmt.Errorf("%s: format %d, want %d", name, db.manifest.Format, format)
	}
	return nil
}

// writeManifest writes the manifest of the segments in use.
func (db *DB) writeManifest() error {
	next := manifest{Format: format, Segments: []part{}, Marks: db.manifest.Marks}
	for _, s := range db.segments {
		next.Segments = append(next.Segments, s.part())
	}
	text, err := json.Marshal(&next)
	if err == nil {
		text, err = json.Marshal(sealed{crc32.ChecksumIEEE(text), text})
	}
	if err == nil {
		err = files.Write(db.path(manifestName), append(text, '\n'))
	}
	if err == nil {
		db.manifest, db.named = next, true
	}
	return err
}

// span is what a segment has: the games of the imports with these numbers. Its file is named by
// it, so that a directory tells which segments are those of the database: those that are part
// of no other. A merge is done once its segment has its name.
type span struct{ first, last int }

const segmentPrefix = "segment-"

// String returns the name of the segment: segment-000001, or segment-000001-000008.
func (s span) String() string {
	name := fmt.Sprintf("%s%06d", segmentPrefix, s.first)
	if s.last > s.first {
		name += fmt.Sprintf("-%06d", s.last)
	}
	return name
}

func parseSpan(name string) (s span, ok bool) {
	first, last, two := strings.Cut(strings.TrimPrefix(name, segmentPrefix), "-")
	s.first, _ = strconv.Atoi(first)
	if s.last = s.first; two {
		s.last, _ = strconv.Atoi(last)
	}
	return s, s.first > 0 && s.String() == name
}

// holds reports whether a segment has the games of another.
func (s span) holds(o span) bool { return s.first <= o.first && o.last <= s.last }

// segmentFiles returns the names of the files, and of links, that may be segments, with the directory.
func (db *DB) segmentFiles() (names []string, err error) {
	entries, err := os.ReadDir(db.dir)
	for _, e := range entries {
		if kind := e.Type(); (kind.IsRegular() || kind&fs.ModeSymlink != 0) && strings.HasPrefix(e.Name(), segmentPrefix) {
			names = append(names, db.path(e.Name()))
		}
	}
	return names, err
}

// spans returns the segments of the database in their order, and the names of those that are
// part of others or were left behind before they were done.
func (db *DB) spans() (spans []span, old []string, err error) {
	names, err := db.segmentFiles()
	var all []span
	for _, name := range names {
		if sp, ok := parseSpan(filepath.Base(name)); ok {
			all = append(all, sp)
		} else if strings.HasSuffix(name, ".tmp") {
			old = append(old, name)
		}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(b.last, a.last)) })
	for _, sp := range all {
		switch n := len(spans); {
		case n == 0 || sp.first > spans[n-1].last:
			spans = append(spans, sp)
		case spans[n-1].holds(sp):
			old = append(old, db.path(sp.String()))
		case err == nil:
			err = fmt.Errorf("%s: %w: %s and %s have games in common", db.dir, ErrDamaged, spans[n-1], sp)
		}
	}
	return spans, old, err
}

// clean removes the segments that are part of others, and what a run that was killed has left.
func (db *DB) clean() {
	_, old, _ := db.spans() // load has seen the error
	for _, name := range old {
		_ = os.Remove(name) // or next time
	}
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

// newBuilder begins a segment: with the games of those from number from on to before number to,
// or the next one.
func (db *DB) newBuilder(from, to int) (*builder, error) {
	sp := span{1, 1}
	if from < to {
		sp = span{db.segments[from].span().first, db.segments[to-1].span().last}
	} else if from > 0 {
		n := db.segments[from-1].span().last + 1
		sp = span{n, n}
	}
	name := db.path(sp.String())
	file, err := files.Begin(name)
	if err != nil {
		return nil, err
	}
	return newBuilder(file, name, db.run), nil
}

func (s *segment) span() span {
	sp, _ := parseSpan(filepath.Base(s.name)) // it was opened by this name
	return sp
}

// replace puts the segment of a builder, nil for none, in the place of those from number from
// on to before number to, and writes the manifest. Errors leave the database whole: with
// the segment, or as it was.
func (db *DB) replace(from, to int, b *builder) error {
	if b == nil {
		return db.writeManifest()
	}
	if !db.named { // or a kill would leave two segments that it does not name
		if err := db.writeManifest(); err != nil {
			return err
		}
	}
	if old := db.segments[from:to]; len(old) == 1 && old[0].name == b.name {
		return db.renew(from, b)
	}
	if err := b.commit(); err != nil {
		return err
	}
	s, err := openSegment(b.name)
	if err != nil { // what it was made of is still there
		return errors.Join(err, os.Remove(b.name))
	}
	old := slices.Clone(db.segments[from:to])
	db.use(slices.Replace(slices.Clone(db.segments), from, to, s))
	db.named = false
	err = db.writeManifest()
	for _, s := range old {
		err = errors.Join(err, s.close())
		if db.named {
			_ = os.Remove(s.name) // or next time, if another program reads it on Windows
		}
	}
	return err
}

// renew puts the segment of a builder in the place of the one with its name, number i, as a repair does. That is closed
// first, because Windows replaces no file that is open, and opened again where the new one cannot take its place.
func (db *DB) renew(i int, b *builder) error {
	if err := db.segments[i].close(); err != nil {
		return err
	}
	rest := slices.Delete(slices.Clone(db.segments), i, i+1)
	db.use(rest)
	failed := b.commit()
	s, err := openSegment(b.name)
	if err != nil {
		return errors.Join(failed, err)
	}
	db.use(slices.Insert(slices.Clone(rest), i, s))
	if failed != nil {
		return failed
	}
	db.named = false
	return db.writeManifest()
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

// Stats are the sizes of a database.
type Stats struct {
	Games     int   `json:"games"`
	Plies     int   `json:"plies"`
	Positions int   `json:"positions"` // of each segment, added up
	Popular   int   `json:"popular"`   // of these, those that have counts of their own
	Segments  int   `json:"segments"`
	Bytes     int64 `json:"bytes"`
}

// Stats returns the sizes of the database.
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
