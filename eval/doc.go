// Package eval defines what an evaluation is measured in. The evaluation
// itself is the network of package nnue below it.
//
// Scores stay in centipawns of the side to move.
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
package eval
