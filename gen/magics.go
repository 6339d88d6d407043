package main

import (
	"bytes"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/gen/magic"
	"github.com/tabula-chess/tabula/gen/source"
	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/tables/index"
)

// magics emits the magic numbers, in a file of their own the slider attacks they index, and the numbers for the page.
func magics() ([][]byte, error) {
	f, table, page := source.NewFile(source.Gen, "tables"), source.NewFile(source.Gen, "tables"), new(bytes.Buffer)
	page.WriteString(source.Header(source.Gen) + "\n" +
		"// The magics of bishops and rooks by square, as package tables has them: the mask, the factor, where the entries\n" +
		"// of the square begin in the table of all attack sets, and 64 less the number of squares in the mask.\n\n" +
		"export interface Magic {\n\tmask: bigint;\n\tfactor: bigint;\n\toffset: number;\n\tshift: number;\n}\n\n" +
		"const magic = (mask: bigint, factor: bigint, offset: number, shift: number): Magic =>" +
		" ({ mask, factor, offset, shift });\n\n" +
		"export const magics: Record<\"bishop\" | \"rook\", Magic[]> = {\n")
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
		fmt.Fprintf(page, "\t%s: [\n", piece.name)
		for sq, m := range piece.magics {
			size := uint32(1) << (64 - m.Shift)
			for occ := range geom.Subsets(m.Mask) {
				attacks[m.Index(occ)] = geom.Slider(piece.bishop, sq, occ)
			}
			entries = append(entries, source.Literal(m))
			fmt.Fprintf(page, "\t\tmagic(%#xn, %#xn, %d, %d),\n", m.Mask, m.Factor, m.Offset, m.Shift)
			rows = append(rows, source.Words(piece.name+" "+squareName(sq), 4, attacks[m.Offset:m.Offset+size]))
		}
		source.Array(f, piece.name+"Magic",
			piece.name+"Magic holds where sliders has the attacks of a "+piece.name+", by its square.",
			[]int{64}, jen.Qual(source.Index, "Magic"), entries...)
		page.WriteString("\t],\n")
	}
	source.Array(table, "sliders",
		"sliders holds all attack sets of bishops and rooks, by index.Magic.Index. Indices that no\n"+
			"occupancy leads to hold 0.", []int{index.SliderEntries}, jen.Uint64(), rows...)
	first, err := source.Render(f)
	if err != nil {
		return nil, err
	}
	page.WriteString("};\n")
	second, err := source.Render(table)
	return [][]byte{first, second, page.Bytes()}, err
}
