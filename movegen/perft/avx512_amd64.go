package perft

import "github.com/tabula-chess/tabula/tables"

// leavesByAVX512 is plainLeaves with eight children in the lanes of a vector.
func leavesByAVX512(f *Frame, g *Geometry) uint64 {
	var captors uint64
	if f.EnPassant != 0 {
		captors = f.enPassants()
	}
	sum, doubles := leavesAVX512(f, g, captors, tables.Rows(), &kingRows, tables.PextSets())
	if doubles != 0 {
		other := f.Flip()
		sum += other.answers(doubles)
	}
	return sum
}
