package chess_test

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/must"
)

// parse returns the position of a FEN after some moves in UCI text.
func parse(t testing.TB, fen string, moves ...string) *chess.Position {
	t.Helper()
	p, err := chess.ParseFEN(fen)
	must.Succeed(t, err)
	for _, text := range moves {
		p.Make(move(t, p, text))
	}
	return p
}

// move returns a legal move of p in UCI text.
func move(t testing.TB, p *chess.Position, text string) chess.Move {
	t.Helper()
	m, err := p.ParseUCI(text)
	must.Succeed(t, err)
	return m
}
