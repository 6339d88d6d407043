package games

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Repaired is the result of a repair.
type Repaired struct {
	Games int // that the database has
	Lost  int // that it had, as far as that is known
	Gone  int // segments with an unknown number of games, missing or with a name that ends in ".damaged" now
}

// Repair makes the manifest of a damaged database again from its segments, and the segments in which
// something is damaged from those of their games that can be read. found is called with all that was
// found. Another import of the files brings back what was lost. progress is called with the number of
// games checked. Errors: [ErrNone], those of ctx and of the system.
func Repair(ctx context.Context, dir string, found func(error), progress func(games int)) (done Repaired, err error) {
	db := newDB(dir)
	err = db.load()
	db.Close()
	if errors.Is(err, ErrNone) || errors.Is(err, fs.ErrNotExist) {
		return done, err // and no lock is left behind
	}
	broken := db.readManifest()
	names, err := db.segmentFiles()
	if err == nil && broken != nil && len(names) == 0 {
		err = fmt.Errorf("%w, and there is no segment: nothing can be repaired, and nothing is changed", broken)
	}
	if err != nil {
		return done, err
	}
	if db, err = locked(dir); err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	sound := true
	report := func(err error) {
		sound = false
		db.manifest.Marks = nil // what is lost is fetched again
		found(err)
	}
	broken = db.readManifest()
	if broken != nil && !errors.Is(broken, ErrDamaged) && !errors.Is(broken, fs.ErrNotExist) {
		return done, broken
	}
	if done.Gone, err = db.openSound(report); err != nil {
		return done, err
	}
	if broken != nil {
		broken = fmt.Errorf("%w, so nothing says whether segments after the last are missing", broken)
	}
	if broken = cmp.Or(broken, db.compare()); broken != nil {
		report(broken)
	}
	had := 0
	for _, p := range db.manifest.Segments {
		had += int(p.Games)
	}
	had = max(had, db.Stats().Games)
	for i, s := range db.segments {
		err := s.check(ctx, progress)
		if errors.Is(err, ErrDamaged) {
			report(err)
			err = db.merge(ctx, i, i+1, true, func(int) {})
		}
		if err != nil {
			return done, err
		}
	}
	done.Games = db.Stats().Games
	done.Lost = max(0, had-done.Games)
	if !sound {
		err = db.writeManifest()
	}
	return done, err
}

// openSound opens the segments after those whose end is damaged were put aside.
func (db *DB) openSound(report func(error)) (gone int, err error) {
	names, err := db.segmentFiles()
	if err != nil {
		return 0, err
	}
	sound := map[span]*segment{}
	next := 1 // the first import of which no segment was seen
	for _, name := range names {
		sp, ok := parseSpan(filepath.Base(name))
		if !ok {
			continue
		}
		if sp.first > next && len(db.manifest.Segments) == 0 {
			report(fmt.Errorf("%s: %w: it is not there", db.path(span{next, sp.first - 1}.String()), ErrDamaged))
			gone++
		}
		next = max(next, sp.last+1)
		s, err := openSegment(name)
		if err == nil {
			sound[sp] = s
			defer func() {
				if !slices.Contains(db.segments, s) {
					s.close() // it was only read
				}
			}()
			continue
		}
		if !errors.Is(err, ErrDamaged) {
			return gone, err
		}
		report(err)
		if err := os.Rename(name, name+".damaged"); err != nil {
			return gone, err
		}
		gone++
	}
	spans, _, err := db.spans()
	if err != nil {
		return gone, err
	}
	for _, sp := range spans {
		db.use(append(db.segments, sound[sp]))
		delete(sound, sp)
	}
	for _, s := range sound { // they are part of others
		if n, err := s.countKnown(db); err != nil || n < int(s.games) {
			return gone, errors.Join(err,
				fmt.Errorf("%s: another segment has its numbers and not its games; move one of them away", s.name))
		}
	}
	return gone, nil
}
