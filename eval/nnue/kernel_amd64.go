package nnue

var kernels = [...]*kernel{
	Go: &plain,
	AVX2: {
		rows[int16]{addSubAVX2, addSubSubAVX2, addAddSubSubAVX2, applyAVX2},
		rows[int8]{addSubNarrowAVX2, addSubSubNarrowAVX2, addAddSubSubNarrowAVX2, applyNarrowAVX2},
		dotAVX2, layersAVX2,
	},
	AVX512: {
		rows[int16]{addSubAVX512, addSubSubAVX512, addAddSubSubAVX512, applyAVX512},
		rows[int8]{addSubNarrowAVX512, addSubSubNarrowAVX512, addAddSubSubNarrowAVX512, applyNarrowAVX512},
		dotAVX512, layersAVX512,
	},
}

// hostSIMD reports that the program is no WebAssembly.
func hostSIMD(Path) bool { return false }
