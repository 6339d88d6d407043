package games

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/parallel"
	"github.com/tabula-chess/tabula/pgn"
)

// Query selects games: those that a filter lets through, that reach the position and that have, at that position or a
// later one, the material, the squares and the beginning of the pattern together, and then the rest of the pattern.
type Query struct {
	Filter
	Position *chess.Position // nil for any; counters make no difference
	Material string          // such as KRPvKR, of either color; "" for any
	Squares  string          // pieces and squares, such as "Nf5,pg7"; "" for any
	Pattern  string          // what holds there too, and later, as docs/games.md says; "" for any
}

// Listed is what a list shows of a game.
type Listed struct {
	White       string       `json:"white"`
	Black       string       `json:"black"`
	WhiteElo    int          `json:"whiteElo,omitempty"`
	BlackElo    int          `json:"blackElo,omitempty"`
	Result      chess.Result `json:"result"`
	Date        string       `json:"date"`
	Event       string       `json:"event"`
	TimeControl string       `json:"timeControl,omitempty"`
	Ply         int          `json:"ply,omitempty"` // from the start of the game, when it had all that was asked for
	Number      int          `json:"game"`          // for [DB.Game], until the database changes
}

// Found is a game that matches a query.
type Found struct {
	Listed
	segment *segment
	block   *block // nil where it was not read yet
}

// found returns the description of a game in a segment.
func (s *segment) found(game int, h *header) (*Found, error) {
	v, err := s.values(h)
	return &Found{segment: s, Listed: Listed{
		White: v[white], Black: v[black], WhiteElo: int(h.elo[0]), BlackElo: int(h.elo[1]), Result: h.result,
		Date:  h.date.String(),
		Event: v[event], TimeControl: v[timeControl], Number: s.first + game,
	}}, err
}

// Game reads the game, tags and moves.
func (f *Found) Game() (_ *pgn.Game, err error) {
	i := f.Number - f.segment.first
	if f.block == nil {
		if f.block, err = f.segment.readBlock(i / blockGames); err != nil {
			return nil, err
		}
	}
	return f.segment.game(f.block, i%blockGames)
}

// Game returns the game with the given number.
func (db *DB) Game(number int) (*Found, error) {
	for _, s := range db.segments {
		if i := number - s.first; i >= 0 && i < int(s.games) {
			h, err := (&headReader{segment: s}).header(i)
			if err != nil {
				return nil, err
			}
			return s.found(i, &h)
		}
	}
	return nil, fmt.Errorf("%s: there is no game %d", db.dir, number)
}

// hit is a game of a block that was looked for.
type hit struct {
	index, ply int
	move       chess.Move
}

// scan calls use with the games of some blocks of a segment that are looked for, in
// order.
func (s *segment) scan(ctx context.Context, q *Query, w *want, blocks iter.Seq[int],
	use func(*block, hit) error) error {
	m, err := q.matcher(s)
	if err != nil {
		return err
	}
	type result struct {
		block *block
		hits  []hit
		err   error
	}
	return parallel.InOrder(ctx, runtime.GOMAXPROCS(0), blocks, func(i int) (r result) {
		r.block, r.hits, r.err = s.scanBlock(i, m, w)
		return r
	}, func(r result) error {
		for _, h := range r.hits {
			if err := use(r.block, h); err != nil {
				return err
			}
		}
		return r.err
	})
}

// scanBlock returns the games of a block that are looked for.
func (s *segment) scanBlock(number int, m *matcher, w *want) (b *block, hits []hit, err error) {
	heads, err := s.headers(number)
	if err != nil {
		return nil, nil, err
	}
	r := &replayer{}
	for i := range heads {
		if !m.matches(&heads[i]) {
			continue
		}
		if b == nil {
			if b, err = s.readBlock(number); err != nil {
				return nil, nil, err
			}
		}
		ply, move, ok, err := w.find(s, b, i, r)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			hits = append(hits, hit{i, ply, move})
		}
	}
	return b, hits, nil
}

// errStop ends a loop that its caller has left.
var errStop = errors.New("stop")

// Find iterates over the games of a query in the order in which they were imported. The
// index says which blocks have games that came to a position; of these, or of all where
// there is none, the games that the filter lets through are replayed: about 6 µs each of
// 120 plies. Errors, which end it: a query that makes no
// sense, damage, the end of ctx.
func (db *DB) Find(ctx context.Context, q Query) iter.Seq2[*Found, error] {
	return func(yield func(*Found, error) bool) {
		if err := db.find(ctx, &q, yield); err != nil && err != errStop {
			yield(nil, err)
		}
	}
}

func (db *DB) find(ctx context.Context, q *Query, yield func(*Found, error) bool) error {
	w, err := newWant(q)
	if err != nil {
		return err
	}
	for _, s := range db.segments {
		blocks := s.blocks()
		if q.Position != nil {
			n, found, err := s.lookUp(q.Position)
			if n != nil {
				found, err = s.blocksOf(n)
			}
			if err != nil {
				return err
			}
			blocks = slices.Values(found)
		}
		err := s.scan(ctx, q, w, blocks, func(b *block, h hit) error {
			f, err := s.found(b.number*blockGames+h.index, &b.heads[h.index])
			if err != nil {
				return err
			}
			if f.Ply, f.block = h.ply, b; !yield(f, nil) {
				return errStop
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
