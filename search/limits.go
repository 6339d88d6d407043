package search

import (
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/wdl"
)

// Limits says when a search ends. Zero or a negative number means no limit; the zero
// Limits searches to the maximal depth.
type Limits struct {
	Depth     Depth  // of the last iteration
	Mate      int    // end at a mate in at most this many moves, for either side
	Nodes     uint64 // of all threads together; exact with one
	SoftNodes uint64 // no iteration starts that would probably exceed this

	MoveTime  time.Duration
	Time, Inc [2]time.Duration // by chess.Color
	Timed     [2]bool          // the clock counts although it stands at zero; any other does without
	MovesToGo int

	// NodeTime above zero counts this many nodes as a millisecond on every clock of
	// the search. The result then does not depend on the machine or its load, and one
	// thread repeats it exactly. Source: Stockfish's option nodestime.
	NodeTime int

	Infinite, Ponder bool // hold the result back until Stop (or PonderHit)

	SearchMoves []chess.Move // the root moves to search; all if none of them is legal
	Start       time.Time    // when the command arrived; zero means now
}

// Options are the settings of one search.
type Options struct {
	MultiPV      int           // lines to report, at least 1
	MoveOverhead time.Duration // time lost outside the engine on each move
	Tables       Tables        // of endgames; the zero value uses none
}

// Info is a report of a running search. PV is valid only during the callback.
type Info struct {
	Depth    Depth
	SelDepth int // the longest line searched, in plies
	MultiPV  int // 1 for the best line
	Score    eval.Score
	Bound    eval.Bound
	Nodes    uint64
	Time     time.Duration
	HashFull int    // per mille
	TBHits   uint64 // positions found in endgame tables, by all workers
	Drawn    bool   // a stalemate, or endgame tables say that the line is a draw
	PV       []chess.Move
}

// Chances returns the chances of the side to move in root, the searched position.
// Mates and results from endgame tables are certain.
func (in *Info) Chances(root *chess.Position) wdl.Chances {
	if in.Drawn {
		return wdl.Chances{Draw: 1000}
	}
	return wdl.Of(in.Score, wdl.Material(root))
}

// Result is the outcome of a search. Best is chess.NoMove if the position has no legal
// move, Ponder if no answer is known.
type Result struct {
	Best, Ponder chess.Move
	Score        eval.Score
	Depth        Depth
	Nodes        uint64
}

const (
	mate                = eval.Mate
	mateEdge            = eval.MateEdge
	infinity eval.Score = mate + 1
	unknown  eval.Score = mate + 2 // no evaluation: the side to move is in check
	draw     eval.Score = 0
)

// Evaluations never reach the scores of mates: the length would be negative otherwise.
var _ [mate - mateEdge - 2*MaxPly]struct{}

// mated returns the score of being mated on ply.
func mated(ply int) eval.Score { return eval.Score(ply) - mate }

// isMate reports whether s decides the game: a mate, or a win or loss from endgame
// tables.
func isMate(s eval.Score) bool { return s >= tableEdge || s <= -tableEdge }

// Soft returns the limits of a search for training data: no iteration starts that would
// probably exceed nodes, and the search ends at twice as many.
func Soft(nodes uint64) Limits { return Limits{SoftNodes: nodes, Nodes: 2 * nodes} }
