package games

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/tabula-chess/tabula/chess"
)

// Count counts results.
type Count struct {
	Games  int `json:"games"` // those without a result too
	White  int `json:"white"` // won by White
	Draws  int `json:"draws"`
	Black  int `json:"black"`
	Rating int `json:"rating,omitempty"` // mean of the players of games in which both have one
	// of the side to move: the opponents' rating and 400 for each point more than lost
	Performance int `json:"performance,omitempty"`
	Year        int `json:"year,omitempty"` // of the last game, 0 where none has a date
}

// MoveCount is a move and the results of the games with it.
type MoveCount struct {
	Move chess.Move `json:"-"`
	UCI  string     `json:"uci"`
	SAN  string     `json:"san"`
	Count
}

// Report is what was played in a position. A game counts once, with what was played when
// it first came to the position.
type Report struct {
	Total  Count       `json:"total"` // with games that ended there
	Moves  []MoveCount `json:"moves"` // most games first
	Top    []*Found    `json:"top"`   // games of the highest rated players
	Latest []*Found    `json:"latest"`
}

// Show reports what was played in a position. That is a look-up: a few pages of the
// index, and for positions of few games some blocks of games that are replayed. A filter
// costs 0.1 µs more for each game that came to the position. Errors: a filter that makes
// no sense, damage, the end of ctx.
func (db *DB) Show(ctx context.Context, p *chess.Position, f Filter) (*Report, error) {
	q := &Query{Filter: f, Position: p}
	w, err := newWant(q)
	if err != nil {
		return nil, err
	}
	sum := &node{}
	for _, s := range db.segments {
		n, blocks, err := s.lookUp(p)
		switch {
		case err != nil:
		case n != nil && n.page > 0 && f == Filter{}:
			err = sum.merge(s, n)
		case n != nil:
			err = sum.count(s, n, &f)
		default:
			err = s.scan(ctx, q, w, slices.Values(blocks), func(b *block, h hit) error {
				sum.add(s.first+b.number*blockGames+h.index, h.move, &b.heads[h.index])
				return nil
			})
		}
		if err != nil {
			return nil, err
		}
	}
	return db.report(p, sum)
}

// merge adds a node of a segment.
func (n *node) merge(s *segment, o *node) error {
	for i := range o.tallies {
		n.tally(o.tallies[i].move).plus(&o.tallies[i])
	}
	heads := headReader{segment: s}
	for _, c := range o.games {
		h, err := heads.header(c.game)
		if err != nil {
			return err
		}
		n.games = append(n.games, candidate{s.first + c.game, h.rating(), h.date})
	}
	return nil
}

// report returns the sum for a position.
func (db *DB) report(p *chess.Position, sum *node) (*Report, error) {
	r := &Report{Moves: []MoveCount{}}
	var total tally
	for i := range sum.tallies {
		t := &sum.tallies[i]
		total.plus(t)
		if t.move != chess.NoMove && p.IsLegal(t.move) {
			r.Moves = append(r.Moves, MoveCount{t.move, p.UCI(t.move), p.SAN(t.move), t.count(p.SideToMove())})
		}
	}
	r.Total = total.count(p.SideToMove())
	slices.SortFunc(r.Moves, func(a, b MoveCount) int {
		return cmp.Or(cmp.Compare(b.Games, a.Games), cmp.Compare(a.Move, b.Move))
	})
	var err error
	if r.Top, err = db.list(sum.games, byRating); err == nil {
		r.Latest, err = db.list(sum.games, byDate)
	}
	return r, err
}

// count returns the games of a tally for the side to move.
func (t *tally) count(side chess.Color) Count {
	c := Count{
		Games: t.results[0] + t.results[1] + t.results[2] + t.results[3],
		White: t.results[chess.WhiteWins], Draws: t.results[chess.Draw], Black: t.results[chess.BlackWins], Year: t.year,
	}
	if t.rated == 0 {
		return c
	}
	c.Rating = (t.ratings[0] + t.ratings[1]) / (2 * t.rated)
	if decided := c.White + c.Draws + c.Black; decided > 0 {
		more := float64(c.White - c.Black)
		if side == chess.Black {
			more = -more
		}
		c.Performance = t.ratings[side.Other()]/t.rated + int(math.Round(400*more/float64(decided)))
	}
	return c
}

// list returns the first games of an order.
func (db *DB) list(games []candidate, order func(a, b candidate) int) ([]*Found, error) {
	slices.SortFunc(games, order)
	all := []*Found{}
	for _, c := range games[:min(listed, len(games))] {
		f, err := db.Game(c.game)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}
