package kernel

import (
	"math/bits"

	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/gen/source"
	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/tables/index"
)

// Squares writes the Go file with what counting kernels look up about a piece of theirs, by its square.
func Squares() ([]byte, error) {
	f := source.NewFile(source.Gen, perft)
	var rows []jen.Code
	for sq := range 64 {
		rows = append(rows, source.Literal(squareOf(sq)))
	}
	source.Array(f, "squares", "squares is what kernels look up about a piece of theirs, by its square.", []int{64},
		jen.Qual(source.Index, "Square"), rows...)
	return source.Render(f)
}

func squareOf(sq int) index.Square {
	bit := geom.Bit(sq)
	s := index.Square{
		Bit: bit, Knight: geom.Knight(sq), King: geom.King(sq), Pawns: geom.Pawn(1, sq),
		Above: -bit << 1, Near: geom.King(sq) | bit>>16,
		Swapped: bits.ReverseBytes64(bit), Mirrored: bits.ReverseBytes64(bits.Reverse64(bit)),
	}
	for dir := range geom.Directions {
		s.Rays[dir] = geom.Ray(dir, sq)
		*[]*uint64{&s.File, &s.Rise, &s.Rank, &s.Fall}[dir%4] |= s.Rays[dir]
		for to := range geom.Squares(s.Rays[dir]) {
			distance := 1 + bits.OnesCount64(geom.Between(sq, to))
			for i := range s.Far {
				s.Far[i] |= uint64(distance>>i&1) << to
			}
		}
	}
	switch sq / 8 {
	case 2:
		s.Way = bit << 8
	case 3:
		s.Way = bit >> 8
	}
	return s
}
