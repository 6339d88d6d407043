// Package perft counts the leaves of the tree of legal moves, the last ply in
// bulk. [Count] counts trees, on any number of threads and with a [Table]
// if it is given one; [Walk] counts them by playing every move on the position,
// which is slower and tests more.
//
// A call of assembly for one look-up would cost more than it saves. So
// [CountMoves] takes a whole position, a [Frame], and counts all its legal moves
// in one call, and [CountLeaves] those of all its children, along one of the
// paths of package movegen:
//
//	magic    plain Go, any processor; the specification of the others
//	pext     scalar, PEXT look-ups (BMI2 where it is fast)
//	avx2     four children at once, set by set
//	avx512   eight children at once
//	neon     two children at once, on arm64
//
// The counts of single positions are in assembly on pext and avx512; the others have
// them in plain Go. All paths give the same results for every frame that
// passes [Frame.Check]. [List] lists the moves of a frame as steps, in plain Go.
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
