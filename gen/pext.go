package main

import (
	"fmt"
	"math/bits"

	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/tables/index"
)

// pext emits the slider attacks in the order of parallel bit extract.
func pext() ([]byte, error) {
	f := newTables()
	var sets []jen.Code
	offset := uint32(0)
	for _, piece := range []struct {
		name   string
		bishop bool
	}{{"bishop", true}, {"rook", false}} {
		var entries []jen.Code
		for sq := range 64 {
			p := index.Pext{
				Mask:   geom.Relevant(piece.bishop, sq),
				Rays:   geom.Slider(piece.bishop, sq, 0),
				Offset: offset,
			}
			size := uint32(1) << bits.OnesCount64(p.Mask)
			whole := make([]uint64, size)
			for occ := range geom.Subsets(p.Mask) {
				whole[p.Index(occ)-offset] = geom.Slider(piece.bishop, sq, occ)
			}
			sets = append(sets, words(piece.name+" "+squareName(sq), 4, whole)...)
			entries = append(entries, literal(
				field{"Mask", jen.Op(hex(p.Mask))}, field{"Rays", jen.Op(hex(p.Rays))}, field{"Offset", jen.Lit(int(p.Offset))}))
			offset += size
		}
		array(f, piece.name+"Pext", fmt.Sprintf("%sPext holds where the attacks of a %[1]s lie in pextSets, by its square.", piece.name),
			[]int{64}, jen.Qual(indexPath, "Pext"), entries)
	}
	array(f, "pextSets", "pextSets holds all attack sets of bishops and rooks, by index.Pext.Index.",
		[]int{index.SliderEntries}, jen.Uint64(), sets)
	return render(f)
}
