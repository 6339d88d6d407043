package main

import (
	"fmt"

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
	f := newSource("tables", "", false)
	z := drawZobrist()
	var pieces []string
	for i, name := range []string{"pawn", "knight", "bishop", "rook", "queen", "king"} {
		for j, color := range []string{"white ", "black "} {
			pieces = append(pieces, block(color+name, words("", 4, z.pieces[2*i+j])))
		}
	}
	f.array("zobristPiece", "zobristPiece holds the key of each piece on each square. Rows 12 to 15 are zero,\n"+
		"so that the absence of a piece has the key 0.",
		[]int{16, 64}, "uint64", pieces)

	// The key of a set of rights is the exclusive or of its rights' keys.
	rights := make([]uint64, 16)
	for set := range rights {
		for i, key := range z.rights {
			if set>>i&1 != 0 {
				rights[set] ^= key
			}
		}
	}
	f.array("zobristCastling", "zobristCastling holds the key of each set of castling rights.",
		[]int{16}, "uint64", words("", 4, rights))
	f.array("zobristEnPassant", "zobristEnPassant holds the key of an en-passant capture on each file.",
		[]int{8}, "uint64", words("", 4, z.enPassant))
	fmt.Fprintf(f, "// zobristSide is the key of Black being to move.\nconst zobristSide uint64 = %s\n", hex(z.side))
	return f.bytes()
}
