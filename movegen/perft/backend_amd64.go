package perft

import (
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/tables"
	"github.com/tabula-chess/tabula/tables/index"
)

// row is what kernels look up for one square.
type row = index.Row

// CountMoves returns the number of legal moves of f on a path that this machine supports.
// Calls of kernels by name, not through a variable, let the compiler see that frames do not
// escape.
func CountMoves(p movegen.Path, f *Frame, g *Geometry) uint64 {
	switch p {
	case movegen.Pext, movegen.AVX512:
		n := countPext(f, g, tables.Rows(), tables.PextSets())
		if f.EnPassant != 0 {
			n += count(f.enPassants())
		}
		return n
	}
	// The AVX2 path does without PEXT, which some of its processors have
	// microcoded; a single position is counted in plain Go.
	return plainCount(f, g)
}

// CountLeaves returns the sum of CountMoves over the children of f, perft to depth 2. Steps is
// working space. A kernel is told which pawns may capture en passant, and returns the double
// pushes that may be answered so.
func CountLeaves(p movegen.Path, f *Frame, g *Geometry, steps *Steps) uint64 {
	var captors, sum, doubles uint64
	if f.EnPassant != 0 && p != movegen.Magic {
		captors = f.enPassants()
	}
	switch p {
	case movegen.Pext:
		sum, doubles = leavesPext(f, g, captors, steps, tables.Rows(), tables.PextSets())
	case movegen.AVX2:
		sum, doubles = leavesAVX2(f, g, captors, steps, &magicRows, &kingRows, tables.Sliders())
	case movegen.AVX512:
		sum, doubles = leavesAVX512(f, g, captors, tables.Rows(), &kingRows, tables.PextSets())
	default:
		return plainLeaves(f, g, steps)
	}
	if doubles != 0 {
		other := f.Flip()
		sum += other.answers(doubles)
	}
	return sum
}
