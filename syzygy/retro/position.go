package retro

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// placement is the pieces of an ending on squares.
type placement struct {
	codes  []layout.Code
	square [layout.MaxPieces]chess.Square
	turn   chess.Color
	of     [2]chess.Bitboard // squares by colour
}

// place computes the sets from the squares, and reports whether no two pieces
// share one.
func (p *placement) place() bool {
	p.of = [2]chess.Bitboard{}
	for i, code := range p.codes {
		bit := p.square[i].Bitboard()
		if (p.of[0]|p.of[1])&bit != 0 {
			return false
		}
		p.of[code.Color()] |= bit
	}
	return true
}

// setup returns the position as one of package chess.
func (p *placement) setup() chess.Setup {
	s := chess.Setup{Side: p.turn}
	for i, code := range p.codes {
		s.Put(chess.MakePiece(code.Color(), code.Type()), p.square[i])
	}
	return s
}

// quiets returns the squares to which piece i, which is no pawn, can go without a capture, its king left
// out of account.
func (p *placement) quiets(i int) chess.Bitboard {
	occ := p.of[0] | p.of[1]
	return chess.PieceAttacks(p.codes[i].Type(), p.square[i], occ) &^ occ
}
