package chess

import (
	"fmt"

	"github.com/tabula-chess/tabula/internal/plural"
)

// Setup holds the parts of a position, for callers without a FEN: pieces, side to
// move, castling rights, en passant and counters. The zero Setup is an empty board
// with White to move. Setups can be compared with ==. [Setup.Position] builds a
// position, and [Position.Setup] returns the parts of one.
type Setup struct {
	Pieces    [2][6]Bitboard // by Color and PieceType
	Side      Color          // to move
	Castling  Bitboard       // the rooks that may castle, at most one on each side of a king
	EnPassant Bitboard       // the square behind a pawn that has just moved two squares, or empty
	Halfmove  int            // plies since the last capture or pawn move, 0 to MaxHalfmoveClock
	Fullmove  int            // number of the current move, 1 to MaxFullmoveNumber; 0 counts as 1
	Composed  bool           // more pawns and promoted pieces are allowed than a game can bring, as in compositions
}

// SetupError says why parts are not a legal position. Field and Reason are those of
// the [FENError] that the same position has as text.
type SetupError struct {
	Field  string // placement, side, castling, en passant, halfmove clock or fullmove number
	Reason string
	Square Square // that is to blame, NoSquare where it is not one square
}

// Error returns "position field: reason".
func (e *SetupError) Error() string { return "position " + e.Field + ": " + e.Reason }

// fault builds the error for field i of a FEN.
func fault(i int, s Square, format string, args ...any) *SetupError {
	return &SetupError{Field: fenFields[i], Reason: fmt.Sprintf(format, args...), Square: s}
}

// Put adds a piece on each of the squares, which must be empty.
func (s *Setup) Put(pc Piece, squares ...Square) {
	for _, at := range squares {
		s.Pieces[pc.Color()][pc.Type()] |= at.Bitboard()
	}
}

// Position returns the position. It has no history. Errors: a [*SetupError]
// for what the rules of chess do not allow, see the package's documentation.
func (s Setup) Position() (*Position, error) {
	p := new(Position)
	if err := s.Into(p); err != nil {
		return nil, err
	}
	return p, nil
}

// Into is like [Setup.Position] and reuses the memory of p, whose history becomes
// empty. On an error p is unchanged.
func (s *Setup) Into(p *Position) error {
	var q Position
	if err := s.build(&q); err != nil {
		return err
	}
	q.history = p.history[:0]
	p.contents = q.contents
	return nil
}

// build fills p, which is zero. Every step relies on the earlier ones.
func (s *Setup) build(p *Position) *SetupError {
	if s.Side > Black {
		return fault(1, NoSquare, "%d, want White or Black", s.Side)
	}
	err := s.place(p)
	if err == nil {
		err = p.checkCounts(s.Composed)
		p.composed = p.checkCounts(false) != nil
	}
	if err == nil {
		err = p.checkWaitingKing()
	}
	if err == nil {
		err = s.grantRights(p)
	}
	if err == nil {
		err = s.passBy(p)
	}
	if err == nil {
		err = s.count(p)
	}
	if err == nil {
		p.refresh()
	}
	return err
}

// place clears the board of p, which is zero, and sets the pieces down.
func (s *Setup) place(p *Position) *SetupError {
	for at := range p.board {
		p.board[at] = NoPiece
	}
	p.state.enPassant, p.state.captured = NoSquare, NoPiece
	p.side = s.Side
	for c := White; c <= Black; c++ {
		if b := s.Pieces[c][Pawn] & (Rank1 | Rank8); b != 0 {
			return fault(0, b.First(), "pawn on %s", b.First())
		}
		for t := Pawn; t <= King; t++ {
			if b := s.Pieces[c][t] & p.Occupied(); b != 0 {
				return fault(0, b.First(), "two pieces on %s", b.First())
			}
			p.putAll(MakePiece(c, t), s.Pieces[c][t])
		}
	}
	return nil
}

// checkCounts refuses what no game can reach: kings, pawns and promoted
// pieces beyond what sixteen men allow. Composed positions have one king and at most sixteen men too.
func (p *Position) checkCounts(composed bool) *SetupError {
	for c := White; c <= Black; c++ {
		count := func(t PieceType) int { return p.Pieces(c, t).Count() }
		if n := count(King); n != 1 {
			return fault(0, NoSquare, "%s has %d kings, want 1", c, n)
		}
		if n := p.colors[c].Count(); n > 16 {
			return fault(0, NoSquare, "too many pieces: %s has %d, at most 16", c, n)
		}
		pawns := count(Pawn)
		if composed {
			continue
		}
		if pawns > 8 {
			return fault(0, NoSquare, "too many pieces: %s has %d pawns, at most 8", c, pawns)
		}
		promoted := max(0, count(Knight)-2) + max(0, count(Bishop)-2) + max(0, count(Rook)-2) + max(0, count(Queen)-1)
		if promoted > 8-pawns {
			return fault(0, NoSquare, "too many pieces: %s has %s and %s", c, plural.Of(promoted, "promoted piece"),
				plural.Of(pawns, "pawn"))
		}
	}
	return nil
}

