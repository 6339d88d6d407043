package index

// CountingNode is what counting kernels read and write about a position three plies above the leaves. "We" are to move
// in it and play up the board; after our moves "they" are to move, and after theirs our moves are counted. Package
// movegen/perft fills it in, and kernels get their offsets from here.
type CountingNode struct {
	We, They  [5]uint64 // pawns, knights, sliders on diagonals and those on ranks and files, king; queens are in both
	Rights    uint64    // the rooks that may castle, of both sides
	EnPassant uint64    // the square behind a pawn that has just made a double push, for a node without a move of ours
	Flip      uint64    // 56 where the squares of Moves are to be seen from the other side
	Straight  uint64    // not 0: a slider may move on ranks and files
	Diagonal  uint64    // likewise on diagonals
	Our       [2]Wing   // to which we may castle
	Their     [2]Wing   // to which they may
	King      *Square   // of theirs
	Movers    [5][17]Mover

	Moves  *[256]uint16 // of ours, chess.Move; a castling without a rook is none
	Left   uint64       // eight times how many, counted down
	Each   uint64       // not 0: Leaves are wanted
	Sum    uint64       // of the leaves
	_      [10]uint64   // what follows begins with a cache line
	Leaves [256 + 8]uint64

	Near, Full List
	Sets       [256 * 8]uint64 // vectors
}

// Mover is a piece of theirs that is no pawn.
type Mover struct {
	Square *Square // nil behind the last
	Line   uint64  // through their king and the piece, if it may be pinned
}

// Wing is what castling to one side needs, as sets of squares; zero without a right.
type Wing struct {
	Rook        uint64 // where it starts
	Empty, Safe uint64 // what must be empty, and what must not be attacked
	King, Tower uint64 // the squares of king and rook, before and after, where they differ
	Both        uint64 // all that changes
}

// List holds children of the node's children.
type List struct {
	From, To [ListSize]uint64 // sets of one square
	Kind     [ListSize]uint64 // the upper four bits of a chess.Move, 12 for castling; 0 before and after a kernel's call
	Lane     [ListSize]uint64 // of the parent, as the kernel's machine needs it
}

// ListSize is the room for chess.MaxMoves children of each of eight positions, and for a vector.
const ListSize = 8*256 + 8

// Square is what kernels look up about a piece of theirs on a square, as sets of squares.
type Square struct {
	Bit, Knight, King      uint64    // itself, and what these pieces attack from it
	Pawns                  uint64    // from where our pawns attack it
	File, Rank, Rise, Fall uint64    // the lines through it, without it
	Above                  uint64    // squares with higher numbers
	Far                    [3]uint64 // squares on its lines whose distance has bit 0, 1 and 2
	Near                   uint64    // where a pawn of ours that it takes may have attacked it, or have been blocked by it
	Way                    uint64    // the other of the two squares in front of a pawn that has not moved
	Swapped, Mirrored      uint64    // itself with the ranks, or the files, in reverse order
	Rays                   [8]uint64 // by direction
}
