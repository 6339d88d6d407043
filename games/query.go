package games

import (
	"context"
	"fmt"
	"iter"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// Query says which games are looked for: those that a filter lets through and that come
// to a position which has all that is asked for.
type Query struct {
	Filter
	Position *chess.Position // nil for any; counters make no difference
	Material string          // such as KRPvKR, of either color
	Squares  string          // pieces and squares, such as "Nf5,pg7"
}

// Found is a game that was looked for.
type Found struct {
	White       string       `json:"white"`
	Black       string       `json:"black"`
	WhiteElo    int          `json:"whiteElo,omitempty"`
	BlackElo    int          `json:"blackElo,omitempty"`
	Result      chess.Result `json:"result"`
	Date        Date         `json:"date"`
	Event       string       `json:"event"`
	TimeControl string       `json:"timeControl,omitempty"`
	Ply         int          `json:"ply,omitempty"` // from the start of the game, when it came to the position
	Number      int          `json:"game"`          // for [DB.Game], until the database changes

	move    chess.Move
	segment *segment
}

// Game reads the game that has a number.
func (db *DB) Game(number int) (*pgn.Game, error) {
	rest := number
	for _, s := range db.segments {
		if n := int(s.shape.games); rest >= n {
			rest -= n
			continue
		}
		if rest < 0 {
			break
		}
		return s.readGame(rest)
	}
	return nil, fmt.Errorf("%s: there is no game %d", db.dir, number)
}

// readGame reads the game of a number in the segment.
func (s *segment) readGame(n int) (*pgn.Game, error) {
	b, err := s.readBlock(n / blockGames)
	if err != nil {
		return nil, err
	}
	tags, err := s.tagsOf(b.number, b.games())
	if err != nil {
		return nil, err
	}
	return s.game(b, n%blockGames, tags[n%blockGames])
}

// found returns what is told of a game.
func (s *segment) found(first, game int, h *header, ply int, m chess.Move) (*Found, error) {
	v, err := s.values(h)
	return &Found{
		White: v[white], Black: v[black], WhiteElo: int(h.elo[0]), BlackElo: int(h.elo[1]), Result: h.result, Date: h.date,
		Event: v[event], TimeControl: v[timeControl], Ply: ply, Number: first + game, move: m, segment: s,
	}, err
}

// hit is a game of a block that was looked for.
type hit struct {
	index int
	ply   int
	move  chess.Move
}

// scan calls use with the blocks of a segment that have games which are looked for, in
// order. No more blocks are read than those of the list, all where it is nil.
func (s *segment) scan(ctx context.Context, q *Query, w *want, blocks []uint32, use func(*block, []hit) error) error {
	m, err := q.matcher(s)
	if err != nil {
		return err
	}
	n := len(blocks)
	if blocks == nil {
		n = s.blocks()
	}
	type hits struct {
		block *block
		hits  []hit
	}
	return inOrder(ctx, n, func(i int) (hits, error) {
		if blocks != nil {
			i = int(blocks[i])
		}
		b, all, err := s.scanBlock(i, m, w)
		return hits{b, all}, err
	}, func(h hits) error {
		if len(h.hits) == 0 {
			return nil
		}
		return use(h.block, h.hits)
	})
}

// scanBlock returns the games of a block that are looked for.
func (s *segment) scanBlock(number int, m *matcher, w *want) (b *block, hits []hit, err error) {
	headers, err := s.headersOf(number)
	if err != nil {
		return nil, nil, err
	}
	p := &chess.Position{}
	for i := range len(headers) / headerSize {
		if h := readHeader(headers, i); !m.matches(&h) {
			continue
		}
		if b == nil {
			if b, err = s.readBlock(number); err != nil {
				return nil, nil, err
			}
		}
		ply, move, ok, err := w.find(s, b, i, p)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			hits = append(hits, hit{i, ply, move})
		}
	}
	return b, hits, nil
}

// blocksFor returns the blocks in which games may be that come to a position: nil for all.
func (s *segment) blocksFor(p *chess.Position) ([]uint32, error) {
	if p == nil {
		return nil, nil
	}
	n, blocks, err := s.lookUp(p)
	if err != nil || n != nil {
		return nil, err
	}
	return append([]uint32{}, blocks...), nil
}

// Find iterates over the games of a query in the order in which they were imported. A
// position that few games came to is found by the index; otherwise the games that the
// filter lets through are replayed as far as they may come to what is asked for: about
// 3 µs each. Errors, which end it: a query that makes no sense, damage, the end of ctx.
func (db *DB) Find(ctx context.Context, q Query) iter.Seq2[*Found, error] {
	return func(yield func(*Found, error) bool) {
		err := db.each(ctx, &q, func(s *segment, first int, b *block, hits []hit) error {
			for _, h := range hits {
				head := readHeader(b.headers, h.index)
				f, err := s.found(first, b.number*blockGames+h.index, &head, h.ply, h.move)
				if err != nil {
					return err
				}
				if !yield(f, nil) {
					return errStop
				}
			}
			return nil
		})
		if err != nil && err != errStop {
			yield(nil, err)
		}
	}
}

// Games iterates over the games of a query as [DB.Find] does and reads them, tags and
// moves, each block of games once.
func (db *DB) Games(ctx context.Context, q Query) iter.Seq2[*pgn.Game, error] {
	return func(yield func(*pgn.Game, error) bool) {
		err := db.each(ctx, &q, func(s *segment, first int, b *block, hits []hit) error {
			tags, err := s.tagsOf(b.number, b.games())
			if err != nil {
				return err
			}
			for _, h := range hits {
				g, err := s.game(b, h.index, tags[h.index])
				if err != nil {
					return err
				}
				if !yield(g, nil) {
					return errStop
				}
			}
			return nil
		})
		if err != nil && err != errStop {
			yield(nil, err)
		}
	}
}

// errStop ends a loop that its caller has left.
var errStop = fmt.Errorf("stop")

// each calls use with the blocks of all segments that have games of a query. first is
// the number of the first game of the segment.
func (db *DB) each(ctx context.Context, q *Query, use func(s *segment, first int, b *block, hits []hit) error) error {
	if err := q.Filter.check(); err != nil {
		return err
	}
	w, err := newWant(q)
	if err != nil {
		return err
	}
	first := 0
	for _, s := range db.segments {
		blocks, err := s.blocksFor(q.Position)
		if err != nil {
			return err
		}
		err = s.scan(ctx, q, w, blocks, func(b *block, hits []hit) error { return use(s, first, b, hits) })
		if err != nil {
			return err
		}
		first += int(s.shape.games)
	}
	return nil
}
