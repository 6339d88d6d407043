package perft

import "github.com/tabula-chess/tabula/chess"

// Wing holds what castling to one side needs to know, as sets of squares seen
// by the castling side playing up the board. It is constant for a game.
//
// Castling is legal while the right stands and
//   - Empty holds no piece: every square that king or rook cross or reach,
//     apart from the two themselves;
//   - the enemy attacks no square of Safe, the king's path with both ends;
//   - the rook is not pinned on the king's rank: the one way, in Chess960
//     only, in which moving the rook away uncovers an attack on the king.
//
// One formula thus serves standard chess, Chess960 and the double variants.
type Wing struct {
	King, Rook     uint64 // start squares
	Empty, Safe    uint64
	KingTo, RookTo uint64
}

// Geometry is the castling of a game as the side to move sees it: both wings
// of its own and both wings of the other side, each from its owner's view.
// Wing 0 is the king's side (towards the h-file), wing 1 the queen's side. A
// side that cannot castle any more may leave its wings zero.
type Geometry struct {
	Us, Them [2]Wing
}

// Flip returns the geometry as the other side sees it.
func (g *Geometry) Flip() Geometry { return Geometry{Us: g.Them, Them: g.Us} }

// NewWing returns the wing for a king and a castling rook that start on the
// given files (0 is the a-file) of their first rank. The side is told by
// their order.
func NewWing(kingFile, rookFile int) Wing {
	wing, king, rook := chess.KingSide, chess.MakeSquare(kingFile, 0), chess.MakeSquare(rookFile, 0)
	if rookFile < kingFile {
		wing = chess.QueenSide
	}
	kingTo, rookTo := chess.CastlingTargets(chess.White, wing)
	empty, safe := chess.CastlingPath(chess.White, wing, king, rook)
	return Wing{
		King: uint64(king.Bitboard()), Rook: uint64(rook.Bitboard()), Empty: uint64(empty), Safe: uint64(safe),
		KingTo: uint64(kingTo.Bitboard()), RookTo: uint64(rookTo.Bitboard()),
	}
}
