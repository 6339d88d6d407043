package x88

import (
	"slices"
	"sync"

	"github.com/tabula-chess/tabula/chess"
)

// A piece is a kind from 1 to 6 with the colour in bit 3; 0 is no piece.
type piece uint8

const (
	none piece = iota
	pawn
	knight
	bishop
	rook
	queen
	king

	blackBit piece = 8
	kindMask piece = 7
)

func (p piece) kind() piece { return p & kindMask }

// side returns 0 for a white piece, 1 for a black one.
func (p piece) side() int { return int(p >> 3) }

// off has the two bits that are set in every index outside the board.
const off = 0x88

// Squares that castling names, for White; Black's are 0x70 further.
const (
	a1, e1, h1 = 0x00, 0x04, 0x07
	a8, e8, h8 = 0x70, 0x74, 0x77
	homeOfSide = 0x70
)

// Castling rights as bits; Black's are White's shifted by two.
const (
	whiteShort uint8 = 1 << iota
	whiteLong
	blackShort
	blackLong
)

// lost holds the rights that go when a move touches a square: when king or
// rook leaves it, or the rook is captured on it.
var lost = [128]uint8{
	e1: whiteShort | whiteLong, h1: whiteShort, a1: whiteLong,
	e8: blackShort | blackLong, h8: blackShort, a8: blackLong,
}

// steps holds the index offsets of each kind of piece but the pawn.
var steps = [...][]int{
	knight: {-33, -31, -18, -14, 14, 18, 31, 33},
	bishop: {-17, -15, 15, 17},
	rook:   {-16, -1, 1, 16},
	queen:  {-17, -16, -15, -1, 1, 15, 16, 17},
	king:   {-17, -16, -15, -1, 1, 15, 16, 17},
}

// slides reports whether a kind goes on after its first step.
func slides(kind piece) bool { return kind >= bishop && kind <= queen }

// geometry answers questions about two squares by their difference
// to - from + 119, which is 0 to 238.
type geometry struct {
	// reach has bit 1<<p set when piece p attacks to from from on an empty
	// board. Only pawns distinguish the colours.
	reach [239]uint16
	// step is the step of a queen on her way from from to to, 0 where she
	// has none.
	step [239]int8
}

// newGeometry fills the table once for all boards, at the first need.
var newGeometry = sync.OnceValue(func() *geometry {
	g := &geometry{}
	for kind := knight; kind <= king; kind++ {
		both := uint16(1<<kind | 1<<(kind|blackBit))
		for _, step := range steps[kind] {
			for way := step; way >= -119 && way <= 119; way += step {
				g.reach[way+119] |= both
				if kind == queen {
					g.step[way+119] = int8(step)
				}
				// Seven steps reach across the board; further ones would
				// alias another difference.
				if !slides(kind) || way == 7*step {
					break
				}
			}
		}
	}
	for _, step := range [2]int{15, 17} {
		g.reach[119+step] |= 1 << pawn
		g.reach[119-step] |= 1 << (pawn | blackBit)
	}
	return g
})

// attacks reports whether p on from attacks to when nothing is between.
func (g *geometry) attacks(p piece, from, to int) bool { return g.reach[to-from+119]>>p&1 != 0 }

// toward returns the step from from to to along a line, or 0.
func (g *geometry) toward(from, to int) int { return int(g.step[to-from+119]) }

// A move holds board indexes; castling is the king's.
type move struct {
	from, to  uint8
	promotion piece // kind of the new piece, or none
	special   special
}

// A special is what a move does beyond moving and capturing.
type special uint8

const (
	ordinary  special = iota
	double            // a pawn's first two squares
	enPassant         // the captured pawn is not on the target
	castling          // the rook jumps over the king
)

// maxMoves bounds the moves of a side: 15 queens with 27 squares each, a king
// with 8 and 2 castlings.
const maxMoves = 416

// A moveList is where the caller wants the moves to go.
type moveList struct {
	moves [maxMoves]move
	n     int
}

func (l *moveList) add(m move) {
	l.moves[l.n] = m
	l.n++
}

func (l *moveList) all() []move { return l.moves[:l.n] }

// A Board is a position of standard chess on 0x88 cells with the history that
// takes moves back. It is made by [New] and not safe for concurrent use: even
// generating moves uses lists that it owns.
type Board struct {
	cells    [128]piece
	kings    [2]int
	side     int // 0 White, 1 Black to move
	passant  int // square behind a pawn that has just moved two, or off
	castling uint8
	geometry *geometry
	history  []undo
	lists    []moveList // indexed by depth
}

// An undo holds what a move destroys.
type undo struct {
	move     move
	captured piece
	castling uint8
	passant  uint8
}

// reserve makes the lists of all depths up to the given one.
func (b *Board) reserve(depth int) {
	for len(b.lists) <= depth {
		b.lists = append(b.lists, moveList{})
	}
	b.history = slices.Grow(b.history, depth)
}

// square translates a board index, index a square.
func square(sq int) chess.Square { return chess.MakeSquare(sq&7, sq>>4) }

func index(s chess.Square) int { return s.Rank()<<4 | s.File() }

// export translates the move to the vocabulary of package chess.
func (m move) export() chess.Move {
	from, to := square(int(m.from)), square(int(m.to))
	switch {
	case m.promotion != none:
		return chess.NewPromotion(from, to, chess.PieceType(m.promotion-pawn))
	case m.special == enPassant:
		return chess.NewMove(from, to, chess.EnPassant)
	case m.special == castling:
		rookFrom, _ := castlingRook(m)
		return chess.NewMove(from, square(rookFrom), chess.Castling)
	}
	return chess.NewMove(from, to, chess.Normal)
}
