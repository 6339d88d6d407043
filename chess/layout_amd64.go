package chess

import (
	"unsafe"

	"github.com/tabula-chess/tabula/tables/index"
)

// Package movegen's assembly reads positions by the offsets of tables/index.
// Where a field lies elsewhere, one of these lengths is not zero and the
// package does not compile.
var (
	_ [0]byte = [unsafe.Offsetof(Position{}.pieces) ^ index.PositionPieces]byte{}
	_ [0]byte = [unsafe.Offsetof(Position{}.colors) ^ index.PositionColors]byte{}
	_ [0]byte = [unsafe.Offsetof(Position{}.checkers) ^ index.PositionCheckers]byte{}
	_ [0]byte = [unsafe.Offsetof(Position{}.blockers) ^ index.PositionBlockers]byte{}
	_ [0]byte = [unsafe.Offsetof(Position{}.rights) ^ index.PositionRights]byte{}
	_ [0]byte = [unsafe.Offsetof(Position{}.side) ^ index.PositionSide]byte{}
	_ [0]byte = [unsafe.Offsetof(Position{}.castling) +
		unsafe.Offsetof(Position{}.castling.ways) ^ index.PositionWays]byte{}
	_ [0]byte = [unsafe.Offsetof(Position{}.castling) +
		unsafe.Offsetof(Position{}.castling.rooks) ^ index.PositionRooks]byte{}
)
