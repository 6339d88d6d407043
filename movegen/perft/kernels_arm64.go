package perft

import "github.com/tabula-chess/tabula/movegen"

// kernelOf returns the kernel of a path, nil for one that counts in plain Go.
func kernelOf(path movegen.Path) func(*countingNode) {
	if path == movegen.NEON {
		return leavesNEON
	}
	return nil
}
