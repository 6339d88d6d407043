//go:build !amd64 && !arm64

package perft

import "github.com/tabula-chess/tabula/movegen"

// CountMoves returns the number of legal moves of f.
func CountMoves(_ movegen.Path, f *Frame, g *Geometry) uint64 { return plainCount(f, g) }

// CountLeaves returns the sum of CountMoves over the children of f, perft to depth 2. Steps is
// working space.
func CountLeaves(_ movegen.Path, f *Frame, g *Geometry, steps *Steps) uint64 {
	return plainLeaves(f, g, steps)
}
