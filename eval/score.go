package eval

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
