package main

import (
	"math/bits"

	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/gen/source"
	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/tables/index"
)

// pext emits the slider attacks in the order of parallel bit extract, and what
// finds them with what else kernels look up, by square.
func pext() ([]byte, error) {
	f := source.NewFile(source.Gen, "tables")
	var rows [64]index.Row
	sets, end := extracted("bishop", true, 0, func(sq int, p index.Pext) {
		rows[sq].BishopMask, rows[sq].BishopRays, rows[sq].BishopAt = p.Mask, p.Rays, p.Offset
	})
	more, _ := extracted("rook", false, end, func(sq int, p index.Pext) {
		rows[sq].RookMask, rows[sq].RookRays, rows[sq].RookAt = p.Mask, p.Rays, p.Offset
	})
	var entries []jen.Code
	for sq, r := range rows {
		r.Knight, r.King, r.Pawn = geom.Knight(sq), geom.King(sq), geom.Pawn(0, sq)
		entries = append(entries, source.Literal(r))
	}
	source.Array(f, "rows", "rows holds what kernels look up, by square.",
		[]int{64}, jen.Qual(source.Index, "Row"), entries...)
	source.Array(f, "pextSets", "pextSets holds all attack sets of bishops and rooks, by index.Pext.Index.",
		[]int{index.SliderEntries}, jen.Uint64(), append(sets, more...)...)
	return source.Render(f)
}

// extracted returns the attack sets of a slider on all squares, which start at
// offset in the table, and where they end; each is told where a square's are.
func extracted(name string, bishop bool, offset uint32, each func(sq int, p index.Pext)) (sets []jen.Code, end uint32) {
	for sq := range 64 {
		p := index.Pext{Mask: geom.Relevant(bishop, sq), Rays: geom.Slider(bishop, sq, 0), Offset: offset}
		each(sq, p)
		whole := make([]uint64, 1<<bits.OnesCount64(p.Mask))
		for occ := range geom.Subsets(p.Mask) {
			whole[p.Index(occ)-offset] = geom.Slider(bishop, sq, occ)
		}
		sets = append(sets, source.Words(name+" "+squareName(sq), 4, whole))
		offset += uint32(len(whole))
	}
	return sets, offset
}
