package perft

import "github.com/tabula-chess/tabula/movegen"

// kernelOf returns the kernel of a path, nil for one that counts in plain Go.
func kernelOf(path movegen.Path) func(*countingNode) {
	switch path {
	case movegen.AVX2:
		return leavesAVX2
	case movegen.AVX512:
		return leavesAVX512
	}
	return nil
}
