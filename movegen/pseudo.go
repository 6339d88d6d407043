package movegen

import "github.com/tabula-chess/tabula/chess"

// Pseudo appends the pseudo-legal moves of p to buf: every move of the pieces
// whether or not it leaves the king in check. Castling is included where the
// king neither stands on nor crosses an attacked square, as no rule about the
// king's safety is left after it. It exists for cross-checks: filtering it by
// make and look must give [Legal].
func Pseudo(p *chess.Position, buf []chess.Move) []chess.Move {
	us := p.SideToMove()
	ours := p.ByColor(us)
	for b := ours &^ p.Pieces(us, chess.Pawn); b != 0; {
		from := b.Pop()
		t := p.Piece(from).Type()
		for to := range (chess.PieceAttacks(t, from, p.Occupied()) &^ ours).Squares() {
			buf = append(buf, chess.NewMove(from, to, chess.Normal))
		}
	}
	for b := p.Pieces(us, chess.Pawn); b != 0; {
		buf = pseudoPawn(p, b.Pop(), buf)
	}
	for w := chess.KingSide; w <= chess.QueenSide; w++ {
		if p.CanCastle(w) {
			buf = append(buf, chess.NewMove(p.King(us), p.CastlingRook(us, w), chess.Castling))
		}
	}
	return buf
}

// pseudoPawn appends the moves of one pawn.
func pseudoPawn(p *chess.Position, from chess.Square, buf []chess.Move) []chess.Move {
	us := p.SideToMove()
	step := 8
	if us == chess.Black {
		step = -8
	}
	one := chess.Square(int(from) + step)
	to := chess.PawnAttacks(us, from) & p.ByColor(us.Other())
	if p.Piece(one) == chess.NoPiece {
		to |= one.Bitboard()
		two := chess.Square(int(one) + step)
		if from.Relative(us).Rank() == 1 && p.Piece(two) == chess.NoPiece {
			to |= two.Bitboard()
		}
	}
	if ep := p.EnPassant(); ep != chess.NoSquare && chess.PawnAttacks(us, from).Has(ep) {
		buf = append(buf, chess.NewMove(from, ep, chess.EnPassant))
	}
	for s := range to.Squares() {
		if s.Rank() != 0 && s.Rank() != 7 {
			buf = append(buf, chess.NewMove(from, s, chess.Normal))
			continue
		}
		for t := chess.Knight; t <= chess.Queen; t++ {
			buf = append(buf, chess.NewPromotion(from, s, t))
		}
	}
	return buf
}
