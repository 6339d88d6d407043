package tables

import "github.com/tabula-chess/tabula/tables/index"

// Knight returns the squares a knight on sq attacks.
func Knight(sq uint8) uint64 { return knight[sq&63] }

// King returns the squares a king on sq attacks.
func King(sq uint8) uint64 { return king[sq&63] }

// Pawn returns the squares a pawn of color (0 White, 1 Black) on sq attacks,
// defined for the first and last rank too. Pawn(color^1, sq) is the set from
// which pawns of color attack sq.
func Pawn(color, sq uint8) uint64 { return pawn[color&1][sq&63] }

// Between returns the squares strictly between a and b: empty if they are
// equal, neighbours, or share no rank, file or diagonal.
func Between(a, b uint8) uint64 { return between[a&63][b&63] }

// Line returns the rank, file or diagonal through a and b from edge to edge,
// both included; empty if there is none or a equals b.
func Line(a, b uint8) uint64 { return line[a&63][b&63] }

// Ray returns the squares from sq to the edge in direction dir, sq excluded.
// Directions are those of internal/geom, clockwise: 0 north, 1 north-east,
// 2 east … 7 north-west.
func Ray(dir, sq uint8) uint64 { return ray[dir&7][sq&63] }

// ZobristPiece returns the key of piece on sq. A piece is 2·type + colour with
// the types pawn, knight, bishop, rook, queen, king; 12 to 15, no piece, have
// the key 0.
func ZobristPiece(piece, sq uint8) uint64 { return zobristPiece[piece&15][sq&63] }

// ZobristCastling returns the key of a set of four castling rights: the
// exclusive or of the keys of its members, 0 for the empty set.
func ZobristCastling(rights uint8) uint64 { return zobristCastling[rights&15] }

// ZobristEnPassant returns the key of an en-passant capture on file (0 = a).
func ZobristEnPassant(file uint8) uint64 { return zobristEnPassant[file&7] }

// ZobristSide returns the key of Black being to move.
func ZobristSide() uint64 { return zobristSide }

// Reversal returns the squares between which the piece moved that is the whole
// difference of two positions, other sides to move, whose keys differ by diff;
// ok tells whether there is such a piece. Pawn moves, captures and castling do
// not count.
func Reversal(diff uint64) (a, b uint8, ok bool) {
	slot, other := index.Cuckoo(diff)
	if cuckooKey[slot] != diff {
		if slot = other; cuckooKey[slot] != diff {
			return 0, 0, false
		}
	}
	move := cuckooMove[slot]
	return uint8(move & 63), uint8(move >> 6), diff != 0
}
