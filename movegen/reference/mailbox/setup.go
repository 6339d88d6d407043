package mailbox

import (
	"errors"

	"github.com/tabula-chess/tabula/chess"
)

// New returns the board of a position, which it does not keep. It refuses
// castling rights that only Chess960 knows.
func New(p *chess.Position) (*Board, error) {
	if p.Chess960() {
		return nil, errors.New("mailbox: a Chess960 position, this generator knows standard chess only")
	}
	b := &Board{cells: bordered()}
	for s := range p.Occupied().Squares() {
		pc := p.Piece(s)
		b.cells[index(s)] = white<<pc.Color() | pawn + cell(pc.Type())
	}
	b.state = b.state.withKing(0, index(p.King(chess.White))).withKing(1, index(p.King(chess.Black)))
	b.state |= state(p.Castling()) * whiteShort // the rights have one order
	if p.SideToMove() == chess.Black {
		b.state |= sideBit
	}
	if s := p.EnPassant(); s != chess.NoSquare {
		b.state |= state(index(s))
	}
	b.reserve(8)
	return b, nil
}

// bordered returns the cells of an empty board.
func bordered() (cells [120]cell) {
	for i := range cells {
		if i < a1 || i > h8 || i%10 == 0 || i%10 == 9 {
			cells[i] = border
		}
	}
	return cells
}

// Setup returns the parts of the position but for its counters. The en-passant square is
// given after every double push, whether or not a pawn can capture there.
func (b *Board) Setup() chess.Setup {
	s := chess.Setup{Side: chess.Color(b.state.side())}
	for sq := a1; sq <= h8; sq++ {
		if c := b.cells[sq]; c != empty && c != border {
			color := chess.White
			if c&black != 0 {
				color = chess.Black
			}
			s.Put(chess.MakePiece(color, chess.PieceType(c&kinds-pawn)), square(sq))
		}
	}
	for i, rook := range [4]chess.Square{chess.H1, chess.A1, chess.H8, chess.A8} {
		if b.state&(whiteShort<<i) != 0 {
			s.Castling |= rook.Bitboard()
		}
	}
	if sq := b.state.enPassant(); sq != 0 {
		s.EnPassant = square(sq).Bitboard()
	}
	return s
}
