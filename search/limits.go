package search

import (
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/wdl"
)

// Limits says when a search ends. A number of zero or less does not limit; a
// zero Limits searches to the maximal depth.
type Limits struct {
	Depth     Depth  // of the last iteration
	Mate      int    // ends at a mate in at most so many moves, for either side
	Nodes     uint64 // of all threads together; exact with one
	SoftNodes uint64 // no iteration starts that is likely to end after so many

	MoveTime  time.Duration
	Time, Inc [2]time.Duration // by chess.Color
	Timed     [2]bool          // the clock was given; it may stand at zero or below
	MovesToGo int

	// NodeTime, where it is above zero, counts so many nodes as a millisecond, on
	// every clock of this search: how it divides its time then depends on
	// neither the processor nor its load, and one thread does the same again.
	// Source: Stockfish's option nodestime.
	NodeTime int

	Infinite, Ponder bool // hold the result back until Stop (or PonderHit)

	SearchMoves []chess.Move // the root moves to look at; all where none is legal
	Start       time.Time    // when the command arrived; zero means now
}

// Options are the settings of one search.
type Options struct {
	MultiPV      int           // lines to report, at least 1
	MoveOverhead time.Duration // time lost outside the engine on each move
	Tables       Tables        // of endgames; the zero value uses none

	// Evaluated, which may be nil, is called by the first thread with every
	// position that it asks the network about. It must leave the position as
	// it is; a pointer to it is valid during the call.
	Evaluated func(*chess.Position)
}

// Bound says what a reported score is.
type Bound uint8

// The kinds of bound.
const (
	Exact Bound = iota
	Lower       // the true score is at least this
	Upper       // the true score is at most this
)

// Info is a report of a running search. PV is valid only during the callback.
type Info struct {
	Depth    Depth
	SelDepth int // the longest line looked at, in plies
	MultiPV  int // 1 for the best line
	Score    eval.Score
	Bound    Bound
	Nodes    uint64
	Time     time.Duration
	HashFull int    // per mille
	TBHits   uint64 // positions found in endgame tables, by all workers
	Drawn    bool   // a stalemate, or endgame tables say that the line is a draw
	PV       []chess.Move
}

// Chances returns the chances of the side to move in root, the position that was
// searched. Mates and what endgame tables know are certain.
func (in *Info) Chances(root *chess.Position) wdl.Chances {
	if in.Drawn {
		return wdl.Chances{Draw: 1000}
	}
	return wdl.Of(in.Score, wdl.Material(root))
}

// Result is the outcome of a search. Best is chess.NoMove where the position
// has no legal move, Ponder where no answer is known.
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

// Every mate that a line can end in, and the table move away from its node,
// is told from an evaluation. The length would be negative otherwise.
var _ [mate - mateEdge - 2*MaxPly]struct{}

// mated returns the score of being mated on ply.
func mated(ply int) eval.Score { return eval.Score(ply) - mate }

// MateIn returns the distance of a mate score in moves: 3 means that the side
// to move mates with its third move, -2 that it is mated after its second, 0
// that it is mated. ok is false for every other score.
func MateIn(s eval.Score) (moves int, ok bool) {
	switch {
	case s >= mateEdge:
		return int(mate-s+1) / 2, true
	case s <= -mateEdge:
		return -int(mate+s) / 2, true
	}
	return 0, false
}

// isMate reports whether s decides the game: a mate for either side, or a win
// or loss that endgame tables know. Neither is an evaluation to add to.
func isMate(s eval.Score) bool { return s >= tableEdge || s <= -tableEdge }

// Soft returns the limits of a search for data: no iteration starts that is
// likely to end after so many nodes, and twice as many end it.
func Soft(nodes uint64) Limits { return Limits{SoftNodes: nodes, Nodes: 2 * nodes} }
