package perft

import "github.com/tabula-chess/tabula/movegen"

// countOn is plainCount along the path. Calls by name, not through a variable, let
// the compiler see that frames do not escape.
func countOn(p movegen.Path, f *Frame, g *Geometry) uint64 {
	switch p {
	case movegen.Pext, movegen.AVX512:
		return countByPext(f, g)
	}
	// The AVX2 path does without PEXT, which some of its processors have
	// microcoded; a single position is counted in plain Go.
	return plainCount(f, g)
}

// leavesOn is plainLeaves along the path.
func leavesOn(p movegen.Path, f *Frame, g *Geometry, steps *Steps) uint64 {
	switch p {
	case movegen.Pext:
		return leavesByPext(f, g, steps)
	case movegen.AVX2:
		return leavesByAVX2(f, g, steps)
	case movegen.AVX512:
		return leavesByAVX512(f, g)
	}
	return plainLeaves(f, g, steps)
}
