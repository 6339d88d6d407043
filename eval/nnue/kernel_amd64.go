package nnue

var kernels = [...]*kernel{
	Go:     &plain,
	AVX2:   {addSubAVX2, addSubSubAVX2, addAddSubSubAVX2, applyAVX2, layersAVX2},
	AVX512: {addSubAVX512, addSubSubAVX512, addAddSubSubAVX512, applyAVX512, layersAVX512},
}

// hostSIMD reports whether the host of WebAssembly has the vectors of a path: there is none here.
func hostSIMD(Path) bool { return false }
