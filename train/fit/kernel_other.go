//go:build !amd64

package fit

import "github.com/tabula-chess/tabula/eval/nnue"

var kernels = [...]*kernel{nnue.Go: &plain}
