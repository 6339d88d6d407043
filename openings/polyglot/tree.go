package polyglot

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
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

// points returns two for each game won and one for each that was not lost, by whoever
// played the move.
func (s *Played) points() int {
	wins, losses := s.WhiteWins, s.BlackWins
	if s.side == chess.Black {
		wins, losses = losses, wins
	}
	return s.Games + wins - losses
}

// Add counts the moves of the main line of a game; variations are not played and
// null moves are not counted. Errors: a move that is not legal, in which case the
// game's moves before it are counted; a game that was read has none.
func (t *Tree) Add(g *pgn.Game) error {
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
		one := Played{Move: node.Move}
		one.count(g.Result)
		t.AddMove(p, one)
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

// WriteBook writes the tree as a book, as Polyglot does: every move that has brought
// points, weighed by them. A weight is two for each game won and one for each drawn; where
// one of a position does not fit 65535, all of that position are made smaller alike.
// Errors: those of w.
func (t *Tree) WriteBook(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, key := range slices.Sorted(maps.Keys(t.nodes)) {
		for _, e := range entries(key, t.nodes[key]) {
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
func entries(key uint64, moves []Played) []Entry {
	var found []Entry
	heaviest := 0
	for i := range moves {
		heaviest = max(heaviest, moves[i].points())
	}
	for i := range moves {
		weight := moves[i].points()
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
