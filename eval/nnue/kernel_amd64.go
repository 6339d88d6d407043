package nnue

var kernels = [...]*kernel{
	Go:     &plain,
	AVX2:   {addSubAVX2, addSubSubAVX2, addAddSubSubAVX2, applyAVX2, dotAVX2},
	AVX512: {addSubAVX512, addSubSubAVX512, addAddSubSubAVX512, applyAVX512, dotAVX512},
}

// hostSIMD reports that the program is no WebAssembly.
func hostSIMD() bool { return false }
