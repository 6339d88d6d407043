package chess

import "errors"

// IsLegal reports whether m is a legal move of the side to move. m may be any of the
// 65,536 encodings.
func (p *Position) IsLegal(m Move) bool {
	us := p.side
	from, to := m.From(), m.To()
	if !p.colors[us].Has(from) {
		return false
	}
	pc := p.board[from&63]
	if m.Kind() != Promotion && m>>12&3 != 0 {
		return false
	}
	switch m.Kind() {
	case Castling:
		if pc.Type() != King || from == to {
			return false
		}
		w := wingOf(from, to)
		return p.CastlingRook(us, w) == to && p.CanCastle(w)
	case EnPassant:
		return pc.Type() == Pawn && p.enPassant != NoSquare && to == p.enPassant &&
			PawnAttacks(us, from).Has(to) && p.enPassantSafe(from)
	}
	if (p.colors[us] | p.pieces[King]).Has(to) { // a null move in check leaves a king to be taken
		return false
	}
	promotes := pc.Type() == Pawn && to.Relative(us) >= A8
	if (m.Kind() == Promotion) != promotes || !p.targets(from).Has(to) {
		return false
	}
	if pc.Type() == King {
		return !p.Attacked(to, us.Other(), p.Occupied()^from.Bitboard())
	}
	king := p.King(us)
	if p.checkers != 0 {
		if p.checkers.MoreThanOne() || !(Between(king, p.checkers.First()) | p.checkers).Has(to) {
			return false
		}
	}
	return !p.Blockers(us).Has(from) || Line(king, from).Has(to)
}

// ErrIllegal is the reason of [Position.Play] for a move that is not legal.
var ErrIllegal = errors.New("illegal move")

// Play checks m and makes it as a move of the kind that its squares imply: a move
// from [Move.UnmarshalText] may castle or capture en passant. Errors: [ErrIllegal] if m is not
// legal; the position then stays unchanged.
func (p *Position) Play(m Move) error {
	found, err := p.resolve(m, "")
	if err == nil {
		p.Make(found)
	}
	return err
}

// HasLegalMove reports whether the side to move has any legal move. It stops
// at the first and does not allocate.
func (p *Position) HasLegalMove() bool {
	us := p.side
	king := p.King(us)
	occ := p.Occupied()
	for b := KingAttacks(king) &^ p.colors[us]; b != 0; {
		if !p.Attacked(b.Pop(), us.Other(), occ^king.Bitboard()) {
			return true
		}
	}
	if p.checkers.MoreThanOne() {
		return false
	}
	mask := ^p.colors[us]
	if p.checkers != 0 {
		mask &= Between(king, p.checkers.First()) | p.checkers
	}
	pinned := p.Blockers(us)
	for b := p.colors[us] &^ king.Bitboard(); b != 0; {
		from := b.Pop()
		targets := p.targets(from) & mask
		if pinned.Has(from) {
			targets &= Line(king, from)
		}
		if targets != 0 {
			return true
		}
	}
	// In Chess960 castling can be the only legal move: a king on d1 beside its
	// rook on c1, both walled in.
	return p.epLegal || p.CanCastle(KingSide) || p.CanCastle(QueenSide)
}

// targets returns where the piece of the side to move on from can go before
// any thought of its king; en passant and castling are not considered.
func (p *Position) targets(from Square) Bitboard {
	us := p.side
	occ := p.Occupied()
	t := p.board[from&63].Type()
	if t != Pawn {
		return PieceAttacks(t, from, occ)
	}
	pushes := pushOne(us, from.Bitboard()) &^ occ
	if from.Relative(us).Rank() == 1 {
		pushes |= pushOne(us, pushes) &^ occ
	}
	return pushes | PawnAttacks(us, from)&p.colors[us.Other()]
}

// pushOne moves every square of b one rank forward for colour c.
func pushOne(c Color, b Bitboard) Bitboard {
	if c == White {
		return b << 8
	}
	return b >> 8
}

// GivesCheck reports whether the legal move m gives check.
func (p *Position) GivesCheck(m Move) bool {
	us, them := p.side, p.side.Other()
	from, to := m.From(), m.To()
	king := p.King(them)
	occ := p.Occupied()
	if m.Kind() == Castling {
		kingTo, rookTo := CastlingTargets(us, wingOf(from, to))
		occ = occ&^(from.Bitboard()|to.Bitboard()) | kingTo.Bitboard() | rookTo.Bitboard()
		return RookAttacks(rookTo, occ).Has(king) || p.slidersHit(king, us, occ, to.Bitboard())
	}
	t := p.board[from&63].Type()
	if m.Kind() == Promotion {
		t = m.PromotionType()
	}
	after := occ&^from.Bitboard() | to.Bitboard()
	if m.Kind() == EnPassant {
		after &^= (to ^ 8).Bitboard()
	}
	if t == Pawn {
		if PawnAttacks(us, to).Has(king) {
			return true
		}
	} else if t != King && PieceAttacks(t, to, after).Has(king) {
		return true
	}
	return p.slidersHit(king, us, after, from.Bitboard())
}

// slidersHit reports whether a slider of colour c, other than those of
// without, attacks s when occ is occupied.
func (p *Position) slidersHit(s Square, c Color, occ, without Bitboard) bool {
	ours := p.colors[c] &^ without & occ
	return BishopAttacks(s, occ)&(p.pieces[Bishop]|p.pieces[Queen])&ours != 0 ||
		RookAttacks(s, occ)&(p.pieces[Rook]|p.pieces[Queen])&ours != 0
}
