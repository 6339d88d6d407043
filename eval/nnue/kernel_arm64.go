package nnue

var kernels = [...]*kernel{
	Go:      &plain,
	NEON:    {addSubNEON, addSubSubNEON, addAddSubSubNEON, applyNEON, layersNEON},
	DotProd: {addSubNEON, addSubSubNEON, addAddSubSubNEON, applyNEON, layersDotProd},
}

// hostSIMD reports whether the host of WebAssembly has the vectors of a path: there is none here.
func hostSIMD(Path) bool { return false }