// checkWaitingKing refuses a side not to move that is in check.
func (p *Position) checkWaitingKing() *SetupError {
	us := p.side
	if king := p.King(us.Other()); p.Attacked(king, us, p.Occupied()) {
		return fault(1, king, "%s is to move and %s is in check", us, us.Other())
	}
	return nil
}

// grantRights gives each rook of Castling its right.
func (s *Setup) grantRights(p *Position) *SetupError {
	p.castling.rooks = [4]Square{NoSquare, NoSquare, NoSquare, NoSquare}
	if stray := s.Castling &^ p.pieces[Rook]; stray != 0 {
		return fault(2, stray.First(), "no rook on %s", stray.First())
	}
	for b := s.Castling; b != 0; b &= b - 1 {
		rook := b.First()
		c := p.board[rook&63].Color()
		king := p.King(c)
		w := wingOf(king, rook)
		switch {
		case king.Relative(c).Rank() != 0:
			return fault(2, king, "the rook on %s may castle, but the %s king stands on %s", rook, c, king)
		case rook.Rank() != king.Rank():
			return fault(2, rook, "the rook on %s may castle, but is not on the rank of the %s king", rook, c)
		case p.rights&Right(c, w) != 0:
			return fault(2, rook, "two rooks of %s may castle on one side of the king", c)
		}
		p.rights |= Right(c, w)
		p.castling.grant(c, w, king, rook)
	}
	return nil
}

// passBy sets the en-passant square and demands that a double push can have
// made it.
func (s *Setup) passBy(p *Position) *SetupError {
	if s.EnPassant == 0 {
		return nil
	}
	if s.EnPassant.MoreThanOne() {
		return fault(3, NoSquare, "%d squares, want one", s.EnPassant.Count())
	}
	at, them := s.EnPassant.First(), p.side.Other()
	if at.Relative(them).Rank() != 2 {
		return fault(3, at, "%s is not behind a double push of %s", at, them)
	}
	pawn, origin := at^8, Square(int(at)*2-int(at^8))
	if !p.Has(MakePiece(them, Pawn), pawn) {
		return fault(3, at, "no %s pawn on %s in front of %s", them, pawn, at)
	}
	if p.Piece(at) != NoPiece || p.Piece(origin) != NoPiece {
		return fault(3, at, "a piece stands on %s or %s, where the pawn came through", at, origin)
	}
	// Before the push it was the other side's turn, so this king was not in check.
	occ := p.Occupied()&^pawn.Bitboard() | origin.Bitboard()
	if king := p.King(p.side); p.AttackersTo(king, occ)&p.colors[them]&^pawn.Bitboard() != 0 {
		return fault(3, king, "the king on %s would have been in check before the double push to %s", king, pawn)
	}
	p.state.enPassant = at
	return nil
}

// count sets both counters.
func (s *Setup) count(p *Position) *SetupError {
	for i, n := range [2]int{s.Halfmove, s.Fullmove} {
		if top := fenCounters[i]; n < 0 || n > top {
			return fault(4+i, NoSquare, "%d out of range %d to %d", n, i, top)
		}
	}
	p.setHalfmove(s.Halfmove)
	p.fullmove = max(1, s.Fullmove)
	return nil
}

// Setup returns the parts of the position, without its history.
func (p *Position) Setup() Setup {
	s := Setup{Side: p.side, Halfmove: p.HalfmoveClock(), Fullmove: min(p.fullmove, MaxFullmoveNumber)}
	for c := White; c <= Black; c++ {
		for t := Pawn; t <= King; t++ {
			s.Pieces[c][t] = p.Pieces(c, t)
		}
	}
	s.Castling = p.castlingRooks()
	if p.enPassant != NoSquare {
		s.EnPassant = p.enPassant.Bitboard()
	}
	s.Composed = p.checkCounts(false) != nil
	return s
}

// Mirror returns the position with the colours exchanged and the board turned top to bottom: what White had, Black has.
// It has no history.
func (p *Position) Mirror() *Position {
	s, q := p.Setup(), new(Position)
	s.Pieces[White], s.Pieces[Black] = s.Pieces[Black], s.Pieces[White]
	for c := range s.Pieces {
		for t := range s.Pieces[c] {
			s.Pieces[c][t] = s.Pieces[c][t].Flip()
		}
	}
	s.Side, s.Castling, s.EnPassant = s.Side.Other(), s.Castling.Flip(), s.EnPassant.Flip()
	// The parts are those of a position, whose king may be there to take after a null move.
	_, _, _, _ = s.place(q), s.grantRights(q), s.passBy(q), s.count(q)
	q.refresh()
	q.shredder, q.composed = p.shredder, p.composed
	return q
}
