//go:build !amd64

package perft

func (Path) count(f *Frame, g *Geometry) uint64 { return Moves(f, g) }

func (Path) leaves(f *Frame, g *Geometry, steps *Steps) uint64 { return Leaves(f, g, steps) }
