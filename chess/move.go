package chess

// Move is a move in 16 bits:
//
//	15 14 | 13 12     | 11 … 6 | 5 … 0
//	kind  | promotion | from   | to
//
// Kind is one of [Normal], [Promotion], [EnPassant] and [Castling]. The
// promotion bits hold the new piece as PieceType - Knight and are zero for
// every other kind. Castling is written king-takes-rook: to is the square of
// the castling rook, in standard chess and in Chess960 alike.
type Move uint16

// MoveKind is the top two bits of a Move.
type MoveKind uint16

// The kinds of move.
const (
	Normal    MoveKind = 0 << 14
	Promotion MoveKind = 1 << 14
	EnPassant MoveKind = 2 << 14
	Castling  MoveKind = 3 << 14
)

// NoMove is the explicit absence of a move (a1 to a1).
const NoMove Move = 0

// MaxMoves bounds the number of legal moves of any position; a buffer of this length never overflows. Positions of
// games have at most 218. Composed ones, of any sixteen men a side, have more: the most that a search for such
// positions found is 241.
const MaxMoves = 256

// NewMove returns the move of the given kind; use NewPromotion for promotions.
func NewMove(from, to Square, kind MoveKind) Move {
	return Move(kind) | Move(from)<<6 | Move(to)
}

// NewPromotion returns the pawn move from-to that promotes to t, which must be
// Knight, Bishop, Rook or Queen.
func NewPromotion(from, to Square, t PieceType) Move {
	return Move(Promotion) | Move(t-Knight)<<12 | Move(from)<<6 | Move(to)
}

// From returns the square the piece leaves.
func (m Move) From() Square { return Square(m >> 6 & 63) }

// To returns the square the piece goes to; for castling, the rook's square.
func (m Move) To() Square { return Square(m & 63) }

// Kind returns the kind of the move.
func (m Move) Kind() MoveKind { return MoveKind(m & (3 << 14)) }

// PromotionType returns the new piece of a promotion and NoPieceType for
// every other kind.
func (m Move) PromotionType() PieceType {
	if m.Kind() != Promotion {
		return NoPieceType
	}
	return PieceType(m>>12&3) + Knight
}

// String returns the move in UCI text with castling as king takes rook, the
// Chess960 form ("e1h1"); [Position.UCI] gives the form a GUI expects.
// NoMove is "0000".
func (m Move) String() string {
	if m == NoMove {
		return "0000"
	}
	var buf [5]byte
	text := append(buf[:0], m.From().String()...)
	text = append(text, m.To().String()...)
	if t := m.PromotionType(); t != NoPieceType {
		text = append(text, t.String()...)
	}
	return string(text)
}
