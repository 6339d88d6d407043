package games

import (
	"context"
	"math/bits"
	"runtime"
)

// mergeAt is how many segments of about one size are made one.
const mergeAt = 8

// class returns the size of a segment on a scale of eights.
func class(games uint64) int { return bits.Len64(games) / 3 }

// tidy merges the last segments while there are mergeAt that are no larger than the last.
func (db *DB) tidy() error {
	for {
		from, sum := len(db.segments), uint64(0)
		for from > 0 {
			s := db.segments[from-1]
			if class(s.shape.games) > class(db.segments[len(db.segments)-1].shape.games) || sum+s.shape.games > maxSegment {
				break
			}
			sum += s.shape.games
			from--
		}
		if len(db.segments)-from < mergeAt {
			return nil
		}
		// What is on the disk must not depend on when somebody loses patience.
		if err := db.merge(context.Background(), from, nil); err != nil {
			return err
		}
	}
}

// Compact merges the segments, as far as one may hold their games, so that queries have
// less to read. progress, which may be nil, is called with the number of games merged.
// Errors leave the database as it was.
func (db *DB) Compact(ctx context.Context, progress func(games int)) error {
	from, sum := len(db.segments), uint64(0)
	for from > 0 && sum+db.segments[from-1].shape.games <= maxSegment {
		from--
		sum += db.segments[from].shape.games
	}
	if len(db.segments)-from < 2 {
		return nil
	}
	return db.merge(ctx, from, progress)
}

// merge makes one segment of those from number from on.
func (db *DB) merge(ctx context.Context, from int, progress func(games int)) error {
	b, err := db.newBuilder()
	if err != nil {
		return err
	}
	defer b.close()
	for _, s := range db.segments[from:] {
		err := s.entries(ctx, func(e *entry) error {
			if progress != nil {
				progress(int(b.shape.games) + 1)
			}
			return b.add(e)
		})
		if err != nil {
			return err
		}
	}
	return db.replace(from, b, func(*manifest) {})
}

// entries calls use with the games of a segment in order.
func (s *segment) entries(ctx context.Context, use func(*entry) error) error {
	return inOrder(ctx, s.blocks(), func(n int) ([]*entry, error) {
		b, err := s.readBlock(n)
		if err != nil {
			return nil, err
		}
		tags, err := s.tagsOf(n, b.games())
		if err != nil {
			return nil, err
		}
		all := make([]*entry, b.games())
		for i := range all {
			if all[i], err = newEntryFrom(s, b, i, tags[i]); err != nil {
				return nil, err
			}
		}
		return all, nil
	}, func(all []*entry) error {
		for _, e := range all {
			if err := use(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// inOrder calls work with 0 to n-1 on several threads and use with what it returns, in
// order. It returns the first error, or the cause of the end of ctx.
func inOrder[T any](ctx context.Context, n int, work func(int) (T, error), use func(T) error) error {
	type result struct {
		value T
		err   error
	}
	workers := runtime.GOMAXPROCS(0)
	results := make([]chan result, 2*workers)
	for i := range results {
		results[i] = make(chan result, 1)
	}
	begun := 0
	begin := func() {
		if begun < n {
			number := begun
			begun++
			go func() {
				v, err := work(number)
				results[number%len(results)] <- result{v, err}
			}()
		}
	}
	for range results {
		begin()
	}
	for i := range n {
		r := <-results[i%len(results)]
		if r.err == nil {
			r.err = context.Cause(ctx)
		}
		if r.err == nil {
			r.err = use(r.value)
		}
		if r.err != nil {
			return r.err // what is under way ends by itself: its channel has room
		}
		begin()
	}
	return nil
}

// Check reads the whole database. It compares all checksums, replays all games and
// makes the indexes again, which must say the same. The error is the first that it finds
// in each segment. progress, which may be nil, is called with the number of games checked.
// Runs wait in files beside the segments, so that it takes space there.
func (db *DB) Check(ctx context.Context, progress func(games int)) error {
	games := 0
	for _, s := range db.segments {
		b := newChecker(db.sys, s.pageReader, db.run)
		err := s.entries(ctx, func(e *entry) error {
			if games++; progress != nil {
				progress(games)
			}
			return b.add(e)
		})
		if err == nil {
			err = b.finish()
		}
		b.close()
		for i := range sections {
			if err == nil {
				_, err = s.directory(i)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
