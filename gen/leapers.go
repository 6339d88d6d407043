package main

import (
	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/gen/source"
	"github.com/tabula-chess/tabula/internal/geom"
)

// leapers emits the attacks of knights, kings and pawns.
func leapers() ([]byte, error) {
	f := source.NewFile(source.Gen, "tables")
	source.Array(f, "knight", "knight holds the squares a knight attacks, by its square.",
		[]int{64}, jen.Uint64(), source.Words("", 4, bySquare(geom.Knight)))
	source.Array(f, "king", "king holds the squares a king attacks, by its square.",
		[]int{64}, jen.Uint64(), source.Words("", 4, bySquare(geom.King)))
	var colors []jen.Code
	for color, name := range []string{"white", "black"} {
		attacks := bySquare(func(sq int) uint64 { return geom.Pawn(color, sq) })
		colors = append(colors, source.Block(name, source.Words("", 4, attacks)))
	}
	source.Array(f, "pawn", "pawn holds the squares a pawn attacks, by its colour and square.",
		[]int{2, 64}, jen.Uint64(), colors...)
	return source.Render(f)
}

// squareName returns the algebraic name of a square.
func squareName(sq int) string {
	return string([]byte{'a' + byte(sq&7), '1' + byte(sq>>3)})
}

// bySquare returns the values of f for all 64 squares.
func bySquare[T any](f func(sq int) T) []T {
	values := make([]T, 64)
	for sq := range values {
		values[sq] = f(sq)
	}
	return values
}
