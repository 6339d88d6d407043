//go:build !amd64

package gather

// Pext returns the bits of word that mask selects, moved together at the low end.
func Pext(word, mask uint64) uint64 { return Loop(word, mask) }
