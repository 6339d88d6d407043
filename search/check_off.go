//go:build !tabula_check

package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// checking is true with the build tag tabula_check: the search then checks its own
// steps. Without the tag the calls below do nothing.
const checking = false

// checks is empty without the tag.
type checks struct{}

func (*checks) checkNode(int, Depth, eval.Score, eval.Score) func(*eval.Score) { return nil }
func (*checks) checkMove(int, chess.Move)                                      {}
func (*checks) checkBound(int, Bound, eval.Score, chess.Move)                  {}
func (*checks) checkRaw(int, eval.Score)                                       {}
func (*checks) checkEvaluation(v eval.Score) eval.Score                        { return v }
func checkLearnt(int, int)                                                     {}
