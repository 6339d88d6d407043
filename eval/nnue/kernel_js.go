//go:build js && tabula_simd

package nnue

import "unsafe"

// The kernels of a WebAssembly host: gen/kernel writes them as a module of
// their own, since Go's compiler knows no vectors there, and the host gives it
// the memory of the program (web/engine). A host without vectors answers simd
// with 0 and may leave the others out.

//go:wasmimport kernels simd
func simd() int32

//go:wasmimport kernels addSub
//go:noescape
func simdAddSub(dst, src, add, sub unsafe.Pointer, bytes int32)

//go:wasmimport kernels addSubSub
//go:noescape
func simdAddSubSub(dst, src, add, sub1, sub2 unsafe.Pointer, bytes int32)

//go:wasmimport kernels addAddSubSub
//go:noescape
func simdAddAddSubSub(dst, src, add1, add2, sub1, sub2 unsafe.Pointer, bytes int32)

//go:wasmimport kernels apply
//go:noescape
func simdApply(acc unsafe.Pointer, bytes int32, table, adds unsafe.Pointer, nAdds int32, subs unsafe.Pointer, nSubs int32)

//go:wasmimport kernels addSubNarrow
//go:noescape
func simdAddSubNarrow(dst, src, add, sub unsafe.Pointer, bytes int32)

//go:wasmimport kernels addSubSubNarrow
//go:noescape
func simdAddSubSubNarrow(dst, src, add, sub1, sub2 unsafe.Pointer, bytes int32)

//go:wasmimport kernels addAddSubSubNarrow
//go:noescape
func simdAddAddSubSubNarrow(dst, src, add1, add2, sub1, sub2 unsafe.Pointer, bytes int32)

//go:wasmimport kernels applyNarrow
//go:noescape
func simdApplyNarrow(acc unsafe.Pointer, bytes int32, table, adds unsafe.Pointer, nAdds int32, subs unsafe.Pointer, nSubs int32)

//go:wasmimport kernels dot
//go:noescape
func simdDot(us, them, weights unsafe.Pointer, bytes int32) int32

//go:wasmimport kernels layers
//go:noescape
func simdLayers(us, them, x, first, rest unsafe.Pointer, bytes int32) int32

var kernels = [...]*kernel{
	Go: &plain,
	SIMD128: {
		rowsSIMD[int16](simdAddSub, simdAddSubSub, simdAddAddSubSub, simdApply),
		rowsSIMD[int8](simdAddSubNarrow, simdAddSubSubNarrow, simdAddAddSubSubNarrow, simdApplyNarrow),
		dotSIMD, layersSIMD,
	},
}

// hostSIMD reports whether the host has vectors.
func hostSIMD() bool { return simd() != 0 }

// first returns the address of the first element; of an empty slice, of
// nothing that may be read.
func first[T int8 | uint8 | int16 | uint32](s []T) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(s))
}

// rowsSIMD returns the routines of one form of the rows.
func rowsSIMD[T weight](
	addSub func(dst, src, add, sub unsafe.Pointer, bytes int32),
	addSubSub func(dst, src, add, sub1, sub2 unsafe.Pointer, bytes int32),
	addAddSubSub func(dst, src, add1, add2, sub1, sub2 unsafe.Pointer, bytes int32),
	apply func(acc unsafe.Pointer, bytes int32, table, adds unsafe.Pointer, nAdds int32, subs unsafe.Pointer, nSubs int32),
) rows[T] {
	return rows[T]{
		func(dst, src []int16, add, sub []T) {
			addSub(first(dst), first(src), first(add), first(sub), int32(2*len(dst)))
		},
		func(dst, src []int16, add, sub1, sub2 []T) {
			addSubSub(first(dst), first(src), first(add), first(sub1), first(sub2), int32(2*len(dst)))
		},
		func(dst, src []int16, add1, add2, sub1, sub2 []T) {
			addAddSubSub(first(dst), first(src), first(add1), first(add2), first(sub1), first(sub2), int32(2*len(dst)))
		},
		func(acc []int16, table []T, adds, subs []uint32) {
			apply(first(acc), int32(2*len(acc)), first(table), first(adds), int32(len(adds)), first(subs), int32(len(subs)))
		},
	}
}

func dotSIMD(us, them, weights []int16) int32 {
	return simdDot(first(us), first(them), first(weights), int32(2*len(us)))
}

func layersSIMD(us, them []int16, x []uint8, blocks []int8, rest *tail) int32 {
	return simdLayers(first(us), first(them), first(x), first(blocks), unsafe.Pointer(rest), int32(2*len(us)))
}
