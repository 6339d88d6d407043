// Package tables holds the data that hot code looks things up in. All of it is
// generated: `go run ./gen` writes the z files, from the definitions in
// internal/geom and from seeds in gen; tables/index holds the formulas by which it
// is laid out and read.
//
// Squares are 0 to 63 with a1 = 0, h1 = 7, a8 = 56, h8 = 63; sets of squares are
// uint64 with bit i for square i; colours are 0 for White and 1 for Black.
//
//	knight, king      [64]uint64       1 KiB
//	pawn              [2][64]uint64    1 KiB    colour, square
//	cuckooKey         [8192]uint64     64 KiB   index.Cuckoo, for [Reversal]
//	cuckooMove        [8192]uint16     16 KiB   likewise
//	ray               [8][64]uint64    4 KiB    direction (geom.North …), square
//	between, line     [64][64]uint64   64 KiB   two squares
//	zobristPiece      [16][64]uint64   8 KiB    piece = 2·type + colour, square
//	zobristCastling   [16]uint64       128 B    set of rights
//	zobristEnPassant  [8]uint64        64 B     file
//	bishop-, rookMagic  [64]index.Magic 3 KiB
//	sliders           [107648]uint64   841 KiB  index.Magic.Index
//	pextSets          [107648]uint64   841 KiB  index.Pext.Index
//	rows              [64]index.Row     4 KiB   square
//
// What a program does not use, the linker leaves out.
//
// The accessors are small enough to be inlined and check no bounds: an argument
// out of range is reduced to its low bits. Nothing here is ever written. The
// pointers returned by Sliders, PextSets, Rows and the like exist for assembly and
// for hot loops and are to be read only.
//
// The package has no initialisation but as WebAssembly, see sliders_wasm.go: its data is part of the program's image.
package tables
