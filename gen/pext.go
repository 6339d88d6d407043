package main

import (
	"fmt"
	"math/bits"

	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/internal/geom"
)

// pext emits the slider attacks in the order of parallel bit extract, as whole
// sets and as 16-bit compressed ones.
func pext() ([]byte, error) {
	f := newTables()
	var sets, compressed []jen.Code
	offset := uint32(0)
	for _, piece := range []struct {
		name   string
		bishop bool
	}{{"bishop", true}, {"rook", false}} {
		var entries []jen.Code
		for sq := range 64 {
			p := geom.Pext{
				Mask:   geom.Relevant(piece.bishop, sq),
				Rays:   geom.Slider(piece.bishop, sq, 0),
				Offset: offset,
			}
			size := uint32(1) << bits.OnesCount64(p.Mask)
			whole, short := make([]uint64, size), make([]uint16, size)
			for occ := range geom.Subsets(p.Mask) {
				attacks := geom.Slider(piece.bishop, sq, occ)
				whole[p.Index(occ)-offset] = attacks
				short[p.Index(occ)-offset] = p.Compress(attacks)
			}
			name := piece.name + " " + squareName(sq)
			sets = append(sets, words(name, 4, whole)...)
			compressed = append(compressed, words(name, 8, short)...)
			entries = append(entries, jen.Id(fmt.Sprintf("{Mask: 0x%016x, Rays: 0x%016x, Offset: %d}", p.Mask, p.Rays, p.Offset)))
			offset += size
		}
		array(f, piece.name+"Pext", fmt.Sprintf("%sPext holds where the attacks of a %[1]s lie in pextSets and pextCompressed, by its square.", piece.name),
			[]int{64}, jen.Qual(geomPath, "Pext"), entries)
	}
	array(f, "pextSets", "pextSets holds all attack sets of bishops and rooks, by geom.Pext.Index.",
		[]int{geom.SliderEntries}, jen.Uint64(), sets)
	array(f, "pextCompressed", "pextCompressed holds the same sets as pextSets, compressed by geom.Pext.Compress.",
		[]int{geom.SliderEntries}, jen.Uint16(), compressed)
	return render(f)
}
