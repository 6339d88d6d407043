package tables

import (
	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/tables/index"
)

// sliders is the array of zsliders.go. A browser downloads the program, so the array is not in it
// but is filled at start, which takes less than 20 ms.
var sliders [index.SliderEntries]uint64

func init() {
	for sq := range 64 {
		fill(true, sq, bishopMagic[sq])
		fill(false, sq, rookMagic[sq])
	}
}

// fill writes the attack sets of a slider on a square.
func fill(bishop bool, sq int, m index.Magic) {
	for occ := range geom.Subsets(m.Mask) {
		sliders[m.Index(occ)] = geom.Slider(bishop, sq, occ)
	}
}
