package games

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/tabula-chess/tabula/chess"
)

const (
	popular = 4  // games from which on a position has a node
	inNode  = 64 // games at the most that are listed in the node itself
)

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

// node is what was played in a position, the games of one segment counted. It lists all
// of its games, so that those that a filter lets through are counted by their headers.
// Where they are few, what is stored is no more than the list.
type node struct {
	tallies []tally
	games   []candidate // of the highest rated players and the latest
	last    []candidate // of these the fifth by rating and the fifth by date, once there are more

	list []byte // the games of a stored node: see eachGame
	page int    // of the longer lists, from 1; 0 where the node itself has the list
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
	c := candidate{game, h.rating(), h.date}
	if n.last != nil && byRating(n.last[0], c) < 0 && byDate(n.last[1], c) < 0 {
		return
	}
	n.games = append(n.games, c)
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
		n.last = []candidate{kept[listed-1], n.games[listed-1]}
		for _, c := range n.games[:listed] {
			if !slices.Contains(kept, c) {
				kept = append(kept, c)
			}
		}
		n.games = kept
	}
	slices.SortFunc(n.games, func(a, b candidate) int { return cmp.Compare(a.game, b.game) })
}

// node returns the node of a position as it is stored: the moves; then counts, games and
// the page of the list, or the list itself.
func (w *indexWriter) node() []byte {
	n := &node{}
	for _, v := range w.games {
		h := readHeader(w.heads[v.game*headerSize:])
		n.add(int(v.game), v.move, &h)
	}
	n.trim()
	slices.SortFunc(n.tallies, func(a, b tally) int { return cmp.Compare(a.move, b.move) })
	var list []byte
	last := uint32(0)
	for _, v := range w.games {
		i := slices.IndexFunc(n.tallies, func(t tally) bool { return t.move == v.move })
		list = binary.AppendUvarint(list, uint64(v.game-last)*uint64(len(n.tallies))+uint64(i))
		last = v.game
	}
	long := len(w.games) > inNode
	buf := binary.AppendUvarint(nil, uint64(len(n.tallies)))
	for i := range n.tallies {
		buf = binary.LittleEndian.AppendUint16(buf, uint16(n.tallies[i].move))
	}
	if !long {
		return append(append(buf, 0), list...)
	}
	w.to.page(secLists, list)
	return n.appendCounts(binary.AppendUvarint(buf, uint64(len(w.to.pages[secLists]))))
}

// appendCounts appends the tallies and the numbers of the games.
func (n *node) appendCounts(buf []byte) []byte {
	number := func(v int) { buf = binary.AppendUvarint(buf, uint64(v)) }
	for i := range n.tallies {
		t := &n.tallies[i]
		for _, v := range t.results {
			number(v)
		}
		number(t.rated)
		number(t.ratings[0])
		number(t.ratings[1])
		number(t.year)
	}
	last := 0
	for _, c := range n.games {
		number(c.game - last)
		last = c.game
	}
	return buf
}

// readNode reads what indexWriter.node has written; the games have no more than their
// number.
func readNode(data []byte) (*node, error) {
	r := reader{data: data}
	n := &node{tallies: make([]tally, min(r.number(), chess.MaxMoves+1))}
	for i := range n.tallies {
		if b := r.bytes(2); b != nil {
			n.tallies[i].move = chess.Move(binary.LittleEndian.Uint16(b))
		}
	}
	if n.page = r.number(); n.page == 0 {
		n.list, r.data = r.data, nil
	} else {
		n.readCounts(&r)
	}
	if r.bad || len(n.tallies) == 0 {
		return nil, errContent
	}
	return n, nil
}

// readCounts reads what appendCounts has written.
func (n *node) readCounts(r *reader) {
	for i := range n.tallies {
		t := &n.tallies[i]
		for j := range t.results {
			t.results[j] = r.number()
		}
		t.rated, t.ratings, t.year = r.number(), [2]int{r.number(), r.number()}, r.number()
	}
	last := 0
	for !r.bad && len(r.data) > 0 {
		last += r.number()
		n.games = append(n.games, candidate{game: last})
	}
}

// eachGame calls use with each game of a node, in order, and what was played in it. The
// list has a number for each game: how much larger its number is than that of the game
// before, times the number of moves, and which of these was played.
func (s *segment) eachGame(n *node, use func(game int, m chess.Move) error) error {
	list := n.list
	if n.page > 0 {
		var err error
		if list, err = s.page(secLists, n.page-1); err != nil {
			return err
		}
	}
	r, game := reader{data: list}, 0
	for len(r.data) > 0 {
		v := r.number()
		game += v / len(n.tallies)
		if r.bad {
			return s.damaged("list %d: %w", n.page, errContent)
		}
		if err := use(game, n.tallies[v%len(n.tallies)].move); err != nil {
			return err
		}
	}
	return nil
}

// blocksOf returns the blocks of the games of a node.
func (s *segment) blocksOf(n *node) (blocks []int, err error) {
	err = s.eachGame(n, func(game int, _ chess.Move) error {
		if b := game / blockGames; len(blocks) == 0 || b > blocks[len(blocks)-1] {
			blocks = append(blocks, b)
		}
		return nil
	})
	return blocks, err
}

// count adds the games of a node of a segment that a filter lets through.
func (n *node) count(s *segment, o *node, f *Filter) error {
	m, err := f.matcher(s)
	if err != nil {
		return err
	}
	heads := headReader{segment: s}
	return s.eachGame(o, func(game int, move chess.Move) error {
		h, err := heads.header(game)
		if err == nil && m.matches(&h) {
			n.add(s.first+game, move, &h)
		}
		return err
	})
}
