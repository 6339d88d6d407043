// Package nnue evaluates positions by an efficiently updatable neural network:
// 768 inputs, mirrored → width × 2 perspectives → products of pairs of neurons → 16
// → 32 → 1, with the layers behind the first once for each material bucket, and the
// inputs once for each king bucket if there are any. Everything is integer.
//
// A [Network] is read from a file ([Load], [Read]) that names its shape, its
// hash and where it came from; a file that is damaged, or whose weights could
// overflow, is refused. An [Evaluator] evaluates: it keeps accumulators by ply
// and brings them up to date from the history of the position when it is asked,
// never before.
//
// The vector work is in kernels: adding and taking off the rows of the first
// layer, and what follows it. Plain Go is the specification. gen/kernel writes the
// others: assembly for AVX2 and AVX-512, for NEON on arm64 with and without dot
// products, and functions for WebAssembly hosts with vectors. All give the same bits. The processor or host decides
// once ([Select]), TABULA_EVAL overrides. [Network.PieceValues] tells what each piece is worth.
//
// The package starts no goroutines.
//
// Sources: CPW "NNUE", "Stockfish NNUE"; Yu Nasu, "Efficiently Updatable
// Neural-Network-based Evaluation Functions for Computer Shogi", 2018.
//
// The values of the embedded network change with each new network, and the format of its file may.
//
// # Example
//
//	package main
//
//	import (
//		"fmt"
//
//		"github.com/tabula-chess/tabula/chess"
//		"github.com/tabula-chess/tabula/eval/nnue"
//	)
//
//	func main() {
//		p, err := chess.ParseFEN("4k3/pppppppp/8/8/8/8/PPPPPPPP/3QK3 w - - 0 1")
//		if err != nil {
//			panic(err)
//		}
//		fmt.Println(nnue.NewEvaluator(nnue.Embedded()).Evaluate(p) > 300) // a queen ahead
//		// Output: true
//	}
package nnue
