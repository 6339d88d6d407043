package kernel

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/dave/jennifer/jen"

	"github.com/tabula-chess/tabula/gen/magic"
	"github.com/tabula-chess/tabula/gen/source"
	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/tables/index"
)

// layout holds the byte offsets of the words of a row, the look-up data of one
// square, and how rows are told apart.
type layout struct {
	magic              bool // multiply and shift; otherwise PEXT
	shift              int  // the size of a row is 1 << shift
	mask, rays, at     [2]int
	factor, places     [2]int // magic only
	knight, king, pawn int
}

var (
	// index.Row, one cache line.
	pextLayout = layout{
		shift: bits.TrailingZeros(uint(unsafe.Sizeof(index.Row{}))),
		mask:  [2]int{int(unsafe.Offsetof(index.Row{}.BishopMask)), int(unsafe.Offsetof(index.Row{}.RookMask))},
		rays:  [2]int{int(unsafe.Offsetof(index.Row{}.BishopRays)), int(unsafe.Offsetof(index.Row{}.RookRays))},
		at:    [2]int{int(unsafe.Offsetof(index.Row{}.BishopAt)), int(unsafe.Offsetof(index.Row{}.RookAt))},

		knight: int(unsafe.Offsetof(index.Row{}.Knight)),
		king:   int(unsafe.Offsetof(index.Row{}.King)),
		pawn:   int(unsafe.Offsetof(index.Row{}.Pawn)),
	}
	// index.MagicRow, two cache lines.
	magicLayout = layout{
		magic: true,
		shift: bits.TrailingZeros(uint(unsafe.Sizeof(index.MagicRow{}))),
		factor: [2]int{int(unsafe.Offsetof(index.MagicRow{}.BishopFactor)),
			int(unsafe.Offsetof(index.MagicRow{}.RookFactor))},
		places: [2]int{int(unsafe.Offsetof(index.MagicRow{}.BishopShift)), int(unsafe.Offsetof(index.MagicRow{}.RookShift))},

		// A MagicRow begins with a Row.
		mask: pextLayout.mask, rays: pextLayout.rays, at: pextLayout.at,
		knight: pextLayout.knight, king: pextLayout.king, pawn: pextLayout.pawn,
	}
)

// attackSets is the type of a table of slider attacks in the signature of a
// kernel.
var attackSets = fmt.Sprintf("*[%d]uint64", index.SliderEntries)

// Rows writes the Go file with what kernels without PEXT look up, by square.
func Rows() ([]byte, error) {
	f := source.NewFile(source.Gen, perft)
	f.Comment("magicRow is what kernels without PEXT look up for one square.")
	f.Type().Id("magicRow").Op("=").Qual(source.Index, "MagicRow")
	var rows []jen.Code
	set := magic.SearchAll()
	for sq := range 64 {
		bishop, rook := set.Bishop[sq], set.Rook[sq]
		rows = append(rows, source.Literal(index.MagicRow{
			Row: index.Row{
				BishopMask: bishop.Mask, BishopRays: geom.Slider(true, sq, 0), BishopAt: bishop.Offset,
				RookMask: rook.Mask, RookRays: geom.Slider(false, sq, 0), RookAt: rook.Offset,
				Knight: geom.Knight(sq), King: geom.King(sq), Pawn: geom.Pawn(0, sq),
			},
			BishopFactor: bishop.Factor, BishopShift: uint64(bishop.Shift),
			RookFactor: rook.Factor, RookShift: uint64(rook.Shift),
		}))
	}
	source.Array(f, "magicRows", "magicRows holds the look-up data of kernels without PEXT, by square.",
		[]int{64}, jen.Id("magicRow"), rows...)
	return source.Render(f)
}

// Kings writes the Go file with what vector kernels look up for the square of a king.
func Kings() ([]byte, error) {
	f := source.NewFile(source.Gen, perft)
	source.Comment(f, "kingRow is what the square of a king tells about a position: the rays and\n"+
		"the neighbours in the eight directions of internal/geom, then the squares a\n"+
		"knight, a pawn playing up, a king, a rook and a bishop would attack from it, and by\n"+
		"direction the squares from which a slider may come to it or next to it.")
	f.Type().Id("kingRow").Index(jen.Lit(kingWords)).Uint64()
	var rows []jen.Code
	for sq := range 64 {
		var words [kingWords]uint64
		for dir := range geom.Directions {
			words[kingRays+dir] = geom.Ray(dir, sq)
			words[kingNeighbours+dir] = geom.Ray(dir, sq) & geom.King(sq)
			for near := range geom.Squares(geom.King(sq) | 1<<sq) {
				words[kingReach+dir] |= geom.Ray(dir^4, near)
			}
		}
		words[kingKnight] = geom.Knight(sq)
		words[kingPawn] = geom.Pawn(0, sq)
		words[kingRing] = geom.King(sq)
		words[kingRookRays] = geom.Slider(false, sq, 0)
		words[kingBishopRays] = geom.Slider(true, sq, 0)
		rows = append(rows, source.Literal(words))
	}
	source.Array(f, "kingRows", "kingRows holds the rows of all squares.", []int{64}, jen.Id("kingRow"), rows...)
	return source.Render(f)
}
