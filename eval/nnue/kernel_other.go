//go:build !amd64 && !arm64 && !(js && tabula_simd)

package nnue

var kernels = [...]*kernel{Go: &plain}

// hostSIMD reports that no module of kernels stands beside the program.
func hostSIMD(Path) bool { return false }
