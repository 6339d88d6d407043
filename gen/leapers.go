package main

import (
	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/internal/geom"
)

// leapers emits the attacks of knights, kings and pawns.
func leapers() ([]byte, error) {
	f := newTables()
	array(f, "knight", "knight holds the squares a knight attacks, by its square.",
		[]int{64}, jen.Uint64(), words("", 4, bySquare(geom.Knight)))
	array(f, "king", "king holds the squares a king attacks, by its square.",
		[]int{64}, jen.Uint64(), words("", 4, bySquare(geom.King)))
	var colors []jen.Code
	for color, name := range []string{"white", "black"} {
		attacks := bySquare(func(sq int) uint64 { return geom.Pawn(color, sq) })
		colors = append(colors, block(name, words("", 4, attacks)))
	}
	array(f, "pawn", "pawn holds the squares a pawn attacks, by its colour and square.",
		[]int{2, 64}, jen.Uint64(), colors)
	return render(f)
}
