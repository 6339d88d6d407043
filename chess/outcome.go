package chess

import (
	"fmt"
	"slices"
)

// Result is the result of a game in PGN.
type Result uint8

// The four results.
const (
	NoResult  Result = iota // "*": the game goes on, or nobody knows
	WhiteWins               // "1-0"
	BlackWins               // "0-1"
	Draw                    // "1/2-1/2"
)

var results = [4]string{NoResult: "*", WhiteWins: "1-0", BlackWins: "0-1", Draw: "1/2-1/2"}

// String returns the PGN text of the result.
func (r Result) String() string { return results[r&3] }

// ParseResult reads the PGN text of a result.
func ParseResult(text string) (Result, error) {
	if i := slices.Index(results[:], text); i >= 0 {
		return Result(i), nil
	}
	return NoResult, fmt.Errorf("result %.20q: want 1-0, 0-1, 1/2-1/2 or *", text)
}

// Outcome is the state of a game by the rules, from a position and its history.
type Outcome uint8

// The outcomes. The first end the game by themselves; FiftyMoves and
// ThreefoldRepetition do so only where the player to move claims the draw.
// Source: FIDE Laws of Chess 2023, articles 5.1, 5.2, 9.2, 9.3 and 9.6.
const (
	Ongoing             Outcome = iota // there is a legal move and no reason to stop
	Checkmate                          // the side to move is mated
	Stalemate                          // the side to move has no legal move and is not in check
	DeadPosition                       // insufficient material, see [Position.InsufficientMaterial]
	SeventyFiveMoves                   // 150 plies without a capture or pawn move
	FivefoldRepetition                 // the position stands for the fifth time
	FiftyMoves                         // 100 plies without a capture or pawn move: a draw may be claimed
	ThreefoldRepetition                // the position stands for the third time: a draw may be claimed
)

var outcomes = [8]string{
	"ongoing", "checkmate", "stalemate", "insufficient material", "seventy-five moves", "fivefold repetition",
	"fifty moves",
	"threefold repetition",
}

// String returns the outcome in words, such as "checkmate" or "fifty moves".
func (o Outcome) String() string { return outcomes[o&7] }

// ParseOutcome reads the words of [Outcome.String].
func ParseOutcome(text string) (Outcome, error) {
	if i := slices.Index(outcomes[:], text); i >= 0 {
		return Outcome(i), nil
	}
	return Ongoing, fmt.Errorf("outcome %.30q: want ongoing, checkmate, stalemate, a draw of the rules or a claim", text)
}

// Over reports whether the game has ended without a claim.
func (o Outcome) Over() bool { return o > Ongoing && o < FiftyMoves }

// Claimable reports whether a player may claim a draw and the game otherwise continues.
func (o Outcome) Claimable() bool { return o >= FiftyMoves }

// Plies without a capture or pawn move after which a draw may be claimed and
// after which the game is drawn.
const (
	FiftyMovePlies       = 100
	SeventyFiveMovePlies = 150
)

// Outcome returns what ends the game in p, or what draw may be claimed. Where
// several reasons hold the first in the order of the constants is returned:
// mate on the last move of seventy-five is mate. Repetition counts the
// positions since [ParseFEN] only. It does not allocate.
func (p *Position) Outcome() Outcome {
	if !p.HasLegalMove() {
		if p.InCheck() {
			return Checkmate
		}
		return Stalemate
	}
	repetitions := p.Repetitions()
	switch {
	case p.InsufficientMaterial():
		return DeadPosition
	case p.halfmove >= SeventyFiveMovePlies:
		return SeventyFiveMoves
	case repetitions >= 4:
		return FivefoldRepetition
	case p.halfmove >= FiftyMovePlies:
		return FiftyMoves
	case repetitions >= 2:
		return ThreefoldRepetition
	}
	return Ongoing
}

// Result returns the result by the rules: a win for the side that mates, a draw for
// every other end without a claim, and NoResult while the game continues. It does not
// allocate.
func (p *Position) Result() Result {
	switch o := p.Outcome(); {
	case o == Checkmate && p.side == White:
		return BlackWins
	case o == Checkmate:
		return WhiteWins
	case o.Over():
		return Draw
	}
	return NoResult
}

// Winner returns the side that has mated; ok is false without mate.
func (p *Position) Winner() (winner Color, ok bool) {
	return p.side.Other(), p.checkers != 0 && !p.HasLegalMove()
}
