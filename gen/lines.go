package main

import "github.com/tabula-chess/tabula/internal/geom"

// lines emits the sets between and on the line through two squares.
func lines() ([]byte, error) {
	f := newSource("tables", "", false)
	f.array("between", "between holds the squares strictly between two squares.",
		[]int{64, 64}, "uint64", pairs(geom.Between))
	f.array("line", "line holds the whole line through two squares, both included.",
		[]int{64, 64}, "uint64", pairs(geom.Line))
	return f.bytes()
}

// rays emits the squares from each square to the edge in each direction.
func rays() ([]byte, error) {
	f := newSource("tables", "", false)
	var rows []string
	for dir, name := range []string{
		"north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west",
	} {
		rays := bySquare(func(sq int) uint64 { return geom.Ray(dir, sq) })
		rows = append(rows, block(name, words("", 4, rays)))
	}
	f.array("ray", "ray holds the squares from a square to the edge, by direction and square.",
		[]int{geom.Directions, 64}, "uint64", rows)
	return f.bytes()
}

// pairs returns one block for each square with the values of f for it and each
// square.
func pairs(f func(a, b int) uint64) []string {
	var rows []string
	for a := range 64 {
		values := bySquare(func(b int) uint64 { return f(a, b) })
		rows = append(rows, block(squareName(a), words("", 4, values)))
	}
	return rows
}
