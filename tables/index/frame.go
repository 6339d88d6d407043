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

// LeavesSlots is the number of vectors that kernels of few lanes keep in memory.
const LeavesSlots = 36

// Pair is a word in both lanes of a vector.
type Pair = [2]uint64

// Leaves is what the NEON kernel knows of a position, as the side to move in its children
// sees it, and where it keeps vectors.
type Leaves struct {
	Slots   [LeavesSlots]Pair // the first hold the parent: five sets of theirs, four of ours, all of ours, all of theirs
	Knights [11][2]Pair       // ours: square and attacks, and a zero behind them
	Castle  [2][3]Pair        // by wing of theirs: the king's two squares, the rook's two, all
	Wings   [2][6]Pair        // ours, as in a Wing; zero where the right is gone
	King    *[32]Pair         // the row of our king
	Reach   *[8]Pair          // from where sliders matter to our king or castling, by direction
	Special uint64            // 0: all steps are plain moves and captures or double pushes
	Rights  uint64            // 0: no wing
}
