package chess

import (
	"github.com/tabula-chess/tabula/tables"
)

// KnightAttacks returns the squares a knight on s attacks.
func KnightAttacks(s Square) Bitboard { return Bitboard(tables.Knight(uint8(s))) }

// KingAttacks returns the squares a king on s attacks.
func KingAttacks(s Square) Bitboard { return Bitboard(tables.King(uint8(s))) }

// PawnAttacks returns the squares a pawn of colour c on s attacks.
func PawnAttacks(c Color, s Square) Bitboard { return Bitboard(tables.Pawn(uint8(c), uint8(s))) }

// PawnsAttacks returns the squares that pawns of colour c on the squares of b
// attack.
func PawnsAttacks(c Color, b Bitboard) Bitboard {
	if c == White {
		return b&^FileA<<7 | b&^FileH<<9
	}
	return b&^FileA>>9 | b&^FileH>>7
}

// BishopAttacks returns the squares a bishop on s attacks when occ is
// occupied; the first blocker on each diagonal is included.
func BishopAttacks(s Square, occ Bitboard) Bitboard {
	return Bitboard(tables.BishopAttacks(uint8(s), uint64(occ)))
}

// RookAttacks returns the squares a rook on s attacks when occ is occupied;
// the first blocker on each line is included.
func RookAttacks(s Square, occ Bitboard) Bitboard {
	return Bitboard(tables.RookAttacks(uint8(s), uint64(occ)))
}

// QueenAttacks returns the union of BishopAttacks and RookAttacks.
func QueenAttacks(s Square, occ Bitboard) Bitboard {
	return BishopAttacks(s, occ) | RookAttacks(s, occ)
}

// Between returns the squares strictly between a and b where they share a
// rank, file or diagonal, and the empty set elsewhere.
func Between(a, b Square) Bitboard { return Bitboard(tables.Between(uint8(a), uint8(b))) }

// Line returns the whole line, edge to edge, through a and b where they share
// a rank, file or diagonal, and the empty set elsewhere.
func Line(a, b Square) Bitboard { return Bitboard(tables.Line(uint8(a), uint8(b))) }

// Distance returns the number of king moves from a to b on an empty board.
func Distance(a, b Square) int {
	files, ranks := a.File()-b.File(), a.Rank()-b.Rank()
	return max(files, -files, ranks, -ranks)
}

// PieceAttacks returns the squares that a piece of kind t on s attacks when
// occ is occupied; pawns are not covered, use [PawnAttacks].
func PieceAttacks(t PieceType, s Square, occ Bitboard) Bitboard {
	switch t {
	case Knight:
		return KnightAttacks(s)
	case Bishop:
		return BishopAttacks(s, occ)
	case Rook:
		return RookAttacks(s, occ)
	case Queen:
		return QueenAttacks(s, occ)
	case King:
		return KingAttacks(s)
	}
	return 0
}

// AttackersTo returns the pieces of both colours that attack s when occ is
// occupied, looking outwards from s as a king-as-super-piece. Pieces outside
// occ are included where nothing of occ stands between them and s.
func (p *Position) AttackersTo(s Square, occ Bitboard) Bitboard {
	diagonal := p.pieces[Bishop] | p.pieces[Queen]
	orthogonal := p.pieces[Rook] | p.pieces[Queen]
	return PawnAttacks(White, s)&p.pieces[Pawn]&p.colors[Black] |
		PawnAttacks(Black, s)&p.pieces[Pawn]&p.colors[White] |
		KnightAttacks(s)&p.pieces[Knight] |
		KingAttacks(s)&p.pieces[King] |
		BishopAttacks(s, occ)&diagonal |
		RookAttacks(s, occ)&orthogonal
}

// Attacked reports whether colour by attacks s when occ is occupied.
func (p *Position) Attacked(s Square, by Color, occ Bitboard) bool {
	them := p.colors[by]
	if PawnAttacks(by.Other(), s)&p.pieces[Pawn]&them != 0 ||
		KnightAttacks(s)&p.pieces[Knight]&them != 0 ||
		KingAttacks(s)&p.pieces[King]&them != 0 {
		return true
	}
	if d := (p.pieces[Bishop] | p.pieces[Queen]) & them; d != 0 && BishopAttacks(s, occ)&d != 0 {
		return true
	}
	r := (p.pieces[Rook] | p.pieces[Queen]) & them
	return r != 0 && RookAttacks(s, occ)&r != 0
}

// Blockers returns the pieces of either colour that alone stand between the
// king of colour c and an enemy slider. Those of colour c are pinned; those
// of the other colour give a discovered check when they leave the line. For
// the side to move it is known beforehand and costs nothing.
func (p *Position) Blockers(c Color) Bitboard {
	if c == p.side {
		return p.blockers
	}
	king := p.King(c)
	occ := p.Occupied()
	var blockers Bitboard
	diagonal, orthogonal := p.pieces[Bishop]|p.pieces[Queen], p.pieces[Rook]|p.pieces[Queen]
	for b := (BishopAttacks(king, 0)&diagonal | RookAttacks(king, 0)&orthogonal) & p.colors[c.Other()]; b != 0; {
		between := Between(king, b.Pop()) & occ
		if between != 0 && !between.MoreThanOne() {
			blockers |= between
		}
	}
	return blockers
}

// AttackedBy returns the squares that the pieces of c attack: the pawns, the knights and bishops, the rooks, and the
// queens and king.
func (p *Position) AttackedBy(c Color) (pawns, minors, rooks, others Bitboard) {
	occ := p.Occupied()
	for b := p.Pieces(c, Knight); b != 0; {
		minors |= KnightAttacks(b.Pop())
	}
	for b := p.Pieces(c, Bishop); b != 0; {
		minors |= BishopAttacks(b.Pop(), occ)
	}
	for b := p.Pieces(c, Rook); b != 0; {
		rooks |= RookAttacks(b.Pop(), occ)
	}
	others = KingAttacks(p.King(c))
	for b := p.Pieces(c, Queen); b != 0; {
		others |= QueenAttacks(b.Pop(), occ)
	}
	return PawnsAttacks(c, p.Pieces(c, Pawn)), minors, rooks, others
}
