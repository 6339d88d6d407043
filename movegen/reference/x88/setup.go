package x88

import (
	"errors"

	"github.com/tabula-chess/tabula/chess"
)

// New returns the board of a position, which it does not keep. It refuses
// castling rights that only Chess960 knows.
func New(p *chess.Position) (*Board, error) {
	if p.Chess960() {
		return nil, errors.New("x88: a Chess960 position, this generator knows standard chess only")
	}
	b := &Board{
		kings:    [2]int{index(p.King(chess.White)), index(p.King(chess.Black))},
		side:     int(p.SideToMove()),
		passant:  off,
		castling: uint8(p.Castling()), // the rights have one order
		geometry: newGeometry(),
	}
	for s := range p.Occupied().Squares() {
		pc := p.Piece(s)
		b.cells[index(s)] = pawn + piece(pc.Type()) | piece(pc.Color())<<3
	}
	if s := p.EnPassant(); s != chess.NoSquare {
		b.passant = index(s)
	}
	b.reserve(8)
	return b, nil
}

// Setup returns the parts of the position but for its counters. The en-passant square is
// given after every double push, whether or not a pawn can capture there.
func (b *Board) Setup() chess.Setup {
	s := chess.Setup{Side: chess.Color(b.side)}
	for sq, p := range b.cells {
		if p != none {
			s.Put(chess.MakePiece(chess.Color(p.side()), chess.PieceType(p.kind()-pawn)), square(sq))
		}
	}
	for i, rook := range [4]chess.Square{chess.H1, chess.A1, chess.H8, chess.A8} {
		if b.castling>>i&1 != 0 {
			s.Castling |= rook.Bitboard()
		}
	}
	if b.passant != off {
		s.EnPassant = square(b.passant).Bitboard()
	}
	return s
}
