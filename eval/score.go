package eval

import "fmt"

// Score is a value in centipawns from the view of the side to move.
// Evaluations stay within ±[Limit]; the room above it is for mates.
type Score int32

const (
	// Limit bounds the absolute value of every evaluation.
	Limit Score = 29000

	// Mate is the score of having mated. A mate n plies from the root scores
	// Mate - n for the side that mates, n - Mate for the other.
	Mate Score = 32000

	// MateEdge is the least absolute score of a mate.
	MateEdge Score = Mate - 256
)

// IsMate reports whether s is a mate for either side.
func (s Score) IsMate() bool { return s >= MateEdge || s <= -MateEdge }

// MateIn returns the distance of a mate score in moves: 3 means that the side
// to move mates with its third move, -2 that it is mated after its second, 0
// that it is mated or, for [Mate], that it has mated. ok is false for every other score.
func (s Score) MateIn() (moves int, ok bool) {
	switch {
	case s >= MateEdge:
		return int(Mate-s+1) / 2, true
	case s <= -MateEdge:
		return -int(Mate+s) / 2, true
	}
	return 0, false
}

// String returns the score in pawns or as moves to mate: "+0.35", "-1.20", "#3". "#-2"
// means that the side to move is mated in two, "#-0" that it is mated, "#0" that it has mated.
func (s Score) String() string {
	switch n, ok := s.MateIn(); {
	case ok && n == 0 && s < 0:
		return "#-0"
	case ok:
		return fmt.Sprintf("#%d", n)
	}
	return fmt.Sprintf("%+.2f", float64(s)/100)
}

// Bound says whether a score is exact.
type Bound uint8

// The bounds.
const (
	Exact Bound = iota
	Lower       // the true score is at least this
	Upper       // the true score is at most this
)
