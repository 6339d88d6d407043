//go:build !amd64

package search

// haveVectors reports that there are no vector kernels.
func haveVectors() bool { return false }

// largestAVX2 is never called.
func largestAVX2(*int32, int) int32 { return 0 }
