package match

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/record"
)

// When a game is ended before the rules end it. Scores are centipawns.
const (
	winScore  = 1500 // both sides agree that one is this far ahead …
	winPlies  = 6    // … for this many plies
	drawScore = 8    // both sides agree that neither is further ahead than this …
	drawPlies = 12   // … for this many plies …
	drawFrom  = 80   // … at this ply of the game or later
	maxPlies  = 400  // a game of this length is drawn
)

// Adjudicator ends games that are decided.
type Adjudicator struct {
	ahead int // plies in a row with a winning score, negative for Black
	even  int // plies in a row with an even score
}

// See records the score at ply, from White's view, and reports whether the game is decided.
func (a *Adjudicator) See(ply int, score int16) (r record.Result, over bool) {
	switch {
	case score >= winScore:
		a.ahead = max(a.ahead, 0) + 1
	case score <= -winScore:
		a.ahead = min(a.ahead, 0) - 1
	default:
		a.ahead = 0
	}
	a.even++
	if ply < drawFrom || score > drawScore || score < -drawScore {
		a.even = 0
	}
	switch {
	case a.ahead >= winPlies:
		return record.WhiteWins, true
	case a.ahead <= -winPlies:
		return record.BlackWins, true
	}
	return record.Draw, a.even >= drawPlies
}

// Ended returns the result if the rules end the game at p. Claimable draws count as claimed.
func Ended(p *chess.Position) (r record.Result, over bool) {
	switch p.Outcome() {
	case chess.Ongoing:
		return record.Draw, false
	case chess.Checkmate:
		return lostBy(p.SideToMove()), true
	}
	return record.Draw, true
}

// Known returns the result of p with best play if the tables have it. It only looks up positions after a capture
// or pawn move, whose table result is also the result of the game. A win prevented by the fifty-move rule is a
// draw. A missing or damaged table gives no result.
func Known(p *chess.Position, tables *syzygy.Tables) (r record.Result, over bool) {
	if p.HalfmoveClock() != 0 || p.Occupied().Count() > tables.Men() {
		return record.Draw, false
	}
	wdl, err := tables.WDL(p)
	switch {
	case err != nil:
		return record.Draw, false
	case wdl == syzygy.Win:
		return lostBy(p.SideToMove().Other()), true
	case wdl == syzygy.Loss:
		return lostBy(p.SideToMove()), true
	}
	return record.Draw, true
}

// lostBy returns the result of a game that us has lost.
func lostBy(us chess.Color) record.Result {
	if us == chess.White {
		return record.BlackWins
	}
	return record.WhiteWins
}
