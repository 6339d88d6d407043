package eval

// Score is a value in centipawns from the view of the side to move.
// Evaluations stay within ±[Limit]; a search uses the room above it for mates.
type Score int32

// Limit bounds the absolute value of every evaluation.
const Limit Score = 29000
