package search

// reason says why the search of a node ended. check.go tests what each reason
// promises, under the build tag tabula_check.
type reason uint8

const (
	byStop         reason = iota // halted: the score means nothing
	byRule                       // repetition, fifty moves, insufficient material
	byReturn                     // the side to move can repeat a position
	byHorizon                    // the end of the stack
	byMateDistance               // no mate from here is short enough to matter
	byTable                      // a bound of the transposition table
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
	reasons
)

// String returns the reason in words.
func (r reason) String() string {
	return [reasons]string{
		"stop", "rule of draw", "upcoming repetition", "horizon", "mate distance", "table", "razoring", "reverse futility",
		"null move", "table cut", "ProbCut", "multi-cut", "stand pat", "no moves", "moves", "endgame tables",
	}[r]
}
