package tables

import (
	"github.com/tabula-chess/tabula/internal/geom"
)

// BishopMagic returns where Slider has the attacks of a bishop on sq.
func BishopMagic(sq uint8) geom.Magic { return bishopMagic[sq&63] }

// RookMagic returns where Slider has the attacks of a rook on sq.
func RookMagic(sq uint8) geom.Magic { return rookMagic[sq&63] }

// Slider returns an attack set by its geom.Magic.Index.
func Slider(index uint32) uint64 { return sliders[index] }

// Sliders returns all attack sets in the order of geom.Magic.Index, read only.
func Sliders() *[geom.SliderEntries]uint64 { return &sliders }

// BishopPext returns where the PEXT tables have the attacks of a bishop, by its
// square, read only.
func BishopPext() *[64]geom.Pext { return &bishopPext }

// RookPext returns where the PEXT tables have the attacks of a rook, by its
// square, read only.
func RookPext() *[64]geom.Pext { return &rookPext }

// PextSets returns all attack sets in the order of geom.Pext.Index, read only.
func PextSets() *[geom.SliderEntries]uint64 { return &pextSets }

// PextCompressed returns all attack sets in the order of geom.Pext.Index,
// compressed to 16 bits by geom.Pext.Compress, read only.
func PextCompressed() *[geom.SliderEntries]uint16 { return &pextCompressed }
