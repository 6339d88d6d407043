package search

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// The functions in this file are the reference for the search's draws and mates: slow code that shares the rules of
// chess with the search and nothing else.

// plainDraw reports whether p, ply plies after the root of a search, is drawn by
// rule: by a repetition within the search or two before, fifty moves, unless
// they end in mate, or a lack of material. It compares positions by their text.
func plainDraw(p *chess.Position, ply int) bool {
	if p.HalfmoveClock() >= 100 {
		return !p.InCheck() || len(movegen.Legal(p, nil)) > 0
	}
	return plainDead(p) || p.HalfmoveClock() >= 4 && plainRepeated(p, ply)
}

// plainRepeated finds earlier occurrences of p by taking moves back.
func plainRepeated(p *chess.Position, ply int) bool {
	q, seen := p.Clone(), 0
	for back := 1; back <= min(p.Plies(), p.HalfmoveClock()); back++ {
		if q.LastMove() == chess.NoMove {
			return false // what stood before a null move does not count
		}
		if q.Unmake(); back%2 == 0 && plainSame(p, q) {
			if seen++; seen == 2 || back < ply {
				return true
			}
		}
	}
	return false
}

// plainSame reports whether p and q are one position by the rules of repetition.
func plainSame(p, q *chess.Position) bool {
	for sq := chess.Square(0); sq < 64; sq++ {
		if p.Piece(sq) != q.Piece(sq) {
			return false
		}
	}
	ep := func(p *chess.Position) chess.Square {
		if p.EnPassantLegal() {
			return p.EnPassant()
		}
		return chess.NoSquare
	}
	return p.SideToMove() == q.SideToMove() && p.Castling() == q.Castling() && ep(p) == ep(q)
}

// plainDead reports whether too little material is left to mate in any way: bare
// kings, one minor piece, or bishops of one colour of squares.
func plainDead(p *chess.Position) bool {
	knights, bishops := 0, [2]int{}
	for sq := chess.Square(0); sq < 64; sq++ {
		pc := p.Piece(sq)
		if pc == chess.NoPiece {
			continue
		}
		switch pc.Type() {
		case chess.King:
		case chess.Knight:
			knights++
		case chess.Bishop:
			bishops[(sq.File()+sq.Rank())%2]++
		default:
			return false
		}
	}
	if knights > 0 {
		return knights == 1 && bishops == [2]int{}
	}
	return bishops[0] == 0 || bishops[1] == 0
}

// plainMates reports whether the side to move can force mate within the given plies,
// whatever was played before; the fifty moves count. Repetition does not
// matter: the shortest mate has none.
func plainMates(p *chess.Position, plies int) bool {
	if plies < 1 {
		return false
	}
	var buf [chess.MaxMoves]chess.Move
	for _, m := range movegen.Legal(p, buf[:0]) {
		if plies == 1 && !p.GivesCheck(m) {
			continue
		}
		p.Make(m)
		found := plainMated(p, plies-1)
		p.Unmake()
		if found {
			return true
		}
	}
	return false
}

// plainMated reports whether the side to move is mated within the given plies,
// whatever it plays: 0 for being mated now.
func plainMated(p *chess.Position, plies int) bool {
	if plies < 0 {
		return false
	}
	if !p.HasLegalMove() {
		return p.InCheck()
	}
	if plies < 2 || p.HalfmoveClock() >= 100 || plainDead(p) {
		return false
	}
	var buf [chess.MaxMoves]chess.Move
	for _, m := range movegen.Legal(p, buf[:0]) {
		p.Make(m)
		lost := !(p.HalfmoveClock() >= 100 && len(movegen.Legal(p, nil)) > 0) && plainMates(p, plies-1)
		p.Unmake()
		if !lost {
			return false
		}
	}
	return true
}

// plainMateIn returns the plies of the shortest forced mate of the side to move, up
// to most, or 0 where there is none so short.
func plainMateIn(p *chess.Position, most int) int {
	for plies := 1; plies <= most; plies += 2 {
		if plainMates(p, plies) {
			return plies
		}
	}
	return 0
}
