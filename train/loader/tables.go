package loader

import (
	"math"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/games"
)

// certain is the score of a position that is known to be won.
const certain = math.MaxInt16

// endings looks up the positions of a game in endgame tables. It follows the game by
// the rules, which costs more than a Board, only once few men are left. The zero value with tables is ready for use.
type endings struct {
	tables   *syzygy.Tables // nil for none
	position chess.Position
	plies    int // made on it, -1 before its first use in a game
}

// begin begins a game.
func (e *endings) begin() { e.plies = -1 }

// know sets target and score of a sample to the result of its position in the tables.
// A win that the fifty-move rule takes away is a draw. A sample that no table knows
// stays as it is. The error says that the game cannot be followed.
func (e *endings) know(g games.View, ply int, s *games.Sample) error {
	if e.tables == nil || s.Occupied.Count() > e.tables.Men() {
		return nil
	}
	if e.plies < 0 {
		if err := g.Start().Into(&e.position); err != nil {
			return err
		}
		e.position.Reserve(g.Plies())
		e.plies = 0
	}
	for ; e.plies < ply; e.plies++ {
		m := g.Ply(e.plies).Move.Chess()
		if !e.position.IsLegal(m) {
			return &games.PlyError{Ply: e.plies, Move: m.String(), Reason: "illegal move"}
		}
		e.position.Make(m)
	}
	wdl, err := e.tables.WDL(&e.position)
	if err != nil {
		return nil // no table of it, or a right to castle
	}
	result, score := games.Draw, int16(0)
	if wdl == syzygy.Win || wdl == syzygy.Loss {
		result, score = games.WhiteWins, certain
		if (wdl == syzygy.Win) != (s.Side == chess.White) {
			result, score = games.BlackWins, -certain
		}
	}
	s.Target, s.Score = result.Target(), score
	return nil
}
