package nnue

var kernels = [...]*kernel{
	Go:     &plain,
	AVX2:   {addSubAVX2, addSubSubAVX2, addAddSubSubAVX2, applyAVX2, layersAVX2},
	AVX512: {addSubAVX512, addSubSubAVX512, addAddSubSubAVX512, applyAVX512, layersAVX512},
}

// hostSIMD reports that the program is no WebAssembly.
func hostSIMD(Path) bool { return false }
