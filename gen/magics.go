package main

import (
	"fmt"

	"github.com/tabula-chess/tabula/gen/magic"
	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/tables/index"
)

// magics emits the magic numbers, and in a file of their own the slider attacks they index.
func magics() ([][]byte, error) {
	f, table := newSource("tables", "", true), newSource("tables", "!wasm", false)
	set := magic.SearchAll()
	attacks := make([]uint64, index.SliderEntries)
	var rows []string
	for _, piece := range []struct {
		name   string
		bishop bool
		magics [64]index.Magic
	}{{"bishop", true, set.Bishop}, {"rook", false, set.Rook}} {
		var entries []string
		for sq, m := range piece.magics {
			size := uint32(1) << (64 - m.Shift)
			for occ := range geom.Subsets(m.Mask) {
				attacks[m.Index(occ)] = geom.Slider(piece.bishop, sq, occ)
			}
			entries = append(entries, fmt.Sprintf("%#v,\n", m))
			rows = append(rows, words(piece.name+" "+squareName(sq), 4, attacks[m.Offset:m.Offset+size])...)
		}
		f.array(piece.name+"Magic", fmt.Sprintf("%sMagic holds where sliders has the attacks of a %[1]s, by its square.",
			piece.name),
			[]int{64}, "index.Magic", entries)
	}
	table.array("sliders", "sliders holds all attack sets of bishops and rooks, by index.Magic.Index. Indices that no\n"+
		"occupancy leads to hold 0.", []int{index.SliderEntries}, "uint64", rows)
	first, err := f.bytes()
	if err != nil {
		return nil, err
	}
	second, err := table.bytes()
	return [][]byte{first, second}, err
}
