package attacks

import "github.com/tabula-chess/tabula/tables"

// countByPext is Count in assembly.
func countByPext(f *Frame, g *Geometry) uint64 {
	n := countPext(f, g, &rows, tables.PextSets())
	if f.EnPassant != 0 {
		n += count(f.enPassants())
	}
	return n
}

// leavesByPext is Leaves in assembly.
func leavesByPext(f *Frame, g *Geometry, steps *Steps) uint64 {
	n := List(f, g, steps)
	if n == 0 {
		return 0
	}
	other, theirs := f.Flip(), g.Flip()
	sum, doubles := leavesPext(&other, &theirs, &steps[0], n, &rows, tables.PextSets())
	if doubles != 0 {
		sum += other.answers(doubles)
	}
	return sum
}
