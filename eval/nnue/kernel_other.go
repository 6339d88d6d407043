//go:build !amd64

package nnue

var kernels = [...]*kernel{Go: &plain}
