//go:build !amd64 && !arm64

package perft

import "github.com/tabula-chess/tabula/movegen"

func countOn(_ movegen.Path, f *Frame, g *Geometry) uint64 { return plainCount(f, g) }

func leavesOn(_ movegen.Path, f *Frame, g *Geometry, steps *Steps) uint64 {
	return plainLeaves(f, g, steps)
}
