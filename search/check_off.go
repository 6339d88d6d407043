//go:build !tabula_check

package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// checking says that the search proves its own steps as it goes, which takes
// the build tag tabula_check. Without it the calls below come to nothing.
const checking = false

// checks is what a checking worker keeps.
type checks struct{}

func (*checks) note(int, way) {}

func (*checks) checkNode(int, Depth, eval.Score, eval.Score) func(*eval.Score) { return nil }
func (*checks) checkMove(int, chess.Move)                                      {}
func (*checks) checkBound(int, Bound, eval.Score, chess.Move)                  {}
func (*checks) checkRaw(int, eval.Score)                                       {}
func (*checks) checkEvaluation(v eval.Score) eval.Score                        { return v }
func checkLearnt(int, int)                                                     {}
