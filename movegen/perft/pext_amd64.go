package perft

import (
	"github.com/tabula-chess/tabula/tables"
	"github.com/tabula-chess/tabula/tables/index"
)

// row is what kernels look up for one square.
type row = index.Row

// countByPext is plainCount in assembly.
func countByPext(f *Frame, g *Geometry) uint64 {
	n := countPext(f, g, tables.Rows(), tables.PextSets())
	if f.EnPassant != 0 {
		n += count(f.enPassants())
	}
	return n
}

// leavesByPext is plainLeaves in assembly.
func leavesByPext(f *Frame, g *Geometry, steps *Steps) uint64 {
	var captors uint64
	if f.EnPassant != 0 {
		captors = f.enPassants()
	}
	sum, doubles := leavesPext(f, g, captors, steps, tables.Rows(), tables.PextSets())
	if doubles != 0 {
		other := f.Flip()
		sum += other.answers(doubles)
	}
	return sum
}
