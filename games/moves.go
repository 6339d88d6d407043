package games

import (
	"errors"

	"github.com/tabula-chess/tabula/chess"
)

// A move is stored as its number among the moves that the pieces of the side to move
// could make if nothing were illegal: pieces by square, targets by square, promotions
// from the knight to the queen, castling last. That needs no list of legal moves and
// depends on nothing but the rules.
const (
	longMove = 250 // the number is 250 and what the next byte says
	nullMove = 255
)

// errMove says that stored moves are none of the position.
var errMove = errors.New("a move that the position does not have")

// appendMove appends a legal move of p, or a null move, to buf.
func appendMove(buf []byte, p *chess.Position, m chess.Move) []byte {
	if m == chess.NoMove {
		return append(buf, nullMove)
	}
	n := moveNumber(p, m)
	if n < longMove {
		return append(buf, byte(n))
	}
	return append(buf, longMove, byte(n-longMove))
}

// readMove reads the next move of p from moves and returns what follows it.
func readMove(moves []byte, p *chess.Position) (chess.Move, []byte, error) {
	n := int(moves[0])
	switch {
	case n == nullMove && !p.InCheck():
		return chess.NoMove, moves[1:], nil
	case n == longMove && len(moves) > 1:
		n += int(moves[1])
		moves = moves[1:]
	case n >= longMove:
		return chess.NoMove, nil, errMove
	}
	m := numberedMove(p, n)
	if m == chess.NoMove || !p.IsLegal(m) {
		return chess.NoMove, nil, errMove
	}
	return m, moves[1:], nil
}

// moveNumber returns the number of a legal move.
func moveNumber(p *chess.Position, m chess.Move) int {
	n := 0
	us, from := p.SideToMove(), m.From()
	for b := p.ByColor(us) & (from.Bitboard() - 1); b != 0; {
		n += count(p, b.Pop())
	}
	to := targets(p, from)
	if m.Kind() == chess.Castling {
		n += to.Count()
		if m.To() == p.CastlingRook(us, chess.QueenSide) && p.CastlingRook(us, chess.KingSide) != chess.NoSquare {
			n++
		}
		return n
	}
	before := (to & (m.To().Bitboard() - 1)).Count()
	if m.Kind() == chess.Promotion {
		return n + 4*before + int(m.PromotionType()-chess.Knight)
	}
	return n + before
}

// numberedMove returns the move of a number, NoMove where there is none.
func numberedMove(p *chess.Position, n int) chess.Move {
	us := p.SideToMove()
	for b := p.ByColor(us); b != 0; {
		from := b.Pop()
		of := count(p, from)
		if n >= of {
			n -= of
			continue
		}
		to, kind := targets(p, from), chess.Normal
		if promotes(p, from) {
			return chess.NewPromotion(from, nth(to, n/4), chess.Knight+chess.PieceType(n%4))
		}
		if normal := to.Count(); n >= normal {
			rook := p.CastlingRook(us, chess.KingSide)
			if rook == chess.NoSquare || n > normal {
				rook = p.CastlingRook(us, chess.QueenSide)
			}
			return chess.NewMove(from, rook, chess.Castling)
		}
		target := nth(to, n)
		if target == p.EnPassant() && p.Piece(from).Type() == chess.Pawn && target.File() != from.File() {
			kind = chess.EnPassant
		}
		return chess.NewMove(from, target, kind)
	}
	return chess.NoMove
}

// nth returns square i of a set.
func nth(b chess.Bitboard, i int) chess.Square {
	for range i {
		b.Pop()
	}
	return b.First()
}

// promotes reports whether the piece on s is a pawn before its last rank.
func promotes(p *chess.Position, s chess.Square) bool {
	return p.Piece(s).Type() == chess.Pawn && s.Relative(p.SideToMove()).Rank() == 6
}

// count returns how many moves the piece on s has, castling included.
func count(p *chess.Position, s chess.Square) int {
	n := targets(p, s).Count()
	switch p.Piece(s).Type() {
	case chess.Pawn:
		if promotes(p, s) {
			n *= 4
		}
	case chess.King:
		for _, w := range [...]chess.Wing{chess.KingSide, chess.QueenSide} {
			if p.CastlingRook(p.SideToMove(), w) != chess.NoSquare {
				n++
			}
		}
	}
	return n
}

// targets returns where the piece of the side to move on s could go, castling aside.
func targets(p *chess.Position, s chess.Square) chess.Bitboard {
	us, occupied := p.SideToMove(), p.Occupied()
	t := p.Piece(s).Type()
	if t != chess.Pawn {
		return chess.PieceAttacks(t, s, occupied) &^ p.ByColor(us)
	}
	prey := p.ByColor(us.Other())
	if ep := p.EnPassant(); ep != chess.NoSquare {
		prey |= ep.Bitboard()
	}
	to := chess.PawnAttacks(us, s) & prey
	step := func(s chess.Square) chess.Square { return (s.Relative(us) + 8).Relative(us) }
	if one := step(s); !occupied.Has(one) {
		to |= one.Bitboard()
		if two := step(one); s.Relative(us).Rank() == 1 && !occupied.Has(two) {
			to |= two.Bitboard()
		}
	}
	return to
}
