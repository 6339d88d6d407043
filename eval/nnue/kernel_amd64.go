package nnue

var kernels = [...]*kernel{
	Go: &plain,
	AVX2: {addSubAVX2, addSubSubAVX2, addAddSubSubAVX2, applyAVX2, dotAVX2,
		func(us, them []int16, x []uint8, s *stack) int32 {
			return layersAVX2(us, them, x, s.blocks, &s.rest)
		}},
	AVX512: {addSubAVX512, addSubSubAVX512, addAddSubSubAVX512, applyAVX512, dotAVX512,
		func(us, them []int16, _ []uint8, s *stack) int32 {
			return layersAVX512(us, them, s.lanes, &s.rest)
		}},
}

// hostSIMD reports that the program is no WebAssembly.
func hostSIMD() bool { return false }
