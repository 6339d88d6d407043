package main

import (
	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/gen/source"
	"github.com/tabula-chess/tabula/internal/geom"
)

// lines emits the sets between and on the line through two squares.
func lines() ([]byte, error) {
	f := source.NewFile(source.Gen, "tables")
	source.Array(f, "between", "between holds the squares strictly between two squares.",
		[]int{64, 64}, jen.Uint64(), pairs(geom.Between)...)
	source.Array(f, "line", "line holds the whole line through two squares, both included.",
		[]int{64, 64}, jen.Uint64(), pairs(geom.Line)...)
	return source.Render(f)
}

// rays emits the squares from each square to the edge in each direction.
func rays() ([]byte, error) {
	f := source.NewFile(source.Gen, "tables")
	var rows []jen.Code
	for dir, name := range []string{
		"north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west",
	} {
		rays := bySquare(func(sq int) uint64 { return geom.Ray(dir, sq) })
		rows = append(rows, source.Block(name, source.Words("", 4, rays)))
	}
	source.Array(f, "ray", "ray holds the squares from a square to the edge, by direction and square.",
		[]int{geom.Directions, 64}, jen.Uint64(), rows...)
	return source.Render(f)
}

// pairs returns one block for each square with the values of f for it and each
// square.
func pairs(f func(a, b int) uint64) []jen.Code {
	var rows []jen.Code
	for a := range 64 {
		values := bySquare(func(b int) uint64 { return f(a, b) })
		rows = append(rows, source.Block(squareName(a), source.Words("", 4, values)))
	}
	return rows
}
