package chess

import "github.com/tabula-chess/tabula/tables"

// Make plays m, which must be legal (see [Position.IsLegal] and
// [Position.Play]). It does not allocate while the history has room, see
// [Position.Reserve].
func (p *Position) Make(m Move) {
	p.history = append(p.history, p.state)
	us := p.side
	from, to, kind := m.From(), m.To(), m.Kind()
	p.key ^= p.stateKey()
	p.move = m
	p.captured = NoPiece
	p.enPassant = NoSquare
	p.epLegal = false
	p.halfmove++
	p.sinceNull++
	if kind == Castling {
		p.castle(us, from, to)
	} else {
		p.moveOrCapture(m)
	}
	p.rights &^= p.castling.revoked[from&63] | p.castling.revoked[to&63]
	p.fullmove += int(us)
	p.side = us.Other()
	p.refresh()
}

// moveOrCapture does the piece work of every move but castling.
func (p *Position) moveOrCapture(m Move) {
	from, to, kind := m.From(), m.To(), m.Kind()
	pc := p.board[from&63]
	capture := to
	if kind == EnPassant {
		capture = to ^ 8
	}
	if victim := p.board[capture&63]; victim != NoPiece {
		p.captured = victim
		p.remove(victim, capture)
		p.halfmove = 0
	}
	if pc.Type() == Pawn {
		p.halfmove = 0
		if from^to == 16 {
			p.enPassant = to ^ 8
		}
	}
	if kind == Promotion {
		p.remove(pc, from)
		p.put(MakePiece(p.side, m.PromotionType()), to)
	} else {
		p.shift(pc, from, to)
	}
}

// castle moves the king on king and the rook on rook to their places. The
// squares may overlap in Chess960: both are lifted before either is set down.
func (p *Position) castle(c Color, king, rook Square) {
	kingTo, rookTo := CastlingTargets(c, wingOf(king, rook))
	p.remove(MakePiece(c, King), king)
	p.remove(MakePiece(c, Rook), rook)
	p.put(MakePiece(c, King), kingTo)
	p.put(MakePiece(c, Rook), rookTo)
}

// uncastle is the reverse of castle.
func (p *Position) uncastle(c Color, king, rook Square) {
	kingTo, rookTo := CastlingTargets(c, wingOf(king, rook))
	p.remove(MakePiece(c, King), kingTo)
	p.remove(MakePiece(c, Rook), rookTo)
	p.put(MakePiece(c, King), king)
	p.put(MakePiece(c, Rook), rook)
}

// wingOf returns the wing of the castling move that takes rook with king.
func wingOf(king, rook Square) Wing {
	if rook > king {
		return KingSide
	}
	return QueenSide
}

// refresh computes what follows from pieces, side, rights and en passant:
// checkers, whether en passant is legal, and the rest of the key.
func (p *Position) refresh() {
	p.checkers = p.attackersOf(p.King(p.side), p.side.Other(), p.Occupied())
	p.epLegal = p.enPassant != NoSquare && p.hasEnPassant()
	p.key ^= p.stateKey()
}

// attackersOf returns the pieces of colour by, kings apart, that attack s when
// occ is occupied.
func (p *Position) attackersOf(s Square, by Color, occ Bitboard) Bitboard {
	them := p.colors[by]
	b := PawnAttacks(by.Other(), s)&p.pieces[Pawn] | KnightAttacks(s)&p.pieces[Knight]
	b |= BishopAttacks(s, occ) & (p.pieces[Bishop] | p.pieces[Queen])
	b |= RookAttacks(s, occ) & (p.pieces[Rook] | p.pieces[Queen])
	return b & them
}

// hasEnPassant reports whether a pawn of the side to move can capture on
// enPassant without exposing its king.
func (p *Position) hasEnPassant() bool {
	pawns := PawnAttacks(p.side.Other(), p.enPassant) & p.Pieces(p.side, Pawn)
	for pawns != 0 {
		if p.enPassantSafe(pawns.Pop()) {
			return true
		}
	}
	return false
}

// enPassantSafe reports whether the pawn on from may capture en passant
// without leaving its king attacked. Both pawns leave the board's lines at
// once, which no pin mask sees.
func (p *Position) enPassantSafe(from Square) bool {
	us := p.side
	victim := (p.enPassant ^ 8).Bitboard()
	occ := p.Occupied()&^(from.Bitboard()|victim) | p.enPassant.Bitboard()
	king := p.King(us)
	them := p.colors[us.Other()] &^ victim
	return (PawnAttacks(us, king)&p.pieces[Pawn]|
		KnightAttacks(king)&p.pieces[Knight]|
		BishopAttacks(king, occ)&(p.pieces[Bishop]|p.pieces[Queen])|
		RookAttacks(king, occ)&(p.pieces[Rook]|p.pieces[Queen]))&them == 0
}

// Unmake takes the last move back, null moves too. It panics when there is
// none.
func (p *Position) Unmake() {
	m, victim := p.move, p.captured
	last := len(p.history) - 1
	saved := p.history[last]
	p.history = p.history[:last]
	p.side = p.side.Other()
	us := p.side
	p.fullmove -= int(us)
	if m == NoMove {
		p.state = saved
		return
	}
	from, to := m.From(), m.To()
	switch m.Kind() {
	case Castling:
		p.uncastle(us, from, to)
	case Promotion:
		p.remove(p.board[to&63], to)
		p.put(MakePiece(us, Pawn), from)
	default:
		p.shift(p.board[to&63], to, from)
	}
	if victim != NoPiece {
		if m.Kind() == EnPassant {
			to ^= 8
		}
		p.put(victim, to)
	}
	p.state = saved
}

// MakeNull passes the move: the other side is to move, en passant is gone,
// everything else stays. The side to move must not be in check. Take it back
// with [Position.Unmake].
func (p *Position) MakeNull() {
	p.history = append(p.history, p.state)
	if p.epLegal {
		p.key ^= Key(tables.ZobristEnPassant(uint8(p.enPassant.File())))
	}
	p.key ^= Key(tables.ZobristSide())
	p.move = NoMove
	p.captured = NoPiece
	p.enPassant = NoSquare
	p.epLegal = false
	p.halfmove++
	p.sinceNull = 0
	p.fullmove += int(p.side)
	p.side = p.side.Other()
	p.checkers = 0
}
