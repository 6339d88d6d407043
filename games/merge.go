package games

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/bits"
	"runtime"
	"slices"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/parallel"
	"github.com/tabula-chess/tabula/pgn"
)

// mergeAt is how many segments of about one size are made one.
const mergeAt = 8

// class returns the size of a segment on a scale of eights.
func class(games uint64) int { return bits.Len64(games) / 3 }

// tidy merges the last segments while there are mergeAt that are no larger than the last.
func (db *DB) tidy(ctx context.Context) error {
	for {
		to := len(db.segments)
		from, sum := to, uint64(0)
		for ; from > 0; from-- {
			games := db.segments[from-1].games
			if sum += games; sum > db.most || class(games) > class(db.segments[to-1].games) {
				break
			}
		}
		if to-from < mergeAt {
			return nil
		}
		if err := db.merge(ctx, from, to, func(int) {}); err != nil {
			return err
		}
	}
}

// Compact merges neighbours among the segments as far as one may hold their games, so
// that queries have less to read. progress is called with the number of games dealt with.
// Errors leave the database whole.
func (db *DB) Compact(ctx context.Context, progress func(games int)) error {
	for from := 0; from < len(db.segments); from++ {
		to, sum := from, uint64(0)
		for ; to < len(db.segments); to++ {
			if sum += db.segments[to].games; sum > db.most {
				break
			}
		}
		if to-from < 2 {
			continue
		}
		if err := db.merge(ctx, from, to, progress); err != nil {
			return err
		}
	}
	return nil
}

// merge makes one segment of those from number from on to before number to.
func (db *DB) merge(ctx context.Context, from, to int, progress func(games int)) error {
	b, err := db.newBuilder()
	if err != nil {
		return err
	}
	defer b.close()
	first := db.segments[from].first
	for _, s := range db.segments[from:to] {
		err := s.entries(ctx, func(e *entry) error {
			progress(first + int(b.shape.games))
			return b.add(e)
		})
		if err != nil {
			return err
		}
	}
	return db.replace(from, to, b, func(*manifest) {})
}

// entries calls use with the games of a segment in order.
func (s *segment) entries(ctx context.Context, use func(*entry) error) error {
	type result struct {
		entries []*entry
		err     error
	}
	return parallel.InOrder(ctx, runtime.GOMAXPROCS(0), s.blocks(), func(n int) (r result) {
		block, err := s.readBlock(n)
		for i := 0; err == nil && i < len(block.fens); i++ {
			var g *pgn.Game
			if g, err = s.game(block, i); err == nil {
				r.entries = append(r.entries, newEntry(g))
			}
		}
		r.err = err
		return r
	}, func(r result) error {
		for _, e := range r.entries {
			if err := use(e); err != nil {
				return err
			}
		}
		return r.err
	})
}

// Check reads the whole database. It compares all checksums, replays all games and makes
// the segments again, which must be the same. progress is called with the number of games
// checked. It takes as much space beside the largest segment as that has.
func (db *DB) Check(ctx context.Context, progress func(games int)) error {
	for _, s := range db.segments {
		if err := s.check(ctx, db, progress); err != nil {
			return err
		}
	}
	return nil
}

// check compares the segment with what its games say.
func (s *segment) check(ctx context.Context, db *DB, progress func(games int)) error {
	file, err := files.Scratch(db.sys, s.name)
	if err != nil {
		return err
	}
	b := newBuilder(db.sys, file, db.run)
	defer b.close()
	err = s.entries(ctx, func(e *entry) error {
		progress(s.first + int(b.shape.games))
		return b.add(e)
	})
	if err == nil {
		err = b.finish()
	}
	if err != nil {
		return err
	}
	again, err := openPages(s.name, file, file.Size())
	if err != nil {
		return err
	}
	if again.shape != s.shape || again.pages != s.pages {
		return s.damaged("its counts are not what the games say")
	}
	for section, pages := range s.pages {
		for n := range pages {
			have, err := s.page(section, n)
			want, err2 := again.page(section, n)
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			// How blocks are packed depends on the compiler's library; their content is in the other pages.
			if section != secMoves && section != secTags && !bytes.Equal(have, want) {
				return s.damaged("page %d of section %d is not what the games say", n, section)
			}
		}
	}
	return nil
}

// Adopt adds the games of a segment that another database has made and that fetch writes,
// as it is where no game of it is there already. The same id means the same segment, which
// is adopted once.
func (db *DB) Adopt(ctx context.Context, id string, fetch func(io.Writer) error) (done Imported, err error) {
	if slices.ContainsFunc(db.manifest.Sources, func(s source) bool { return s.ID == id }) {
		return done, nil
	}
	b, err := db.newBuilder()
	if err != nil {
		return done, err
	}
	defer b.close()
	file, err := files.Scratch(db.sys, b.file.Target())
	if err != nil {
		return done, err
	}
	defer file.Abort()
	if err := fetch(file); err != nil {
		return done, err
	}
	r, err := openPages(b.file.Target(), file, file.Size())
	if err != nil {
		return done, err
	}
	s := newSegment(r, nil)
	done.Games = int(s.games)
	if done.Repeated, err = s.countKnown(db); err != nil {
		return done, err
	}
	if done.Repeated == 0 {
		b.whole = io.NewSectionReader(file, 0, file.Size())
	} else {
		err = s.entries(ctx, func(e *entry) error {
			if known, err := db.knows(e.hash); known || err != nil {
				return err
			}
			return b.add(e)
		})
		if err != nil {
			return done, err
		}
	}
	if done.Games -= done.Repeated; done.Games == 0 {
		b = nil
	}
	return done, db.replace(len(db.segments), len(db.segments), b, func(m *manifest) { m.Sources = append(m.Sources, source{ID: id, Done: true}) })
}

// countKnown counts the games that a database has.
func (s *segment) countKnown(db *DB) (known int, err error) {
	for page := range s.pages[secHashes] {
		hashes, err := s.hashes(page)
		if err != nil {
			return known, err
		}
		for _, o := range db.segments {
			n, err := o.common(hashes...)
			if err != nil {
				return known, err
			}
			known += n
		}
	}
	return known, nil
}
