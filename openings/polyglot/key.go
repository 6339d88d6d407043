package polyglot

import "github.com/tabula-chess/tabula/chess"

// Where the numbers of a kind begin in random.
const (
	castlingNumbers  = 12 * 64
	enPassantNumbers = castlingNumbers + 4
	whiteToMove      = enPassantNumbers + 8
)

// Key returns the key of a position as books have it. En passant counts where a
// pawn of the side to move stands beside the pawn that has just moved two squares,
// whether or not it may capture. In Chess960 the castling rights count as in
// standard chess, by wing.
func Key(p *chess.Position) uint64 {
	var key uint64
	for s := range p.Occupied().Squares() {
		// The format counts Black's pieces before White's.
		key ^= random[64*(int(p.Piece(s))^1)+int(s)]
	}
	for i := range 4 {
		if p.Castling()>>i&1 != 0 {
			key ^= random[castlingNumbers+i]
		}
	}
	us := p.SideToMove()
	if ep := p.EnPassant(); ep != chess.NoSquare &&
		chess.PawnAttacks(us.Other(), ep)&p.Pieces(us, chess.Pawn) != 0 {
		key ^= random[enPassantNumbers+ep.File()]
	}
	if us == chess.White {
		key ^= random[whiteToMove]
	}
	return key
}

// EncodeMove returns a move as books have it: the squares in twelve bits, the
// file before the rank and the target before the origin, then the piece of a
// promotion, 1 for a knight to 4 for a queen. Castling is the king taking its own
// rook.
func EncodeMove(m chess.Move) uint16 {
	raw := uint16(m.To()) | uint16(m.From())<<6
	if t := m.PromotionType(); t != chess.NoPieceType {
		raw |= uint16(t-chess.Knight+1) << 12
	}
	return raw
}

// DecodeMove reads a move of a book. Castling may be written as the king taking
// its own rook or as the king's step. Errors: a *chess.MoveError for one that is
// not legal in p.
func DecodeMove(p *chess.Position, raw uint16) (chess.Move, error) {
	text := chess.Square(raw>>6&63).String() + chess.Square(raw&63).String()
	if promotion := raw >> 12; promotion > 0 {
		text += string("nbrq???????????"[promotion-1])
	}
	return p.ParseUCI(text)
}
