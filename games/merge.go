package games

import (
	"context"
	"errors"
	"math/bits"
	"runtime"

	"github.com/tabula-chess/tabula/internal/parallel"
)

// mergeAt is how many segments of about one size are made one.
const mergeAt = 8

// class returns the size of a segment on a scale of eights.
func class(games uint64) int { return bits.Len64(games) / 3 }

// tidy merges the last segments while there are mergeAt that are no larger than the last.
func (db *DB) tidy(ctx context.Context) error {
	for {
		to := len(db.segments)
		from, sum := to, shape{}
		for ; from > 0; from-- {
			s := db.segments[from-1]
			if sum = sum.plus(s.shape); !sum.fits(db.most) || class(s.games) > class(db.segments[to-1].games) {
				break
			}
		}
		if to-from < mergeAt {
			return nil
		}
		if err := db.merge(ctx, from, to, false, func(int) {}); err != nil {
			return err
		}
	}
}

// Compact merges neighbours among the segments as far as one may hold their games, so
// that queries have less to read. progress is called with the number of games dealt with.
// Errors leave the database whole.
func (db *DB) Compact(ctx context.Context, progress func(games int)) error {
	for from := 0; from < len(db.segments); from++ {
		to, sum := from, shape{}
		for ; to < len(db.segments); to++ {
			if sum = sum.plus(db.segments[to].shape); !sum.fits(db.most) {
				break
			}
		}
		if to-from < 2 {
			continue
		}
		if err := db.merge(ctx, from, to, false, progress); err != nil {
			return err
		}
	}
	return nil
}

// merge makes one segment of the games of those from number from on to before number to. Damaged games
// are errors, or are skipped.
func (db *DB) merge(ctx context.Context, from, to int, skip bool, progress func(games int)) error {
	b, err := db.newBuilder(from, to)
	if err != nil {
		return err
	}
	defer b.close()
	first := db.segments[from].first
	for _, s := range db.segments[from:to] {
		err := s.entries(ctx, skip, func(e *entry) error {
			progress(first + int(b.shape.games))
			return b.add(e)
		})
		if err != nil {
			return err
		}
	}
	return db.replace(from, to, b)
}

// someGames are games of a block, or why it has none.
type someGames struct {
	*block
	from, to int
	err      error
}

// someSize bounds the bytes of moves and tags of games whose entries are made at a time.
const someSize = 1 << 15

// someGames iterates over the games of a segment, a few at a time.
func (s *segment) someGames(yield func(someGames) bool) {
	for n := range s.blocks() {
		b, err := s.readBlock(n)
		if err == nil {
			_, _, err = s.readTags(b)
		}
		if err != nil {
			if !yield(someGames{err: err}) {
				return
			}
			continue
		}
		for from, to := 0, 0; from < len(b.moves); from = to {
			for size := 0; to < len(b.moves) && size < someSize; to++ {
				size += len(b.moves[to]) + len(b.tags[to]) + len(b.clocks[to])
			}
			if !yield(someGames{block: b, from: from, to: to}) {
				return
			}
		}
	}
}

// entries calls use with the games of a segment in order. Damaged ones end it, or are skipped.
func (s *segment) entries(ctx context.Context, skip bool, use func(*entry) error) error {
	type result struct {
		entries []*entry
		err     error
	}
	ahead := min(8, runtime.GOMAXPROCS(0)) // more would wait for the builder
	return parallel.InOrder(ctx, ahead, s.someGames, func(some someGames) (r result) {
		r.err = some.err
		for i := some.from; i < some.to; i++ {
			g, err := s.game(some.block, i)
			if err == nil {
				r.entries = append(r.entries, newEntry(g))
			} else if r.err = err; !skip {
				break
			}
		}
		return r
	}, func(r result) error {
		for _, e := range r.entries {
			if err := use(e); err != nil {
				return err
			}
		}
		if skip && errors.Is(r.err, ErrDamaged) {
			return nil
		}
		return r.err
	})
}

// Check reads the whole database: it compares all checksums and replays all games. progress is called
// with the number of games checked.
func (db *DB) Check(ctx context.Context, progress func(games int)) error {
	for _, s := range db.segments {
		if err := s.check(ctx, progress); err != nil {
			return err
		}
	}
	return nil
}

// CheckPages compares the checksums of all files, without reading each game as [DB.Check] does. Errors: [ErrDamaged],
// with the name of the file; those of ctx and of the system.
func (db *DB) CheckPages(ctx context.Context) error {
	for _, s := range db.segments {
		if err := s.checkPages(ctx); err != nil {
			return err
		}
	}
	return nil
}

// checkPages reads all pages of the segment.
func (s *segment) checkPages(ctx context.Context) error {
	for section, pages := range s.pages {
		for number := range pages {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if _, err := s.page(section, number); err != nil {
				return err
			}
		}
	}
	return nil
}

// check reads all pages of the segment and all games.
func (s *segment) check(ctx context.Context, progress func(games int)) error {
	if err := s.checkPages(ctx); err != nil {
		return err
	}
	n := s.first
	return s.entries(ctx, false, func(*entry) error {
		n++
		progress(n)
		return nil
	})
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
