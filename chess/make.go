package chess

import "github.com/tabula-chess/tabula/tables"

// Make plays m, which must be legal (see [Position.IsLegal] and
// [Position.Play]). It does not allocate while the history has room, see
// [Position.Reserve].
func (p *Position) Make(m Move) {
	p.push()
	us := p.side
	from, to := m.From(), m.To()
	p.dropEnPassant()
	p.move = m
	p.moved = p.board[from&63]
	p.captured = NoPiece
	p.halfmove++
	p.sinceNull++
	if m.Kind() == Castling {
		p.castle(us, from, to)
	} else {
		p.moveOrCapture(m)
	}
	if p.rights != NoCastling {
		lost := p.rights & (p.castling.revoked[from&63] | p.castling.revoked[to&63])
		p.rights ^= lost
		p.key ^= Key(tables.ZobristCastling(uint8(lost))) // the key of a set is that of its members, 0 for none
	}
	p.fullmove += int(us)
	p.passTurn()
	p.findChecks()
	if p.enPassant != NoSquare {
		p.findEnPassant()
	}
}

// push puts the state on the history. The branch spares the usual case the
// store of the slice's pointer, which the collector would have to hear of: 4 %
// of a walk.
func (p *Position) push() {
	n := len(p.history)
	if n == cap(p.history) {
		p.history = append(p.history, p.state)
		return
	}
	p.history = p.history[:n+1]
	p.history[n] = p.state
}

// dropEnPassant ends the en-passant square of the last move.
func (p *Position) dropEnPassant() {
	if p.epLegal {
		p.key ^= Key(tables.ZobristEnPassant(uint8(p.enPassant.File())))
	}
	p.enPassant = NoSquare
	p.epLegal = false
}

// passTurn makes it the other side's turn.
func (p *Position) passTurn() {
	p.side = p.side.Other()
	p.key ^= Key(tables.ZobristSide())
}

// moveOrCapture does the piece work of every move but castling.
func (p *Position) moveOrCapture(m Move) {
	from, to := m.From(), m.To()
	pc := p.board[from&63]
	if victim := p.board[to&63]; victim != NoPiece {
		p.captured = victim
		p.remove(victim, to)
		p.halfmove = 0
	}
	if pc.Type() != Pawn {
		p.shift(pc, from, to)
		return
	}
	p.halfmove = 0
	switch {
	case m.Kind() == Promotion:
		p.remove(pc, from)
		p.put(MakePiece(p.side, m.PromotionType()), to)
		return
	case m.Kind() == EnPassant:
		p.captured = MakePiece(p.side.Other(), Pawn)
		p.remove(p.captured, to^8)
	case from^to == 16:
		p.enPassant = to ^ 8
	}
	p.shift(pc, from, to)
}

// KeyAfter returns the key of p after the legal move m without making it, so that a
// search can prefetch its table entry. It is exact except for castling, promotion,
// en passant captures, and moves that end castling rights or allow en passant.
func (p *Position) KeyAfter(m Move) Key {
	from, to := m.From(), m.To()
	pc := uint8(p.board[from&63])
	k := p.key ^ Key(tables.ZobristSide()) ^
		Key(tables.ZobristPiece(pc, uint8(from))) ^
		Key(tables.ZobristPiece(pc, uint8(to))) ^
		Key(tables.ZobristPiece(uint8(p.board[to&63]), uint8(to)))
	if p.epLegal {
		k ^= Key(tables.ZobristEnPassant(uint8(p.enPassant.File())))
	}
	return k
}

// KeyAfterNull returns the key of p after a null move.
func (p *Position) KeyAfterNull() Key {
	k := p.key ^ Key(tables.ZobristSide())
	if p.epLegal {
		k ^= Key(tables.ZobristEnPassant(uint8(p.enPassant.File())))
	}
	return k
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
	p.removeRaw(MakePiece(c, King), kingTo)
	p.removeRaw(MakePiece(c, Rook), rookTo)
	p.putRaw(MakePiece(c, King), king)
	p.putRaw(MakePiece(c, Rook), rook)
}

// wingOf returns the wing of the castling move that takes rook with king.
func wingOf(king, rook Square) Wing {
	if rook > king {
		return KingSide
	}
	return QueenSide
}

// refresh computes what follows from pieces, side, rights and en passant:
// checkers and blockers, whether en passant is legal, and the rest of the key,
// which must hold the pieces alone.
func (p *Position) refresh() {
	p.findChecks()
	p.epLegal = p.enPassant != NoSquare && p.hasEnPassant()
	p.key ^= p.stateKey()
}

// findChecks computes checkers and blockers of the side to move. Both come
// from one walk over the enemy sliders that an empty board would let reach
// the king: nothing between makes a checker, a single piece a blocker.
// Source: the board of cozy-chess.
func (p *Position) findChecks() {
	us := p.side
	king := p.King(us)
	them := p.colors[us.Other()]
	occ := p.Occupied()
	checkers := (PawnAttacks(us, king)&p.pieces[Pawn] | KnightAttacks(king)&p.pieces[Knight]) & them
	var blockers Bitboard
	diagonal, orthogonal := p.pieces[Bishop]|p.pieces[Queen], p.pieces[Rook]|p.pieces[Queen]
	for b := (BishopAttacks(king, 0)&diagonal | RookAttacks(king, 0)&orthogonal) & them; b != 0; b &= b - 1 {
		sniper := b.First()
		between := Between(king, sniper) & occ
		if between == 0 {
			checkers |= sniper.Bitboard()
		} else if !between.MoreThanOne() {
			blockers |= between
		}
	}
	p.checkers, p.blockers = checkers, blockers
}

// findEnPassant settles whether enPassant counts.
func (p *Position) findEnPassant() {
	if p.hasEnPassant() {
		p.epLegal = true
		p.key ^= Key(tables.ZobristEnPassant(uint8(p.enPassant.File())))
	}
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
	return p.AttackersTo(p.King(us), occ)&p.colors[us.Other()]&^victim == 0
}

// Unmake undoes the last move, which may be a null move. It panics if there is none.
func (p *Position) Unmake() {
	m, victim := p.move, p.captured
	last := len(p.history) - 1
	p.state = p.history[last]
	p.history = p.history[:last]
	p.side = p.side.Other()
	us := p.side
	p.fullmove -= int(us)
	if m == NoMove {
		return
	}
	// The keys are back already: the pieces move without them.
	from, to := m.From(), m.To()
	switch m.Kind() {
	case Normal:
		p.shiftRaw(p.board[to&63], to, from)
	case Promotion:
		p.removeRaw(p.board[to&63], to)
		p.putRaw(MakePiece(us, Pawn), from)
	case EnPassant:
		p.shiftRaw(MakePiece(us, Pawn), to, from)
		to ^= 8
	case Castling:
		p.uncastle(us, from, to)
		return
	}
	if victim != NoPiece {
		p.putRaw(victim, to)
	}
}

// MakeNull makes a null move: the other side is to move, en passant ends, and
// everything else stays. Undo it with [Position.Unmake]. In check the result is an
// illegal position in which the king can be captured. Game files contain such moves,
// but no search may start there.
func (p *Position) MakeNull() {
	p.push()
	p.dropEnPassant()
	p.move = NoMove
	p.captured = NoPiece
	p.halfmove++
	p.sinceNull = 0
	p.fullmove += int(p.side)
	p.passTurn()
	p.findChecks()
}
