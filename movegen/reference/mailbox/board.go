package mailbox

import (
	"slices"

	"github.com/tabula-chess/tabula/chess"
)

// A cell is the content of one of the 120 array cells: a kind from pawn to
// king together with one colour bit, empty, or border.
type cell uint8

const (
	empty  cell = 0
	pawn   cell = 1
	knight cell = 2
	bishop cell = 3
	rook   cell = 4
	queen  cell = 5
	king   cell = 6

	white  cell = 1 << 3
	black  cell = 1 << 4
	border cell = white | black // looks like an own piece to either side
	kinds  cell = 7             // mask of the kind
)

// Board indexes of the squares that castling names.
const (
	a1, c1, d1, e1, f1, g1, h1 = 21, 23, 24, 25, 26, 27, 28
	a8, c8, d8, e8, f8, g8, h8 = 91, 93, 94, 95, 96, 97, 98
)

// Offsets of a step in each direction, see the package's diagram.
var (
	knightOffsets = [...]int{-21, -19, -12, -8, 8, 12, 19, 21}
	bishopOffsets = [...]int{-11, -9, 9, 11}
	rookOffsets   = [...]int{-10, -1, 1, 10}
	royalOffsets  = [...]int{-11, -10, -9, -1, 1, 9, 10, 11} // king and queen
)

// A state is everything of a position but its cells and counters:
//
//	25 24 23 22 | 21   | 20 … 14    | 13 … 7     | 6 … 0
//	q  k  Q  K  | side | black king | white king | en passant
//
// The three squares are board indexes of seven bits. No en-passant square is
// index 0, which is a border cell and so never a square. Side is 0 for White.
// One copy of this word is all that unmake needs to restore the lot.
type state uint32

const (
	squareMask     = 1<<7 - 1
	whiteKingShift = 7
	blackKingShift = 14
	sideShift      = 21

	sideBit    state = 1 << sideShift
	whiteShort state = 1 << 22
	whiteLong  state = 1 << 23
	blackShort state = 1 << 24
	blackLong  state = 1 << 25
)

// lost lists the castling flags that go when a move touches a cell: when the
// king or the rook leaves it, or the rook is captured on it.
var lost = [120]state{
	e1: whiteShort | whiteLong, h1: whiteShort, a1: whiteLong,
	e8: blackShort | blackLong, h8: blackShort, a8: blackLong,
}

// side returns 0 when White is to move and 1 when Black is.
func (s state) side() int { return int(s >> sideShift & 1) }

// enPassant returns the index behind a pawn that has just moved two squares,
// or 0.
func (s state) enPassant() int { return int(s & squareMask) }

// king returns the index of the king of side 0 (White) or 1 (Black).
func (s state) king(side int) int {
	return int(s >> (whiteKingShift + (blackKingShift-whiteKingShift)*side) & squareMask)
}

// withKing returns the word with the king of a side on index sq.
func (s state) withKing(side, sq int) state {
	shift := whiteKingShift + (blackKingShift-whiteKingShift)*side
	return s&^(squareMask<<shift) | state(sq)<<shift
}

// A move in the board's own indexes:
//
//	18 17 | 16 15 14  | 13 … 7 | 6 … 0
//	kind  | promotion | to     | from
//
// Promotion is the new piece's kind or 0. A castling move is the king's.
type move uint32

const (
	double    move = 1 << 17 // a pawn's first two squares
	enPassant move = 2 << 17
	castling  move = 3 << 17
	kindMask  move = 3 << 17
)

func newMove(from, to int, kind move) move { return kind | move(to)<<7 | move(from) }

func newPromotion(from, to int, promotion cell) move {
	return move(promotion)<<14 | move(to)<<7 | move(from)
}

func (m move) from() int       { return int(m & squareMask) }
func (m move) to() int         { return int(m >> 7 & squareMask) }
func (m move) promotion() cell { return cell(m>>14) & kinds }
func (m move) kind() move      { return m & kindMask }

// export translates the move to the vocabulary of package chess.
func (m move) export() chess.Move {
	from, to := square(m.from()), square(m.to())
	switch {
	case m.promotion() != 0:
		return chess.NewPromotion(from, to, chess.PieceType(m.promotion()-pawn))
	case m.kind() == enPassant:
		return chess.NewMove(from, to, chess.EnPassant)
	case m.kind() == castling && to > from:
		return chess.NewMove(from, square(m.from()+3), chess.Castling)
	case m.kind() == castling:
		return chess.NewMove(from, square(m.from()-4), chess.Castling)
	}
	return chess.NewMove(from, to, chess.Normal)
}

// square translates a board index, index a square.
func square(sq int) chess.Square { return chess.MakeSquare(sq%10-1, sq/10-2) }

func index(s chess.Square) int { return 21 + s.File() + 10*s.Rank() }

// A Board is a position of standard chess on 10×12 cells together with the
// history that takes moves back. It is made by [New] and not safe for
// concurrent use: even generating moves fills vectors that it owns.
type Board struct {
	cells   [120]cell
	state   state
	history []undo
	vectors []vector // indexed by depth
}

// An undo holds what a move destroys.
type undo struct {
	state    state
	move     move
	captured cell
}

// A vector holds the moves of one depth, tactical and quiet apart.
type vector struct {
	tactical, quiet []move
}

// maxMoves bounds the moves of a side: 15 queens with 27 squares each, a king
// with 8 and 2 castlings.
const maxMoves = 416

// reserve makes the vectors of all depths up to the given one.
func (b *Board) reserve(depth int) {
	for len(b.vectors) <= depth {
		b.vectors = append(b.vectors, vector{make([]move, 0, maxMoves), make([]move, 0, maxMoves)})
	}
	b.history = slices.Grow(b.history, depth+1)
}
