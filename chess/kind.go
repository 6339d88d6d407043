package chess

// What a move does, told by the position before it: the target square alone
// would call castling, which takes the own rook, a capture, and en passant none.
// The questions are about legal moves, and every answer for NoMove is no.

// IsCapture reports whether m captures, en passant included.
func (p *Position) IsCapture(m Move) bool {
	switch m.Kind() {
	case Castling:
		return false
	case EnPassant:
		return true
	}
	return p.board[m.To()] != NoPiece && m != NoMove
}

// IsTactical reports whether m captures or promotes: the moves that movegen.Captures
// lists and a quiescence search examines.
func (p *Position) IsTactical(m Move) bool { return m.Kind() == Promotion || p.IsCapture(m) }
