//go:build !windows

package machine

// DotProd reports whether this is an arm64 processor with FEAT_DotProd.
func DotProd() bool { return has("ASIMDDP") }
