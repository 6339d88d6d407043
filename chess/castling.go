package chess

import "github.com/tabula-chess/tabula/tables"

// CastlingRights is a set of castling rights, one bit for each side and wing.
type CastlingRights uint8

// The four rights. A wing is named after the file the king goes to: king side
// ends on the g file, queen side on the c file, in Chess960 as in standard
// chess.
const (
	WhiteKingSide CastlingRights = 1 << iota
	WhiteQueenSide
	BlackKingSide
	BlackQueenSide

	NoCastling  CastlingRights = 0
	AllCastling CastlingRights = 15
)

// Wing is a side of the board to castle to.
type Wing uint8

// The two wings.
const (
	KingSide Wing = iota
	QueenSide
)

// Right returns the right of colour c to castle on wing w.
func Right(c Color, w Wing) CastlingRights { return 1 << (uint8(c)<<1 | uint8(w)) }

// CastlingTargets returns where the king and the rook of colour c stand after
// castling on wing w.
func CastlingTargets(c Color, w Wing) (king, rook Square) {
	if w == KingSide {
		return G1.Relative(c), F1.Relative(c)
	}
	return C1.Relative(c), D1.Relative(c)
}

// castlingGeometry is the part of a position that stays the same for a whole
// game: what must hold on the way, where the castling rooks started and which
// rights a move from or to a square ends.
type castlingGeometry struct {
	ways    [4]castlingWay // by bit number of the right
	rooks   [4]Square      // likewise; NoSquare where the right never existed
	revoked [64]CastlingRights
}

// castlingWay is the result of [Position.CastlingPath].
type castlingWay struct{ empty, safe Bitboard }

// grant records that the rook on rook may castle with the king on king.
func (g *castlingGeometry) grant(c Color, w Wing, king, rook Square) {
	i := uint8(c)<<1 | uint8(w)
	g.rooks[i] = rook
	g.ways[i] = wayOf(c, w, king, rook)
	g.revoked[rook] |= Right(c, w)
	g.revoked[king] |= Right(c, w)
}

// CastlingRook returns the square of the rook with which colour c castles on
// wing w, or NoSquare where that right is gone.
func (p *Position) CastlingRook(c Color, w Wing) Square {
	if p.rights&Right(c, w) == 0 {
		return NoSquare
	}
	return p.castling.rooks[uint8(c)<<1|uint8(w)]
}

// castlingRooks returns the rooks of all rights.
func (p *Position) castlingRooks() (rooks Bitboard) {
	for c := White; c <= Black; c++ {
		for w := KingSide; w <= QueenSide; w++ {
			if rook := p.CastlingRook(c, w); rook != NoSquare {
				rooks |= rook.Bitboard()
			}
		}
	}
	return rooks
}

// CastlingPath returns what must hold for colour c to castle on wing w, to which it has the right: every square of
// empty must be empty, and no square of safe may be attacked. King and rook themselves are not in empty.
func (p *Position) CastlingPath(c Color, w Wing) (empty, safe Bitboard) {
	way := &p.castling.ways[(c<<1|Color(w))&3]
	return way.empty, way.safe
}

// wayOf returns the way of the king on king and the rook on rook.
func wayOf(c Color, w Wing, king, rook Square) castlingWay {
	kingTo, rookTo := CastlingTargets(c, w)
	safe := Bitboard(tables.Between(uint8(king), uint8(kingTo))) | kingTo.Bitboard() | king.Bitboard()
	empty := safe | Bitboard(tables.Between(uint8(rook), uint8(rookTo))) | rookTo.Bitboard()
	return castlingWay{empty &^ (king.Bitboard() | rook.Bitboard()), safe}
}

// CanCastle reports whether the side to move may castle on wing w now: the
// right exists, the path is free, and the king neither stands on, crosses nor
// reaches an attacked square. In Chess960 a rook that shields its king along
// the rank may not castle away.
func (p *Position) CanCastle(w Wing) bool {
	us := p.side
	rook := p.CastlingRook(us, w)
	if rook == NoSquare || p.checkers != 0 {
		return false
	}
	king := p.King(us)
	way := &p.castling.ways[uint8(us)<<1|uint8(w)]
	if p.Occupied()&way.empty != 0 {
		return false
	}
	for b := way.safe &^ king.Bitboard(); b != 0; {
		if p.Attacked(b.Pop(), us.Other(), p.Occupied()^king.Bitboard()) {
			return false
		}
	}
	// A rook that leaves its square uncovers an attack only where it is pinned
	// on the rank: the slider behind it then sees the king's new square too.
	return !p.blockers.Has(rook)
}
