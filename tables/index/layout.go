package index

// Row is what kernels look up for one square. 64 bytes, a cache line; the
// attack sets are those of the table for [Pext].
type Row struct {
	BishopMask, RookMask uint64 // the relevant occupancy
	BishopRays, RookRays uint64 // the squares reached on an empty board
	Knight, King         uint64 // attacked by these pieces
	Pawn                 uint64 // attacked by a pawn playing up the board
	BishopAt, RookAt     uint32 // where the square's entries start
}

// Byte offsets of chess.Position on a processor of 64 bits, for assembly that
// reads its fields, which are nobody else's; chess proves them where it is
// compiled for such assembly. Sets of pieces are of both colours.
const (
	PositionPieces   = 0   // eight sets, by chess.PieceType
	PositionColors   = 64  // two sets, White first
	PositionCheckers = 160 // the pieces that give check
	PositionBlockers = 168 // what alone stands between the king of the side to move and a slider
	PositionRights   = 190 // a byte, chess.CastlingRights
	PositionSide     = 192 // a byte, chess.Color
	PositionWays     = 208 // by number of the right: two sets, see chess.Position.CastlingPath
	PositionRooks    = 272 // by number of the right: the rook's square, a byte
)
