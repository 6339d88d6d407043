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
