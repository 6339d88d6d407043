// Package chesstest makes positions for tests.
package chesstest

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/must"
)

// Position returns the position of a FEN.
func Position(t testing.TB, fen string) *chess.Position {
	t.Helper()
	p, err := chess.ParseFEN(fen)
	must.Succeed(t, err)
	return p
}

// Exchanged returns p, without its history, with the colours exchanged and the board turned
// top to bottom.
func Exchanged(t must.T, p *chess.Position) *chess.Position {
	t.Helper()
	s := p.Setup()
	s.Pieces[chess.White], s.Pieces[chess.Black] = s.Pieces[chess.Black], s.Pieces[chess.White]
	for c := range s.Pieces {
		for k := range s.Pieces[c] {
			s.Pieces[c][k] = s.Pieces[c][k].Flip()
		}
	}
	s.Side, s.Castling, s.EnPassant = s.Side.Other(), s.Castling.Flip(), s.EnPassant.Flip()
	q, err := s.Position()
	must.Succeed(t, err)
	return q
}
