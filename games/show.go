package games

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/tabula-chess/tabula/chess"
)

// Count says how games ended.
type Count struct {
	Games       int `json:"games"` // those without a result too
	White       int `json:"white"` // won by White
	Draws       int `json:"draws"`
	Black       int `json:"black"`
	Rating      int `json:"rating,omitempty"`      // mean of the players of games in which both have one
	Performance int `json:"performance,omitempty"` // of the side to move: the opponents' rating and 400 for each point more than lost
	Year        int `json:"year,omitempty"`        // of the last game, 0 where none has a date
}

// MoveCount is a move with the games in which it was played.
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

// Show reports what was played in a position. Without a filter that is a look-up: a
// few pages of the index, and for positions of few games some blocks of games that are
// replayed. With one, games are replayed as [DB.Find] does. Errors: a filter that makes
// no sense, damage, the end of ctx.
func (db *DB) Show(ctx context.Context, p *chess.Position, f Filter) (*Report, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	q := &Query{Filter: f, Position: p}
	w, err := newWant(q)
	if err != nil {
		return nil, err
	}
	sum := &summary{}
	first := 0
	for _, s := range db.segments {
		n, blocks, err := s.lookUp(p)
		if err != nil {
			return nil, err
		}
		switch {
		case n == nil && len(blocks) == 0:
		case n != nil && f.all():
			err = n.loadGames(s)
		default:
			if n != nil {
				blocks = nil
			}
			n = &node{}
			err = s.scan(ctx, q, w, blocks, func(b *block, hits []hit) error {
				for _, h := range hits {
					head := readHeader(b.headers, h.index)
					n.add(uint32(b.number*blockGames+h.index), h.ply, h.move, &head)
				}
				return nil
			})
		}
		if err != nil {
			return nil, err
		}
		if n != nil {
			sum.add(s, first, n)
		}
		first += int(s.shape.games)
	}
	return sum.report(p)
}

// loadGames reads ratings and dates of a node's games.
func (n *node) loadGames(s *segment) error {
	for i := range n.games {
		c := &n.games[i]
		h, err := s.header(int(c.game))
		if err != nil {
			return err
		}
		c.rating, c.date = h.rating(), h.date
	}
	return nil
}

// header reads the header of a game.
func (s *segment) header(game int) (header, error) {
	page, err := s.headersOf(game / blockGames)
	if err != nil {
		return header{}, err
	}
	if i := game % blockGames; i < len(page)/headerSize {
		return readHeader(page, i), nil
	}
	return header{}, s.damaged("there is no game %d", game)
}

// placed is a game of a segment that may be listed.
type placed struct {
	candidate
	segment *segment
	first   int // number of the segment's first game
}

// summary adds the nodes of segments.
type summary struct {
	tallies []tally
	games   []placed
}

func (s *summary) add(seg *segment, first int, n *node) {
	for _, t := range n.tallies {
		i := slices.IndexFunc(s.tallies, func(o tally) bool { return o.move == t.move })
		if i < 0 {
			s.tallies = append(s.tallies, t)
			continue
		}
		s.tallies[i].plus(&t)
	}
	n.trim()
	for _, c := range n.games {
		s.games = append(s.games, placed{c, seg, first})
	}
}

// plus adds the games of another tally.
func (t *tally) plus(o *tally) {
	for i, n := range o.results {
		t.results[i] += n
	}
	t.rated += o.rated
	t.ratings[0] += o.ratings[0]
	t.ratings[1] += o.ratings[1]
	t.year = max(t.year, o.year)
}

// report returns the sum for a position.
func (s *summary) report(p *chess.Position) (*Report, error) {
	r := &Report{Moves: []MoveCount{}}
	var total tally
	for i := range s.tallies {
		t := &s.tallies[i]
		total.plus(t)
		if t.move == chess.NoMove || !p.IsLegal(t.move) {
			continue
		}
		r.Moves = append(r.Moves, MoveCount{t.move, p.UCI(t.move), p.SAN(t.move), t.count(p.SideToMove())})
	}
	r.Total = total.count(p.SideToMove())
	slices.SortFunc(r.Moves, func(a, b MoveCount) int {
		return cmp.Or(cmp.Compare(b.Games, a.Games), cmp.Compare(a.Move, b.Move))
	})
	var err error
	if r.Top, err = s.list(byRating); err == nil {
		r.Latest, err = s.list(byDate)
	}
	return r, err
}

// count returns the games of a tally for the side to move.
func (t *tally) count(side chess.Color) Count {
	c := Count{
		Games: t.games(), White: t.results[chess.WhiteWins], Draws: t.results[chess.Draw], Black: t.results[chess.BlackWins], Year: t.year,
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
func (s *summary) list(order func(a, b candidate) int) ([]*Found, error) {
	slices.SortStableFunc(s.games, func(a, b placed) int { return order(a.candidate, b.candidate) })
	all := []*Found{}
	for _, g := range s.games[:min(listed, len(s.games))] {
		h, err := g.segment.header(int(g.game))
		if err != nil {
			return nil, err
		}
		f, err := g.segment.found(g.first, int(g.game), &h, 0, g.move)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}
