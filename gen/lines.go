package main

import (
	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/internal/geom"
)

// lines emits the sets between and on the line through two squares.
func lines() ([]byte, error) {
	f := newTables()
	array(f, "between", "between holds the squares strictly between two squares.",
		[]int{64, 64}, jen.Uint64(), pairs(4, geom.Between))
	array(f, "line", "line holds the whole line through two squares, both included.",
		[]int{64, 64}, jen.Uint64(), pairs(4, geom.Line))
	return render(f)
}

// rays emits the squares from each square to the edge in each direction.
func rays() ([]byte, error) {
	f := newTables()
	var rows []jen.Code
	for dir, name := range []string{
		"north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west",
	} {
		rays := bySquare(func(sq int) uint64 { return geom.Ray(dir, sq) })
		rows = append(rows, block(name, words("", 4, rays)))
	}
	array(f, "ray", "ray holds the squares from a square to the edge, by direction and square.",
		[]int{geom.Directions, 64}, jen.Uint64(), rows)
	return render(f)
}

// distances emits the number of king moves between two squares.
func distances() ([]byte, error) {
	f := newTables()
	array(f, "distance", "distance holds the Chebyshev distance of two squares.",
		[]int{64, 64}, jen.Uint8(), pairs(8, func(a, b int) uint8 { return uint8(geom.Distance(a, b)) }))
	return render(f)
}

// pairs returns one block for each square with the values of f for it and each
// square.
func pairs[T uint8 | uint64](perLine int, f func(a, b int) T) []jen.Code {
	var rows []jen.Code
	for a := range 64 {
		values := bySquare(func(b int) T { return f(a, b) })
		rows = append(rows, block(squareName(a), words("", perLine, values)))
	}
	return rows
}
