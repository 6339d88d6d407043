package syzygy

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// board is a position as probing needs it: no history, no castling, made moves
// on by copying. It lives on the stack, so that a probe allocates nothing and
// the caller's position stays untouched.
type board struct {
	colors  [2]chess.Bitboard
	kinds   [6]chess.Bitboard
	turn    chess.Color
	passant chess.Square
}

// step is a move of a board.
type step struct {
	from, to  chess.Square
	piece     chess.PieceType
	promotion chess.PieceType // NoPieceType for none
	captured  chess.PieceType // NoPieceType for none
	passant   bool
}

// maxSteps bounds the moves of a position of layout.MaxMen men: five queens.
const maxSteps = 5*27 + 8

// steps is room for the moves of a position.
type steps struct {
	list [maxSteps]step
	n    int
}

// read copies what matters of p.
func (b *board) read(p *chess.Position) {
	b.colors = [2]chess.Bitboard{p.ByColor(chess.White), p.ByColor(chess.Black)}
	for t := range b.kinds {
		b.kinds[t] = p.ByType(chess.PieceType(t))
	}
	b.turn, b.passant = p.SideToMove(), p.EnPassant()
}

// material returns what stands on the board.
func (b *board) material() layout.Material {
	m := layout.Material(0)
	for t := chess.Pawn; t < chess.King; t++ {
		if k := b.kinds[t]; k != 0 {
			m += layout.Material((k&b.colors[0]).Count())*layout.Unit(chess.White, t) +
				layout.Material((k&b.colors[1]).Count())*layout.Unit(chess.Black, t)
		}
	}
	return m
}

// attacked reports whether colour by attacks s.
func (b *board) attacked(s chess.Square, by chess.Color) bool {
	them := b.colors[by]
	if chess.KnightAttacks(s)&b.kinds[chess.Knight]&them != 0 ||
		chess.KingAttacks(s)&b.kinds[chess.King]&them != 0 ||
		chess.PawnAttacks(by.Other(), s)&b.kinds[chess.Pawn]&them != 0 {
		return true
	}
	occ := b.colors[0] | b.colors[1]
	straight := (b.kinds[chess.Rook] | b.kinds[chess.Queen]) & them
	slanted := (b.kinds[chess.Bishop] | b.kinds[chess.Queen]) & them
	return straight != 0 && chess.RookAttacks(s, occ)&straight != 0 ||
		slanted != 0 && chess.BishopAttacks(s, occ)&slanted != 0
}

// check reports whether the side to move is in check.
func (b *board) check() bool {
	return b.attacked((b.kinds[chess.King] & b.colors[b.turn]).First(), b.turn.Other())
}

// play makes s on next, a copy of b, and reports whether it was legal.
func (b *board) play(s *step, next *board) bool {
	*next = *b
	us, them := b.turn, b.turn.Other()
	from, to := chess.Bitboard(1)<<s.from, chess.Bitboard(1)<<s.to
	if s.captured != chess.NoPieceType {
		gone := to
		if s.passant {
			gone = 1 << (s.to ^ 8) // the pawn stands beside, on the rank it came to
		}
		next.colors[them] &^= gone
		next.kinds[s.captured] &^= gone
	}
	next.colors[us] ^= from | to
	next.kinds[s.piece] ^= from
	if s.promotion != chess.NoPieceType {
		next.kinds[s.promotion] |= to
	} else {
		next.kinds[s.piece] |= to
	}
	next.turn, next.passant = them, chess.NoSquare
	if s.piece == chess.Pawn && s.from^s.to == 16 {
		next.passant = (s.from + s.to) / 2
	}
	return !next.attacked((next.kinds[chess.King] & next.colors[us]).First(), them)
}

