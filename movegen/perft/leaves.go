package perft

// Leaves returns the sum of [Moves] over the children of f: perft to depth 2.
// Steps is working space.
func Leaves(f *Frame, g *Geometry, steps *Steps) uint64 {
	n := List(f, g, steps)
	theirs := g.Flip()
	var sum uint64
	var child Frame
	for _, s := range steps[:min(n, MaxSteps)] {
		f.Make(s, g, &child)
		sum += Moves(&child, &theirs)
	}
	return sum
}
