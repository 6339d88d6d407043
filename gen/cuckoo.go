package main

import (
	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/gen/source"
	"github.com/tabula-chess/tabula/tables/index"
)

// cuckoo emits the table of index.CuckooTable, which the program for browsers fills at start.
func cuckoo() ([]byte, error) {
	z := drawZobrist()
	keys, moves, err := index.CuckooTable(func(piece, sq int) uint64 { return z.pieces[piece][sq] }, z.side)
	if err != nil {
		return nil, err
	}
	f := source.NewFile(source.Gen, "tables")
	f.HeaderComment("//go:build !wasm")
	source.Array(f, "cuckooKey", "cuckooKey holds the key of the move in each slot, 0 for an empty one.",
		[]int{index.CuckooSlots}, jen.Uint64(), source.Words("", 4, keys[:]))
	source.Array(f, "cuckooMove", "cuckooMove holds the squares of the move in each slot: the lower one in the low\n"+
		"six bits, the other above.",
		[]int{index.CuckooSlots}, jen.Uint16(), source.Words("", 8, moves[:]))
	return source.Render(f)
}
