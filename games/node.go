package games

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/tabula-chess/tabula/chess"
)

// popular is the number of games from which on a position has a node.
const popular = 4

// listed is how many games a report lists at the most: those of the highest rated
// players, and as many of the latest.
const listed = 5

// tally counts the games in which a move was played.
type tally struct {
	move    chess.Move
	results [4]int // by chess.Result
	rated   int    // games in which both ratings are known
	ratings [2]int // sums of these, by color
	year    int    // of the last game
}

// games returns how many there are.
func (t *tally) games() int { return t.results[0] + t.results[1] + t.results[2] + t.results[3] }

// node is what was played in a position, the games of one segment counted.
type node struct {
	tallies []tally
	games   []candidate // of the highest rated players and the latest
}

// candidate is a game that may be listed.
type candidate struct {
	game   int
	rating int
	date   Date
}

// add counts a game.
func (n *node) add(game int, m chess.Move, h *header) {
	one := tally{year: h.date.Year()}
	one.results[h.result] = 1
	if h.rating() != 0 {
		one.rated, one.ratings = 1, [2]int{int(h.elo[0]), int(h.elo[1])}
	}
	n.tally(m).plus(&one)
	n.games = append(n.games, candidate{game, h.rating(), h.date})
	if len(n.games) > 8*listed {
		n.trim()
	}
}

// tally returns the tally of a move.
func (n *node) tally(m chess.Move) *tally {
	i := slices.IndexFunc(n.tallies, func(t tally) bool { return t.move == m })
	if i < 0 {
		i = len(n.tallies)
		n.tallies = append(n.tallies, tally{move: m})
	}
	return &n.tallies[i]
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

// byRating orders games by rating, byDate by date, the highest first.
func byRating(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.rating, a.rating), cmp.Compare(b.date, a.date), cmp.Compare(a.game, b.game))
}

func byDate(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.date, a.date), cmp.Compare(b.rating, a.rating), cmp.Compare(a.game, b.game))
}

// trim keeps the games that may be listed, by number.
func (n *node) trim() {
	if len(n.games) > listed {
		slices.SortFunc(n.games, byRating)
		kept := slices.Clone(n.games[:listed])
		slices.SortFunc(n.games, byDate)
		for _, c := range n.games[:listed] {
			if !slices.Contains(kept, c) {
				kept = append(kept, c)
			}
		}
		n.games = append(n.games[:0], kept...)
	}
	slices.SortFunc(n.games, func(a, b candidate) int { return cmp.Compare(a.game, b.game) })
}

// append appends the node to buf: the tallies by move, the games by number.
func (n *node) append(buf []byte) []byte {
	number := func(v int) { buf = binary.AppendUvarint(buf, uint64(v)) }
	n.trim()
	slices.SortFunc(n.tallies, func(a, b tally) int { return cmp.Compare(a.move, b.move) })
	number(len(n.tallies))
	for i := range n.tallies {
		t := &n.tallies[i]
		buf = binary.LittleEndian.AppendUint16(buf, uint16(t.move))
		for _, v := range t.results {
			number(v)
		}
		number(t.rated)
		if t.rated > 0 {
			number(t.ratings[0])
			number(t.ratings[1])
		}
		number(t.year)
	}
	last := 0
	for _, c := range n.games {
		number(c.game - last)
		last = c.game
	}
	return buf
}

// readNode reads what append has written; the games have no more than their number.
func readNode(data []byte) (*node, error) {
	r := reader{data: data}
	n := &node{}
	for range min(r.number(), chess.MaxMoves+1) {
		var t tally
		if b := r.bytes(2); b != nil {
			t.move = chess.Move(binary.LittleEndian.Uint16(b))
		}
		for i := range t.results {
			t.results[i] = r.number()
		}
		if t.rated = r.number(); t.rated > 0 {
			t.ratings = [2]int{r.number(), r.number()}
		}
		t.year = r.number()
		n.tallies = append(n.tallies, t)
	}
	last := 0
	for !r.bad && len(r.data) > 0 {
		last += r.number()
		n.games = append(n.games, candidate{game: last})
	}
	if r.bad {
		return nil, errContent
	}
	return n, nil
}
