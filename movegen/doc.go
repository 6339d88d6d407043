// Package movegen lists the legal moves of a position.
//
// [Legal] appends them to a buffer of the caller's and does not allocate where
// that has room for chess.MaxMoves; [Captures] and [Quiets] split the same list
// for a search that hopes not to need the second half. Moves are generated legal,
// by a mask of squares that end a check and a line for each pinned piece. The
// position is not written to, so any number of goroutines may generate from one
// position. The order of the list is the same every time and on every processor,
// and means nothing to callers. Between moves that it holds to be equal, package search keeps
// this order: another one changes its signature, and the games of package train/lineage.
//
// The generator in plain Go is the specification. Where the [Path] is pext, avx2
// with a fast PEXT, or avx512, a kernel in assembly, written by gen/kernel, lists
// the same moves in the same order in one call; positions with a legal capture en
// passant are left to plain Go. The processor decides between the paths once, for lists here and
// for counts in package perft. [ListPath] tells what runs.
//
// Package perft counts the leaves of the tree of legal moves. The generators in
// examples/course share nothing with this one but the reader of FENs.
//
// The set of moves is stable; their order may change.
//
// # Example
//
//	package main
//
//	import (
//		"fmt"
//
//		"github.com/tabula-chess/tabula/chess"
//		"github.com/tabula-chess/tabula/movegen"
//	)
//
//	func main() {
//		p, err := chess.ParseFEN("7k/8/5K2/6Q1/8/8/8/8 b - - 0 1")
//		if err != nil {
//			panic(err)
//		}
//		for _, m := range movegen.Legal(p, nil) {
//			fmt.Println(p.SAN(m))
//		}
//		// Output: Kh7
//	}
package movegen
