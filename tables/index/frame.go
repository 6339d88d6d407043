package index

// Frame, Wing and Step are what counting kernels read and write. Package
// movegen/perft has types of the same names with methods; it converts them to these,
// so that it does not compile with other fields. The kernels get their offsets from
// here.
type (
	Frame struct {
		P, N, D, H, K      uint64
		TP, TN, TD, TH, TK uint64
		Castle             uint64
		EnPassant          uint64
	}
	Wing struct {
		King, Rook     uint64
		Empty, Safe    uint64
		KingTo, RookTo uint64
	}
	Step struct {
		Mask uint64
		Kind uint8
	}
)

// The kinds of [Step].
const (
	PawnStep = iota
	KnightStep
	BishopStep
	RookStep
	QueenStep
	KingStep
	DoublePush
	EnPassantStep
	CastleKing  // wing 0
	CastleQueen // wing 1
	PromoteKnight
	PromoteBishop
	PromoteRook
	PromoteQueen
)