// captures lists the captures of b, en passant and those that leave the king
// in check included.
func (b *board) captures(out *steps) {
	us, them := b.colors[b.turn], b.colors[b.turn.Other()]
	occ := us | them
	out.n = 0
	for t := chess.Knight; t <= chess.King; t++ {
		for pieces := b.kinds[t] & us; pieces != 0; {
			from := pieces.Pop()
			b.add(out, t, from, chess.PieceAttacks(t, from, occ)&them)
		}
	}
	for pawns := b.kinds[chess.Pawn] & us; pawns != 0; {
		from := pawns.Pop()
		b.add(out, chess.Pawn, from, chess.PawnAttacks(b.turn, from)&them)
		if b.passant != chess.NoSquare && chess.PawnAttacks(b.turn, from).Has(b.passant) {
			b.push(out, step{from, b.passant, chess.Pawn, chess.NoPieceType, chess.Pawn, true})
		}
	}
}

// quiets lists the moves that capture nothing, those that leave the king in
// check included.
func (b *board) quiets(out *steps) {
	out.n = 0
	us := b.colors[b.turn]
	occ := us | b.colors[b.turn.Other()]
	for t := chess.Knight; t <= chess.King; t++ {
		for pieces := b.kinds[t] & us; pieces != 0; {
			from := pieces.Pop()
			b.add(out, t, from, chess.PieceAttacks(t, from, occ)&^occ)
		}
	}
	for pawns := b.kinds[chess.Pawn] & us; pawns != 0; {
		from := pawns.Pop()
		ahead := func(s chess.Square) chess.Square {
			if b.turn == chess.White {
				return s + 8
			}
			return s - 8
		}
		start := chess.Square(1)
		if b.turn == chess.Black {
			start = 6
		}
		to := ahead(from)
		if occ.Has(to) {
			continue
		}
		targets := chess.Bitboard(1) << to
		if from>>3 == start && !occ.Has(ahead(to)) {
			targets |= 1 << ahead(to)
		}
		b.add(out, chess.Pawn, from, targets)
	}
}

// add appends the moves of a piece to targets, promotions one for each piece.
func (b *board) add(out *steps, t chess.PieceType, from chess.Square, targets chess.Bitboard) {
	for targets != 0 {
		to := targets.Pop()
		s := step{from, to, t, chess.NoPieceType, b.on(to), false}
		if t == chess.Pawn && (to>>3 == 0 || to>>3 == 7) {
			for s.promotion = chess.Queen; s.promotion >= chess.Knight; s.promotion-- {
				b.push(out, s)
			}
			continue
		}
		b.push(out, s)
	}
}

// push appends s; more moves than fit are impossible with layout.MaxMen men.
func (b *board) push(out *steps, s step) {
	if out.n < len(out.list) {
		out.list[out.n] = s
		out.n++
	}
}

// on returns the kind of the piece on s, NoPieceType for none.
func (b *board) on(s chess.Square) chess.PieceType {
	for t := range b.kinds {
		if b.kinds[t].Has(s) {
			return chess.PieceType(t)
		}
	}
	return chess.NoPieceType
}

// mate reports whether the side to move is mated, stuck whether it has no
// legal move but en passant.
func (b *board) mate() bool { return b.check() && b.stuck() && !b.canPassant() }

func (b *board) stuck() bool {
	var list steps
	var next board
	for _, find := range [2]func(*steps){b.captures, b.quiets} {
		find(&list)
		for i := range list.n {
			if s := &list.list[i]; !s.passant && b.play(s, &next) {
				return false
			}
		}
	}
	return true
}

// canPassant reports whether a legal en-passant capture exists.
func (b *board) canPassant() bool {
	if b.passant == chess.NoSquare {
		return false
	}
	var list steps
	var next board
	b.captures(&list)
	for i := range list.n {
		if s := &list.list[i]; s.passant && b.play(s, &next) {
			return true
		}
	}
	return false
}

// move returns s as a move of package chess.
func (s *step) move() chess.Move {
	switch {
	case s.passant:
		return chess.NewMove(s.from, s.to, chess.EnPassant)
	case s.promotion != chess.NoPieceType:
		return chess.NewPromotion(s.from, s.to, s.promotion)
	}
	return chess.NewMove(s.from, s.to, chess.Normal)
}
