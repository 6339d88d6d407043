package polyglot

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// Tree counts what was played in each position of games, however it came about.
// The zero Tree is empty and ready to use. It is not safe for concurrent use.
type Tree struct {
	// MaxPlies bounds how deep into a game moves are counted; 0 for no bound.
	MaxPlies int

	nodes map[uint64][]Played
}

// Played is a move of a position with the games in which it was played. Games
// without a result are in Games alone.
type Played struct {
	Move                        chess.Move
	Games                       int
	WhiteWins, Draws, BlackWins int

	side chess.Color // whose move it is
}

// Score returns the points that a side made with the move, from 0 to 1 a game; a
// game without a result counts as half a point, as Polyglot does it. It is 0 for
// no games.
func (s *Played) Score(side chess.Color) float64 {
	if s.Games == 0 {
		return 0
	}
	return float64(s.points(side)) / float64(2*s.Games)
}

// points returns two for each game won and one for each that was not lost.
func (s *Played) points(side chess.Color) int {
	wins, losses := s.WhiteWins, s.BlackWins
	if side == chess.Black {
		wins, losses = losses, wins
	}
	return s.Games + wins - losses
}

// Add counts the moves of the main line of a game; variations are not played and
// null moves are not counted. Errors: a move that is not legal, in which case the
// game's moves before it are counted; a game that was read has none.
func (t *Tree) Add(g *pgn.Game) error {
	if t.nodes == nil {
		t.nodes = map[uint64][]Played{}
	}
	ply := 0
	for p, node := range g.Replay() {
		if ply++; t.MaxPlies > 0 && ply > t.MaxPlies {
			break
		}
		if node.Move == chess.NoMove {
			continue
		}
		if !p.IsLegal(node.Move) {
			return fmt.Errorf("polyglot: move %s in %s: %w", node.Move, p.FEN(), chess.ErrIllegal)
		}
		key := Key(p)
		moves := t.nodes[key]
		i := slices.IndexFunc(moves, func(s Played) bool { return s.Move == node.Move })
		if i < 0 {
			i = len(moves)
			moves = append(moves, Played{Move: node.Move, side: p.SideToMove()})
			t.nodes[key] = moves
		}
		moves[i].count(g.Result)
	}
	return nil
}

// AddMove counts games in which a move was played in p, in addition to those that the
// tree has; null moves and moves that are not legal are not counted.
func (t *Tree) AddMove(p *chess.Position, games Played) {
	if games.Move == chess.NoMove || !p.IsLegal(games.Move) {
		return
	}
	if t.nodes == nil {
		t.nodes = map[uint64][]Played{}
	}
	key := Key(p)
	games.side = p.SideToMove()
	for i := range t.nodes[key] {
		if s := &t.nodes[key][i]; s.Move == games.Move {
			s.Games, s.WhiteWins, s.Draws, s.BlackWins =
				s.Games+games.Games, s.WhiteWins+games.WhiteWins, s.Draws+games.Draws, s.BlackWins+games.BlackWins
			return
		}
	}
	t.nodes[key] = append(t.nodes[key], games)
}

// count adds a game.
func (s *Played) count(result chess.Result) {
	s.Games++
	switch result {
	case chess.WhiteWins:
		s.WhiteWins++
	case chess.BlackWins:
		s.BlackWins++
	case chess.Draw:
		s.Draws++
	}
}

// Positions returns the number of positions in which something was played.
func (t *Tree) Positions() int { return len(t.nodes) }

// Moves returns what was played in p, most games first.
func (t *Tree) Moves(p *chess.Position) []Played {
	var moves []Played
	for _, s := range t.nodes[Key(p)] {
		if p.IsLegal(s.Move) { // else of another position with this key
			moves = append(moves, s)
		}
	}
	slices.SortFunc(moves, func(a, b Played) int {
		return cmp.Or(cmp.Compare(b.Games, a.Games), cmp.Compare(a.Move, b.Move))
	})
	return moves
}

// BookOptions say which moves a book has and what they weigh. The zero value is
// what Polyglot does: every move that has brought points, weighed by them.
type BookOptions struct {
	MinGames int     // how often a move must have been played; 0 is 1
	MinScore float64 // what it must have scored at least, 0 to 1
	Uniform  bool    // every move has weight 1
	Only     string  // "white" or "black": the moves of one side alone; "" for both
}

// check returns an error for options that make no sense.
func (o *BookOptions) check() error {
	switch {
	case o.MinGames < 0:
		return fmt.Errorf("polyglot: MinGames is negative: %d", o.MinGames)
	case math.IsNaN(o.MinScore) || o.MinScore < 0 || o.MinScore > 1:
		return fmt.Errorf("polyglot: MinScore %v is not from 0 to 1", o.MinScore)
	case o.Only != "" && o.Only != "white" && o.Only != "black":
		return fmt.Errorf("polyglot: Only is %q, want white, black or nothing", o.Only)
	}
	return nil
}

// WriteBook writes the tree as a book. A weight is two for each game won and one
// for each drawn; where one of a position does not fit 65535, all of that position
// are made smaller alike. Errors: options that make no sense; those of w.
func (t *Tree) WriteBook(w io.Writer, options BookOptions) error {
	if err := options.check(); err != nil {
		return err
	}
	keys := make([]uint64, 0, len(t.nodes))
	for key := range t.nodes {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	out := bufio.NewWriter(w)
	for _, key := range keys {
		for _, e := range entries(key, t.nodes[key], &options) {
			var raw [entrySize]byte
			binary.BigEndian.PutUint64(raw[:], e.Key)
			binary.BigEndian.PutUint16(raw[8:], e.Move)
			binary.BigEndian.PutUint16(raw[10:], e.Weight)
			out.Write(raw[:]) // Flush tells of its errors
		}
	}
	return out.Flush()
}

// entries returns the moves of a position that go into a book, heaviest first.
func entries(key uint64, moves []Played, options *BookOptions) []Entry {
	var found []Entry
	heaviest := 0
	weigh := func(s *Played) int {
		side := s.side
		points := s.points(side)
		switch {
		case options.Only != "" && options.Only != side.String(), s.Games < options.MinGames,
			s.Score(side) < options.MinScore:
			return 0
		case options.Uniform:
			return 1
		}
		return points
	}
	for i := range moves {
		heaviest = max(heaviest, weigh(&moves[i]))
	}
	for i := range moves {
		weight := weigh(&moves[i])
		if heaviest > math.MaxUint16 {
			weight = int(int64(weight) * math.MaxUint16 / int64(heaviest))
		}
		if weight > 0 {
			found = append(found, Entry{Key: key, Move: EncodeMove(moves[i].Move), Weight: uint16(weight)})
		}
	}
	slices.SortFunc(found, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Move, b.Move))
	})
	return found
}
