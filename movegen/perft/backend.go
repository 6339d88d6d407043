package perft

import "github.com/tabula-chess/tabula/movegen"

// Backend counts the legal moves of frames along one path of package movegen.
// It holds no state and is safe for concurrent use.
type Backend struct{ path movegen.Path }

// Path returns the path of the back end.
func (b *Backend) Path() movegen.Path { return b.path }

// Count returns the number of legal moves of f, as plainCount does.
func (b *Backend) Count(f *Frame, g *Geometry) uint64 { return countOn(b.path, f, g) }

// Leaves returns the sum of Count over the children of f, perft to depth 2,
// as plainLeaves does. Steps is working space.
func (b *Backend) Leaves(f *Frame, g *Geometry, steps *Steps) uint64 {
	return leavesOn(b.path, f, g, steps)
}

var backends = [...]*Backend{
	movegen.Magic: {movegen.Magic}, movegen.Pext: {movegen.Pext}, movegen.AVX2: {movegen.AVX2}, movegen.AVX512: {movegen.AVX512},
	movegen.NEON: {movegen.NEON},
}

// For returns the back end of a path. The error says what this machine lacks.
func For(p movegen.Path) (*Backend, error) {
	if err := p.Supported(); err != nil {
		return nil, err
	}
	return backends[p], nil
}

// Default returns the back end of movegen.DefaultPath.
func Default() *Backend { return backends[movegen.DefaultPath()] }
