package syzygy

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// Board is a position as probing needs it, for callers with boards of their
// own: no history, no castling rights, no counters. Probing makes moves on by
// copying it, on the stack, so that a probe allocates nothing and the caller's
// position stays untouched.
type Board struct {
	Colors    [2]chess.Bitboard // by chess.Color
	Kinds     [6]chess.Bitboard // of both colours, by chess.PieceType
	Turn      chess.Color       // the side to move
	EnPassant chess.Square      // behind a pawn that has just moved two squares, or NoSquare
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

// BoardOf returns what probing looks at of p.
func BoardOf(p *chess.Position) Board {
	b := Board{
		Colors: [2]chess.Bitboard{p.ByColor(chess.White), p.ByColor(chess.Black)},
		Turn:   p.SideToMove(), EnPassant: p.EnPassant(),
	}
	for t := range b.Kinds {
		b.Kinds[t] = p.ByType(chess.PieceType(t))
	}
	return b
}

// valid reports whether the sets fit together: every man of one colour and one
// kind, a king a side, no pawn on an outer rank, and an en-passant square
// behind a pawn.
func (b *Board) valid() bool {
	all := chess.Bitboard(0)
	for _, k := range b.Kinds {
		if all&k != 0 {
			return false
		}
		all |= k
	}
	kings := b.Kinds[chess.King]
	if b.Colors[0]&b.Colors[1] != 0 || b.Colors[0]|b.Colors[1] != all || b.Turn > chess.Black ||
		(kings&b.Colors[0]).Count() != 1 || (kings&b.Colors[1]).Count() != 1 ||
		b.Kinds[chess.Pawn]&(chess.Rank1|chess.Rank8) != 0 {
		return false
	}
	if b.EnPassant == chess.NoSquare {
		return true
	}
	rank := chess.Square(5)
	if b.Turn == chess.Black {
		rank = 2
	}
	pawns := b.Kinds[chess.Pawn] & b.Colors[b.Turn.Other()]
	return b.EnPassant>>3 == rank && pawns.Has(b.EnPassant^8) && !all.Has(b.EnPassant)
}

// material returns what stands on the board.
func (b *Board) material() layout.Material {
	m := layout.Material(0)
	for t := chess.Pawn; t < chess.King; t++ {
		if k := b.Kinds[t]; k != 0 {
			m += layout.Material((k&b.Colors[0]).Count())*layout.Unit(chess.White, t) +
				layout.Material((k&b.Colors[1]).Count())*layout.Unit(chess.Black, t)
		}
	}
	return m
}

// attacked reports whether colour by attacks s.
func (b *Board) attacked(s chess.Square, by chess.Color) bool {
	them := b.Colors[by]
	if chess.KnightAttacks(s)&b.Kinds[chess.Knight]&them != 0 ||
		chess.KingAttacks(s)&b.Kinds[chess.King]&them != 0 ||
		chess.PawnAttacks(by.Other(), s)&b.Kinds[chess.Pawn]&them != 0 {
		return true
	}
	occ := b.Colors[0] | b.Colors[1]
	straight := (b.Kinds[chess.Rook] | b.Kinds[chess.Queen]) & them
	slanted := (b.Kinds[chess.Bishop] | b.Kinds[chess.Queen]) & them
	return straight != 0 && chess.RookAttacks(s, occ)&straight != 0 ||
		slanted != 0 && chess.BishopAttacks(s, occ)&slanted != 0
}

// check reports whether the side to move is in check.
func (b *Board) check() bool {
	return b.attacked((b.Kinds[chess.King] & b.Colors[b.Turn]).First(), b.Turn.Other())
}

// play makes s on next, a copy of b, and reports whether it was legal.
func (b *Board) play(s *step, next *Board) bool {
	*next = *b
	us, them := b.Turn, b.Turn.Other()
	from, to := chess.Bitboard(1)<<s.from, chess.Bitboard(1)<<s.to
	if s.captured != chess.NoPieceType {
		gone := to
		if s.passant {
			gone = 1 << (s.to ^ 8) // the pawn stands beside, on the rank it came to
		}
		next.Colors[them] &^= gone
		next.Kinds[s.captured] &^= gone
	}
	next.Colors[us] ^= from | to
	next.Kinds[s.piece] ^= from
	if s.promotion != chess.NoPieceType {
		next.Kinds[s.promotion] |= to
	} else {
		next.Kinds[s.piece] |= to
	}
	next.Turn, next.EnPassant = them, chess.NoSquare
	if s.piece == chess.Pawn && s.from^s.to == 16 {
		next.EnPassant = (s.from + s.to) / 2
	}
	return !next.attacked((next.Kinds[chess.King] & next.Colors[us]).First(), them)
}

// captures lists the captures of b, en passant and those that leave the king
// in check included.
func (b *Board) captures(out *steps) {
	us, them := b.Colors[b.Turn], b.Colors[b.Turn.Other()]
	occ := us | them
	out.n = 0
	for t := chess.Knight; t <= chess.King; t++ {
		for pieces := b.Kinds[t] & us; pieces != 0; {
			from := pieces.Pop()
			b.add(out, t, from, chess.PieceAttacks(t, from, occ)&them)
		}
	}
	for pawns := b.Kinds[chess.Pawn] & us; pawns != 0; {
		from := pawns.Pop()
		b.add(out, chess.Pawn, from, chess.PawnAttacks(b.Turn, from)&them)
		if b.EnPassant != chess.NoSquare && chess.PawnAttacks(b.Turn, from).Has(b.EnPassant) {
			b.push(out, step{from, b.EnPassant, chess.Pawn, chess.NoPieceType, chess.Pawn, true})
		}
	}
}

// quiets lists the moves that capture nothing, those that leave the king in
// check included.
func (b *Board) quiets(out *steps) {
	out.n = 0
	us := b.Colors[b.Turn]
	occ := us | b.Colors[b.Turn.Other()]
	for t := chess.Knight; t <= chess.King; t++ {
		for pieces := b.Kinds[t] & us; pieces != 0; {
			from := pieces.Pop()
			b.add(out, t, from, chess.PieceAttacks(t, from, occ)&^occ)
		}
	}
	for pawns := b.Kinds[chess.Pawn] & us; pawns != 0; {
		from := pawns.Pop()
		ahead := func(s chess.Square) chess.Square {
			if b.Turn == chess.White {
				return s + 8
			}
			return s - 8
		}
		start := chess.Square(1)
		if b.Turn == chess.Black {
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
func (b *Board) add(out *steps, t chess.PieceType, from chess.Square, targets chess.Bitboard) {
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
func (b *Board) push(out *steps, s step) {
	if out.n < len(out.list) {
		out.list[out.n] = s
		out.n++
	}
}

// on returns the kind of the piece on s, NoPieceType for none.
func (b *Board) on(s chess.Square) chess.PieceType {
	for t := range b.Kinds {
		if b.Kinds[t].Has(s) {
			return chess.PieceType(t)
		}
	}
	return chess.NoPieceType
}

// mate reports whether the side to move is mated, stuck whether it has no
// legal move but en passant.
func (b *Board) mate() bool { return b.check() && b.stuck() && !b.canPassant() }

func (b *Board) stuck() bool {
	var list steps
	var next Board
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
func (b *Board) canPassant() bool {
	if b.EnPassant == chess.NoSquare {
		return false
	}
	var list steps
	var next Board
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
