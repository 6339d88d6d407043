package main

import (
	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/internal/geom"
)

// castling emits the rights that a move from or to each square ends.
func castling() ([]byte, error) {
	f := newTables()
	array(f, "castlingMask", "castlingMask holds the castling rights that end when a move touches a square.",
		[]int{64}, jen.Uint8(), words("", 8, bySquare(geom.CastlingLost)))
	return render(f)
}
