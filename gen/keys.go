package main

import (
	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/gen/source"
	"github.com/tabula-chess/tabula/internal/geom"
)

// zobristSeed is the seed of the keys: "Tabula" in ASCII.
const zobristSeed = 0x546162756c61

// zobristKeys are the random keys that positions are hashed with.
type zobristKeys struct {
	pieces    [12][]uint64 // by 2·type + colour and square
	rights    []uint64     // one for each castling right
	enPassant []uint64     // by file
	side      uint64
}

// drawZobrist draws the keys.
func drawZobrist() *zobristKeys {
	random := geom.NewRandom(zobristSeed)
	keys := func(n int) []uint64 {
		k := make([]uint64, n)
		for i := range k {
			k[i] = random.Next()
		}
		return k
	}
	var z zobristKeys
	for piece := range z.pieces {
		z.pieces[piece] = keys(64)
	}
	z.rights, z.enPassant, z.side = keys(4), keys(8), keys(1)[0]
	return &z
}

// zobrist emits the random keys that positions are hashed with. Source: CPW
// "Zobrist Hashing".
func zobrist() ([]byte, error) {
	f := source.NewFile(source.Gen, "tables")
	z := drawZobrist()
	var pieces []jen.Code
	for i, name := range []string{"pawn", "knight", "bishop", "rook", "queen", "king"} {
		for j, color := range []string{"white ", "black "} {
			pieces = append(pieces, source.Block(color+name, source.Words("", 4, z.pieces[2*i+j])))
		}
	}
	source.Array(f, "zobristPiece", "zobristPiece holds the key of each piece on each square. Rows 12 to 15 are zero,\n"+
		"so that the absence of a piece has the key 0.",
		[]int{16, 64}, jen.Uint64(), pieces...)

	// The key of a set of rights is the exclusive or of its rights' keys.
	rights := make([]uint64, 16)
	for set := range rights {
		for i, key := range z.rights {
			if set>>i&1 != 0 {
				rights[set] ^= key
			}
		}
	}
	source.Array(f, "zobristCastling", "zobristCastling holds the key of each set of castling rights.",
		[]int{16}, jen.Uint64(), source.Words("", 4, rights))
	source.Array(f, "zobristEnPassant", "zobristEnPassant holds the key of an en-passant capture on each file.",
		[]int{8}, jen.Uint64(), source.Words("", 4, z.enPassant))
	f.Comment("zobristSide is the key of Black being to move.")
	f.Const().Id("zobristSide").Uint64().Op("=").Add(source.Words("", 1, []uint64{z.side}))
	return source.Render(f)
}
