//go:build !tabula_tune

package uci

// tunables returns no options: the numbers of the search are fixed.
func tunables() []Option { return nil }
