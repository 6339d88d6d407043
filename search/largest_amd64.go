package search

import "github.com/tabula-chess/tabula/eval/nnue"

// haveVectors reports whether workers use the vector kernels of this package:
// where the evaluation uses its own.
func haveVectors() bool { return nnue.Default() >= nnue.AVX2 }
