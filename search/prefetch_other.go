//go:build !amd64

package search

// prefetch does nothing where there is no instruction for it at hand.
func prefetch(uintptr) {}
