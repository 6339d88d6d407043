package nnue

var kernels = [...]*kernel{
	Go: &plain,
	AVX2: {
		rows[int16]{addSubAVX2, addSubSubAVX2, addAddSubSubAVX2, applyAVX2},
		rows[int8]{addSubNarrowAVX2, addSubSubNarrowAVX2, addAddSubSubNarrowAVX2, applyNarrowAVX2},
		dotAVX2,
		func(us, them []int16, x []uint8, s *stack) int32 {
			return layersAVX2(us, them, x, s.blocks, &s.rest)
		},
	},
	AVX512: {
		rows[int16]{addSubAVX512, addSubSubAVX512, addAddSubSubAVX512, applyAVX512},
		rows[int8]{addSubNarrowAVX512, addSubSubNarrowAVX512, addAddSubSubNarrowAVX512, applyNarrowAVX512},
		dotAVX512,
		func(us, them []int16, x []uint8, s *stack) int32 {
			return layersAVX512(us, them, x, s.blocks, &s.rest)
		},
	},
}

// hostSIMD reports that the program is no WebAssembly.
func hostSIMD() bool { return false }
