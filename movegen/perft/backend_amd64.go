package perft

// count is Moves along the path. Calls by name, not through a variable, let
// the compiler see that frames do not escape.
func (p Path) count(f *Frame, g *Geometry) uint64 {
	switch p {
	case Pext, AVX512:
		return countByPext(f, g)
	}
	// The AVX2 path does without PEXT, which some of its processors have
	// microcoded; a single position is counted in plain Go.
	return Moves(f, g)
}

// leaves is Leaves along the path.
func (p Path) leaves(f *Frame, g *Geometry, steps *Steps) uint64 {
	switch p {
	case Pext:
		return leavesByPext(f, g, steps)
	case AVX2:
		return leavesByAVX2(f, g, steps)
	case AVX512:
		return leavesByAVX512(f, g)
	}
	return Leaves(f, g, steps)
}
