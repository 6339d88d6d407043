package machine

import "syscall"

// dotProdPresent is PF_ARM_V82_DP_INSTRUCTIONS_AVAILABLE of the Windows API.
const dotProdPresent = 43

// DotProd reports whether this is an arm64 processor with FEAT_DotProd.
func DotProd() bool {
	present, _, _ := syscall.NewLazyDLL("kernel32.dll").NewProc("IsProcessorFeaturePresent").Call(dotProdPresent)
	return present != 0
}
