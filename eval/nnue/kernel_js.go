//go:build js && tabula_simd

package nnue

import "unsafe"

// The kernels of a WebAssembly host: gen/kernel writes them as a module of
// their own, since Go's compiler knows no vectors there, and the host gives it
// the memory of the program (web/engine). A host answers simd with 0 if it has no
// vectors, 1 if it has, and 2 if it has relaxed ones; what it lacks is never called.

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
func simdApply(acc unsafe.Pointer, bytes int32, table, adds unsafe.Pointer, nAdds int32, subs unsafe.Pointer,
	nSubs int32)

//go:wasmimport kernels layers
//go:noescape
func simdLayers(us, them, x, first, rest unsafe.Pointer, bytes int32) int32

//go:wasmimport kernels layersRelaxed
//go:noescape
func simdLayersRelaxed(us, them, x, first, rest unsafe.Pointer, bytes int32) int32

var kernels = [...]*kernel{
	Go:          &plain,
	SIMD128:     {addSubSIMD, addSubSubSIMD, addAddSubSubSIMD, applySIMD, layersSIMD},
	RelaxedSIMD: {addSubSIMD, addSubSubSIMD, addAddSubSubSIMD, applySIMD, layersRelaxedSIMD},
}

// hostSIMD reports whether the host has the vectors of p.
func hostSIMD(p Path) bool { return simd() >= 1 && (p == SIMD128 || simd() >= 2 && exact()) }

// exact reports whether relaxed vectors give the results of plain Go for products and
// weights at their limits. Hosts have no choice there, so that only a faulty one does not.
func exact() bool {
	acc, x, blocks := aligned(WidthStep), alignedBytes[uint8](WidthStep), alignedBytes[int8](WidthStep*Hidden1)
	for i := range 4 { // a block of products of 127
		acc[i], acc[WidthStep/2+i] = QA, QA
	}
	rest := &tail{skips: [Hidden1]int16{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}
	for _, w := range []int8{-128, 127} {
		for i := range blocks {
			blocks[i] = w
		}
		if layersRelaxedSIMD(acc, acc, x, blocks, rest) != layers(acc, acc, x, blocks, rest) {
			return false
		}
	}
	return true
}

// first returns the address of the first element; of an empty slice, of
// nothing that may be read.
func first[T int8 | uint8 | int16 | uint32](s []T) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(s))
}

// The routines are written out: closures over what the host offers would cost four nodes
// in a hundred.

func addSubSIMD(dst, src []int16, add, sub []int8) {
	simdAddSub(first(dst), first(src), first(add), first(sub), int32(2*len(dst)))
}

func addSubSubSIMD(dst, src []int16, add, sub1, sub2 []int8) {
	simdAddSubSub(first(dst), first(src), first(add), first(sub1), first(sub2), int32(2*len(dst)))
}

func addAddSubSubSIMD(dst, src []int16, add1, add2, sub1, sub2 []int8) {
	simdAddAddSubSub(first(dst), first(src), first(add1), first(add2), first(sub1), first(sub2), int32(2*len(dst)))
}

func applySIMD(acc []int16, table []int8, adds, subs []uint32) {
	simdApply(first(acc), int32(2*len(acc)), first(table), first(adds), int32(len(adds)), first(subs), int32(len(subs)))
}

func layersSIMD(us, them []int16, x []uint8, blocks []int8, rest *tail) int32 {
	return simdLayers(first(us), first(them), first(x), first(blocks), unsafe.Pointer(rest), int32(2*len(us)))
}

func layersRelaxedSIMD(us, them []int16, x []uint8, blocks []int8, rest *tail) int32 {
	return simdLayersRelaxed(first(us), first(them), first(x), first(blocks), unsafe.Pointer(rest), int32(2*len(us)))
}
