package fit

import (
	"math/bits"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
)

// maxPieces bounds the pieces of a position.
const maxPieces = 32

// lens is how one side sees the board with its king on a given square: the
// first row of a piece, by its code, and the mask that a square is xored with. It is
// [nnue.View] in a form that costs less for each piece.
type lens struct {
	first [16]uint32
	flip  uint32
}

// allLenses returns the lenses of a shape by colour and king square.
func allLenses(shape *nnue.Shape) *[2][64]lens {
	all := new([2][64]lens)
	for c := range all {
		for king := range all[c] {
			g := &all[c][king]
			view := shape.View(chess.Color(c), chess.Square(king))
			g.flip = uint32(view.Origin())
			for t := chess.Pawn; t <= chess.King; t++ {
				for color := chess.White; color <= chess.Black; color++ {
					pc := chess.MakePiece(color, t)
					g.first[nibble(pc)] = uint32(view.Feature(pc, view.Origin()))
				}
			}
		}
	}
	return all
}

// appendFeatures appends the features of a sample to list: those that the side to move sees, then as many that the
// other side sees, one for each piece.
func appendFeatures(list []uint16, all *[2][64]lens, s *Sample) []uint16 {
	const king = uint8(chess.King)
	var codes, squares [maxPieces]uint8
	var kings [2]uint8
	n := 0
	for b := uint64(s.Occupied); b != 0 && n < maxPieces; b &= b - 1 {
		code := s.piece(n)
		sq := uint8(bits.TrailingZeros64(b))
		codes[n], squares[n] = code&15, sq
		if code&7 == king {
			kings[code>>3&1] = sq & 63
		}
		n++
	}
	for side := range 2 {
		c := int(s.Side&1) ^ side
		g := &all[c][kings[c]]
		for i := range n {
			list = append(list, uint16(g.first[codes[i]&15]+(uint32(squares[i])^g.flip)))
		}
	}
	return list
}

// kingsOf returns a number for the king buckets of a sample: that of the side to move times their number, plus that of
// the other.
func kingsOf(all *[2][64]lens, s *Sample) uint8 {
	var buckets [2]uint8 // by colour
	i := 0
	for b := uint64(s.Occupied); b != 0; b &= b - 1 {
		if code := s.piece(i); code&7 == uint8(chess.King) {
			color := code >> 3
			buckets[color] = uint8(all[color][bits.TrailingZeros64(b)].first[code] / nnue.Inputs)
		}
		i++
	}
	return buckets[s.Side&1]*nnue.MaxKingBuckets + buckets[s.Side&1^1]
}

// rows returns where the rows of a sample's features begin in a network of the given width: those of the side to move,
// and of the other.
func rows(features []uint16, width int) (us, them []uint32) {
	all := make([]uint32, len(features))
	for i, f := range features {
		all[i] = uint32(int(f) * width)
	}
	return all[:len(all)/2], all[len(all)/2:]
}
