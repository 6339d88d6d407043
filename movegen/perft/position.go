package perft

import (
	"math/bits"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// FrameOf returns p as its side to move sees it, playing up the board, and the
// castling geometry of its game.
func FrameOf(p *chess.Position) (Frame, Geometry) {
	us, them := p.SideToMove(), p.SideToMove().Other()
	queens := p.ByType(chess.Queen)
	sets := func(c chess.Color) (pawns, knights, diagonal, orthogonal, king uint64) {
		side := p.ByColor(c)
		return uint64(p.ByType(chess.Pawn) & side), uint64(p.ByType(chess.Knight) & side),
			uint64((p.ByType(chess.Bishop) | queens) & side), uint64((p.ByType(chess.Rook) | queens) & side),
			uint64(p.ByType(chess.King) & side)
	}
	// A frame of the side to move as it stands on the board; for Black, Flip
	// turns the board of the other side into its own.
	var f Frame
	if us == chess.White {
		f.P, f.N, f.D, f.H, f.K = sets(us)
		f.TP, f.TN, f.TD, f.TH, f.TK = sets(them)
	} else {
		f.P, f.N, f.D, f.H, f.K = sets(them)
		f.TP, f.TN, f.TD, f.TH, f.TK = sets(us)
	}
	var g Geometry
	if p.Castling() != chess.NoCastling {
		for w := chess.KingSide; w <= chess.QueenSide; w++ {
			f.Castle |= castlingWing(p, us, w, &g.Us[w]) | castlingWing(p, them, w, &g.Them[w])
		}
	}
	if ep := p.EnPassant(); ep != chess.NoSquare && chess.PawnAttacks(them, ep)&p.Pieces(us, chess.Pawn) != 0 {
		f.EnPassant = uint64(ep.Bitboard())
	}
	if us == chess.Black {
		f = f.Flip()
	}
	return f, g
}

// castlingWing fills the geometry of one right and returns the square of its
// rook, the empty set where the right is gone.
func castlingWing(p *chess.Position, c chess.Color, w chess.Wing, wing *Wing) uint64 {
	rook := p.CastlingRook(c, w)
	if rook == chess.NoSquare {
		return 0
	}
	*wing = NewWing(p.King(c).File(), rook.File())
	return uint64(rook.Bitboard())
}

// MoveOf returns a step of the frame f, whose side to move is side, as a move
// on the board.
func MoveOf(f *Frame, g *Geometry, side chess.Color, s Step) chess.Move {
	ours := f.Us()
	fromSet, toSet, kind := s.Mask&ours, s.Mask&^ours, chess.Normal
	switch s.Kind {
	case CastleKing, CastleQueen:
		w := &g.Us[s.Kind-CastleKing]
		fromSet, toSet, kind = w.King, w.Rook, chess.Castling
	case EnPassantStep:
		kind = chess.EnPassant
	}
	from := chess.Square(bits.TrailingZeros64(fromSet)).Relative(side)
	to := chess.Square(bits.TrailingZeros64(toSet)).Relative(side)
	if s.Kind >= PromoteKnight {
		return chess.NewPromotion(from, to, chess.Knight+chess.PieceType(s.Kind-PromoteKnight))
	}
	return chess.NewMove(from, to, kind)
}

// Legal returns the number of legal moves of p without listing them, on the
// process's default path.
func Legal(p *chess.Position) int {
	f, g := FrameOf(p)
	return int(CountMoves(movegen.DefaultPath(), &f, &g))
}
