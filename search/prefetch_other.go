//go:build !amd64

package search

// prefetch does nothing where there is no instruction for it at hand.
func prefetch(uintptr) {}

// prefetchFour and prefetchRows do nothing either.
func prefetchFour(_, _, _, _ uintptr) {}
func prefetchRows(_, _ uintptr)       {}
