package selfplay

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/record"
)

// When a game is ended before the rules end it. Scores are centipawns.
const (
	winScore  = 1500 // both sides agree that one is this far ahead …
	winPlies  = 6    // … for so many plies
	drawScore = 8    // both sides agree that neither is further ahead than this …
	drawPlies = 12   // … for so many plies …
	drawFrom  = 80   // … at this ply of the game or later
	maxPlies  = 400  // of the record; such a game is drawn
)

// Judge ends games that are decided.
type Judge struct {
	ahead int // plies in a row with a winning score, negative for Black
	even  int // plies in a row with an even score
}

// See takes the score of the position at ply, White's view, and reports
// whether the game is over.
func (j *Judge) See(ply int, score eval.Score) (r record.Result, over bool) {
	switch {
	case score >= winScore:
		j.ahead = max(j.ahead, 0) + 1
	case score <= -winScore:
		j.ahead = min(j.ahead, 0) - 1
	default:
		j.ahead = 0
	}
	j.even++
	if ply < drawFrom || score > drawScore || score < -drawScore {
		j.even = 0
	}
	switch {
	case j.ahead >= winPlies:
		return record.WhiteWins, true
	case j.ahead <= -winPlies:
		return record.BlackWins, true
	}
	return record.Draw, j.even >= drawPlies
}

// Ended returns the result where the rules end the game at p. A draw that may
// be claimed is claimed.
func Ended(p *chess.Position) (r record.Result, over bool) {
	switch p.Outcome() {
	case chess.Ongoing:
		return record.Draw, false
	case chess.Checkmate:
		return LostBy(p.SideToMove()), true
	}
	return record.Draw, true
}

// Known returns the result of p with best play where tables know it. Only
// positions after a capture or pawn move are asked about, as their outcome is
// that of the game: a win that the fifty-move rule takes away is a draw. A
// table that is missing or damaged knows nothing.
func Known(p *chess.Position, tables *syzygy.Tables) (r record.Result, over bool) {
	if p.HalfmoveClock() != 0 || p.Occupied().Count() > tables.Men() {
		return record.Draw, false
	}
	wdl, err := tables.WDL(p)
	switch {
	case err != nil:
		return record.Draw, false
	case wdl == syzygy.Win:
		return LostBy(p.SideToMove().Other()), true
	case wdl == syzygy.Loss:
		return LostBy(p.SideToMove()), true
	}
	return record.Draw, true
}
