package retro

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// position is a handful of pieces on squares.
type position struct {
	n      int
	code   [layout.MaxMen]layout.Code
	square [layout.MaxMen]chess.Square
	turn   chess.Color
	of     [2]chess.Bitboard // squares by colour
}

// place computes the sets from the squares, and reports whether no two pieces
// share one.
func (p *position) place() bool {
	p.of = [2]chess.Bitboard{}
	for i := range p.n {
		bit := chess.Bitboard(1) << p.square[i]
		if (p.of[0]|p.of[1])&bit != 0 {
			return false
		}
		p.of[p.code[i].Color()] |= bit
	}
	return true
}

// attacks returns the squares that piece i attacks when occ is occupied.
func (p *position) attacks(i int, occ chess.Bitboard) chess.Bitboard {
	if t := p.code[i].Type(); t != chess.Pawn {
		return chess.PieceAttacks(t, p.square[i], occ)
	}
	return chess.PawnAttacks(p.code[i].Color(), p.square[i])
}

// exposed reports whether the king of colour c is attacked.
func (p *position) exposed(c chess.Color) bool {
	king := chess.NoSquare
	for i := range p.n {
		if p.code[i] == layout.MakeCode(c, chess.King) {
			king = p.square[i]
		}
	}
	occ := p.of[0] | p.of[1]
	for i := range p.n {
		if p.code[i].Color() != c && p.attacks(i, occ).Has(king) {
			return true
		}
	}
	return false
}

// without returns p after the piece on square s has gone.
func (p *position) without(s chess.Square) position {
	q := *p
	for i := range p.n {
		if p.square[i] == s {
			copy(q.code[i:], p.code[i+1:p.n])
			copy(q.square[i:], p.square[i+1:p.n])
			q.n--
		}
	}
	q.place()
	return q
}

// moved returns p after the piece on from has moved to the empty square to and
// become code, with the other side to move.
func (p *position) moved(from, to chess.Square, code layout.Code) position {
	q := *p
	for i := range q.n {
		if q.square[i] == from {
			q.square[i], q.code[i] = to, code
		}
	}
	q.turn = p.turn.Other()
	q.place()
	return q
}

// material returns the names of the pieces.
func (p *position) material() layout.Material {
	m := layout.Material(0)
	for i := range p.n {
		m += layout.Unit(p.code[i].Color(), p.code[i].Type())
	}
	return m
}

// zeroingMoves calls yield with the position after each legal capture and pawn
// move of p but en passant, and the square behind a pawn that moved two
// squares, until yield returns false.
func (p *position) zeroingMoves(yield func(after *position, passant chess.Square) bool) {
	occ := p.of[0] | p.of[1]
	for i := range p.n {
		code := p.code[i]
		if code.Color() != p.turn {
			continue
		}
		from := p.square[i]
		for to := range (p.attacks(i, occ) & p.of[p.turn.Other()]).Squares() {
			rest := p.without(to)
			if !rest.arrive(from, to, code, chess.NoSquare, yield) {
				return
			}
		}
		if code.Type() != chess.Pawn {
			continue
		}
		ahead, start := chess.Square(8), chess.Square(1)
		if p.turn == chess.Black {
			ahead, start = ^chess.Square(7), 6 // minus eight
		}
		if occ.Has(from + ahead) {
			continue
		}
		if !p.arrive(from, from+ahead, code, chess.NoSquare, yield) {
			return
		}
		if from>>3 == start && !occ.Has(from+2*ahead) && !p.arrive(from, from+2*ahead, code, from+ahead, yield) {
			return
		}
	}
}

// arrive yields the positions after a move to an empty square, one for each
// promotion, where they are legal.
func (p *position) arrive(from, to chess.Square, code layout.Code, passant chess.Square,
	yield func(*position, chess.Square) bool) bool {
	first, last := code.Type(), code.Type()
	if code.Type() == chess.Pawn && (to>>3 == 0 || to>>3 == 7) {
		first, last = chess.Knight, chess.Queen
	}
	for t := first; t <= last; t++ {
		q := p.moved(from, to, layout.MakeCode(code.Color(), t))
		if !q.exposed(p.turn) && !yield(&q, passant) {
			return false
		}
	}
	return true
}

// passantMoves returns the positions after each legal en-passant capture to s.
func (p *position) passantMoves(s chess.Square) []position {
	var all []position
	for i := range p.n {
		if p.code[i] != layout.MakeCode(p.turn, chess.Pawn) || !p.attacks(i, 0).Has(s) {
			continue
		}
		rest := p.without(s ^ 8)
		if q := rest.moved(p.square[i], s, p.code[i]); !q.exposed(p.turn) {
			all = append(all, q)
		}
	}
	return all
}

// stuck reports whether the side to move has no legal move but en passant.
func (p *position) stuck() bool {
	found := false
	p.zeroingMoves(func(*position, chess.Square) bool { found = true; return false })
	occ := p.of[0] | p.of[1]
	for i := 0; i < p.n && !found; i++ {
		if p.code[i].Color() != p.turn || p.code[i].Type() == chess.Pawn {
			continue
		}
		for to := range (p.attacks(i, occ) &^ occ).Squares() {
			if q := p.moved(p.square[i], to, p.code[i]); !q.exposed(p.turn) {
				found = true
				break
			}
		}
	}
	return !found
}
