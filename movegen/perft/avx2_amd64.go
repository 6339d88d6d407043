package perft

import "github.com/tabula-chess/tabula/tables"

// leavesByAVX2 is plainLeaves with four children in the lanes of a vector.
func leavesByAVX2(f *Frame, g *Geometry, steps *Steps) uint64 {
	var captors uint64
	if f.EnPassant != 0 {
		captors = f.enPassants()
	}
	sum, doubles := leavesAVX2(f, g, captors, steps, &magicRows, &kingRows, tables.Sliders())
	if doubles != 0 {
		other := f.Flip()
		sum += other.answers(doubles)
	}
	return sum
}
