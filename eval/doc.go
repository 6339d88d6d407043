// Package eval defines what an evaluation is measured in. The evaluation
// itself is the network of package nnue below it.
//
// # Example
//
//	package main
//
//	import (
//		"fmt"
//
//		"github.com/tabula-chess/tabula/eval"
//	)
//
//	func main() {
//		fmt.Println(eval.Score(35), eval.Mate-5)
//		// Output: +0.35 #3
//	}
//
// # Stability
//
// In versions 0.x an exported name changes with a minor version at most, and
// CHANGELOG.md names it. Scores stay in centipawns of the side to move.
package eval
