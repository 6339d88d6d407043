package main

import (
	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/gen/magic"
	"github.com/tabula-chess/tabula/gen/source"
	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/tables/index"
)

// magics emits the magic numbers, and in a file of their own the slider attacks they index.
func magics() ([][]byte, error) {
	f, table := source.NewFile(source.Gen, "tables"), source.NewFile(source.Gen, "tables")
	table.HeaderComment("//go:build !wasm")
	set := magic.SearchAll()
	attacks := make([]uint64, index.SliderEntries)
	var rows []jen.Code
	for _, piece := range []struct {
		name   string
		bishop bool
		magics [64]index.Magic
	}{{"bishop", true, set.Bishop}, {"rook", false, set.Rook}} {
		var entries []jen.Code
		for sq, m := range piece.magics {
			size := uint32(1) << (64 - m.Shift)
			for occ := range geom.Subsets(m.Mask) {
				attacks[m.Index(occ)] = geom.Slider(piece.bishop, sq, occ)
			}
			entries = append(entries, source.Literal(m))
			rows = append(rows, source.Words(piece.name+" "+squareName(sq), 4, attacks[m.Offset:m.Offset+size]))
		}
		source.Array(f, piece.name+"Magic",
			piece.name+"Magic holds where sliders has the attacks of a "+piece.name+", by its square.",
			[]int{64}, jen.Qual(source.Index, "Magic"), entries...)
	}
	source.Array(table, "sliders",
		"sliders holds all attack sets of bishops and rooks, by index.Magic.Index. Indices that no\n"+
			"occupancy leads to hold 0.", []int{index.SliderEntries}, jen.Uint64(), rows...)
	first, err := source.Render(f)
	if err != nil {
		return nil, err
	}
	second, err := source.Render(table)
	return [][]byte{first, second}, err
}
