package eval

// Score is a value in centipawns from the view of the side to move.
// Evaluations stay within ±[Limit]; a search uses the room above it for mates.
type Score int32

// Limit bounds the absolute value of every evaluation.
const Limit Score = 29000

// Pair packs a middlegame value in its low and an endgame value in its high
// 16 bits, so that one addition adds both. Each half holds ±32767.
// Source: CPW "Tapered Eval".
type Pair int32

// MakePair returns the pair of mg and eg.
func MakePair(mg, eg int) Pair { return Pair(eg<<16 + mg) }

// Middle returns the middlegame value.
func (p Pair) Middle() int { return int(int16(p)) }

// End returns the endgame value. The carry of a negative middlegame value is
// given back.
func (p Pair) End() int { return int(int16((p + 0x8000) >> 16)) }

// Phase is how much of the middlegame is left, from the pieces on the board:
// [MaxPhase] at the start of a game, 0 with pawns and kings alone.
const MaxPhase = 24

// Scales of endgame scores: FullScale leaves the score as it is.
const FullScale = 64
