// Package perft counts the leaves of the tree of legal moves, the last ply in
// bulk. [Count] counts trees, on any number of threads and with a [Table]
// if it is given one; [Walk] counts them by playing every move on the position,
// which is slower and tests more.
//
// Most leaves are counted without making the moves that lead to them: the number of
// answers to a simple move is the sum of three numbers, of which a position has one and
// each square one. delta.go says which moves are simple, and why. The paths of package
// movegen have
//
//	magic, pext   plain Go: delta.go, the specification of the others
//	avx2          four positions at once, set by set
//	avx512        eight positions at once
//	neon          two positions at once, on arm64
//
// A kernel counts a node three plies above the leaves in one call, so that the positions
// after its moves lie side by side. Kernels look up no sliders: no path needs PEXT. All
// paths give the same results for every position of package chess, those of Chess960 too.
//
// The assembly is written by gen/kernel.
//
// Counts are stable; the set of paths may change.
//
// # Example
//
//	package main
//
//	import (
//		"context"
//		"fmt"
//
//		"github.com/tabula-chess/tabula/chess"
//		"github.com/tabula-chess/tabula/movegen/perft"
//	)
//
//	func main() {
//		options := perft.Options{Threads: 2}
//		fmt.Println(perft.Count(context.Background(), chess.NewPosition(), 6, options))
//		// Output: 119060324 <nil>
//	}
package perft
