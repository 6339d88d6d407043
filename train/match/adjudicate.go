package match

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/record"
)

// When a game is ended before the rules end it. Scores are centipawns.
const (
	winScore = 1500 // both sides agree that one is this far ahead …
	winPlies = 6    // … for this many plies
	maxPlies = 400  // a game of this length is drawn
)

// Adjudicator ends games that are won. It does not end games whose score is even: a young network also says so of won
// endings, and would learn from its own verdicts that they are drawn.
type Adjudicator struct {
	ahead int // plies in a row with a winning score, negative for Black
}

// See records the next score, from White's view, and reports whether the game is decided.
func (a *Adjudicator) See(score int16) (r record.HalfPoints, over bool) {
	switch {
	case score >= winScore:
		a.ahead = max(a.ahead, 0) + 1
	case score <= -winScore:
		a.ahead = min(a.ahead, 0) - 1
	default:
		a.ahead = 0
	}
	switch {
	case a.ahead >= winPlies:
		return record.WhiteWins, true
	case a.ahead <= -winPlies:
		return record.BlackWins, true
	}
	return record.Draw, false
}

// Ended returns the result if the rules end the game at p. Claimable draws count as claimed.
func Ended(p *chess.Position) (r record.HalfPoints, over bool) {
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
func Known(p *chess.Position, tables *syzygy.Tables) (r record.HalfPoints, over bool) {
	if p.HalfmoveClock() != 0 || p.Occupied().Count() > tables.Pieces() {
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
func lostBy(us chess.Color) record.HalfPoints {
	if us == chess.White {
		return record.BlackWins
	}
	return record.WhiteWins
}
