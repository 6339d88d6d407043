package search

// way is how the search of a node came to its end. What each way must keep is
// held to it under the build tag tabula_check; see check.go.
type way uint8

const (
	byStop         way = iota // halted: the score means nothing
	byRule                    // repetition, fifty moves, insufficient material
	byReturn                  // the side to move can repeat a position
	byHorizon                 // the end of the stack
	byMateDistance            // no mate from here is short enough to matter
	byTable                   // a bound of the table
	byRazor
	byReverse // reverse futility
	byNull    // null move
	byTableCut
	byProbCut
	byMultiCut
	byStandPat // quiescence
	byNoMoves  // mate and stalemate
	byMoves    // the moves were searched
	byEndgame  // endgame tables know the outcome
	ways
)

// String returns the name of the way in words.
func (b way) String() string {
	return [ways]string{
		"stop", "rule of draw", "upcoming repetition", "horizon", "mate distance", "table", "razoring", "reverse futility",
		"null move", "table cut", "ProbCut", "multi-cut", "stand pat", "no moves", "moves",
		"endgame tables",
	}[b]
}
