package main

import "github.com/tabula-chess/tabula/internal/geom"

// leapers emits the attacks of knights, kings and pawns.
func leapers() ([]byte, error) {
	f := newSource("tables", "", false)
	f.array("knight", "knight holds the squares a knight attacks, by its square.",
		[]int{64}, "uint64", words("", 4, bySquare(geom.Knight)))
	f.array("king", "king holds the squares a king attacks, by its square.",
		[]int{64}, "uint64", words("", 4, bySquare(geom.King)))
	var colors []string
	for color, name := range []string{"white", "black"} {
		attacks := bySquare(func(sq int) uint64 { return geom.Pawn(color, sq) })
		colors = append(colors, block(name, words("", 4, attacks)))
	}
	f.array("pawn", "pawn holds the squares a pawn attacks, by its colour and square.",
		[]int{2, 64}, "uint64", colors)
	return f.bytes()
}
