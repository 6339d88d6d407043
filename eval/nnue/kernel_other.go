//go:build !amd64 && !arm64 && !(js && tabula_simd)

package nnue

var kernels = [...]*kernel{Go: &plain}

// hostSIMD reports whether the host of WebAssembly has the vectors of a path: there are no kernels for it here.
func hostSIMD(Path) bool { return false }
