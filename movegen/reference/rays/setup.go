package rays

import (
	"errors"

	"github.com/tabula-chess/tabula/chess"
)

// New returns the board of a position, which it does not keep. It refuses
// castling rights that only Chess960 knows.
func New(p *chess.Position) (*Board, error) {
	if p.Chess960() {
		return nil, errors.New("rays: a Chess960 position, this generator knows standard chess only")
	}
	b := &Board{
		side:     p.SideToMove(),
		castling: uint8(p.Castling()), // the rights have one order
		passant:  p.EnPassant(),
	}
	for s := range b.squares {
		b.squares[s] = chess.NoPiece
	}
	for s := range p.Occupied().Squares() {
		b.put(p.Piece(s), s)
	}
	b.reserve(8)
	return b, nil
}

// Setup returns the parts of the position but for its counters. The en-passant square is
// given after every double push, whether or not a pawn can capture there.
func (b *Board) Setup() chess.Setup {
	s := chess.Setup{Side: b.side}
	for color, sets := range b.pieces {
		for kind, set := range sets {
			s.Pieces[color][kind] = chess.Bitboard(set)
		}
	}
	for i, rook := range [4]chess.Square{chess.H1, chess.A1, chess.H8, chess.A8} {
		if b.castling>>i&1 != 0 {
			s.Castling |= rook.Bitboard()
		}
	}
	if b.passant != chess.NoSquare {
		s.EnPassant = b.passant.Bitboard()
	}
	return s
}
