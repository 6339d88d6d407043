package nnue

var kernels = [...]*kernel{
	Go:      &plain,
	NEON:    {addSubNEON, addSubSubNEON, addAddSubSubNEON, applyNEON, layersNEON},
	DotProd: {addSubNEON, addSubSubNEON, addAddSubSubNEON, applyNEON, layersDotProd},
}

// hostSIMD reports that the program is no WebAssembly.
func hostSIMD(Path) bool { return false }
