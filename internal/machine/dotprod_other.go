//go:build !windows

package machine

import "github.com/klauspost/cpuid/v2"

// DotProd reports whether this is an arm64 processor with FEAT_DotProd.
func DotProd() bool { return cpuid.CPU.Has(cpuid.ASIMDDP) }
