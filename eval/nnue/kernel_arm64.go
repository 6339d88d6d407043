package nnue

var (
	wideNEON   = rows[int16]{addSubNEON, addSubSubNEON, addAddSubSubNEON, applyNEON}
	narrowNEON = rows[int8]{addSubNarrowNEON, addSubSubNarrowNEON, addAddSubSubNarrowNEON, applyNarrowNEON}
)

var kernels = [...]*kernel{
	Go:      &plain,
	NEON:    {wideNEON, narrowNEON, dotNEON, layersNEON},
	DotProd: {wideNEON, narrowNEON, dotNEON, layersDotProd},
}

// hostSIMD reports that the program is no WebAssembly.
func hostSIMD(Path) bool { return false }
