package fit

import (
	"math/bits"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/train/record"
)

// maxPieces bounds the pieces of a position.
const maxPieces = 32

// input is the input of the network for one position.
type input struct {
	features [2][]uint16 // of the side to move and of the other
	bucket   int         // of the output
}

// lens is how one side sees the board with its king on a given square: the
// first row of a piece, by its code, and the mask that a square is xored with. It is
// [nnue.View] in a form that costs less for each piece.
type lens struct {
	first [16]uint32
	flip  uint32
}

// allLenses returns the lenses by colour and king square.
func allLenses() *[2][64]lens {
	all := new([2][64]lens)
	for c := range all {
		for king := range all[c] {
			g := &all[c][king]
			view := nnue.ViewOf(chess.Color(c), chess.Square(king))
			g.flip = uint32(view.Origin())
			for code := range g.first {
				if k := record.Code(code); k.Type() < chess.NoPieceType {
					g.first[code] = uint32(view.Feature(chess.MakePiece(k.Color(), k.Type()), view.Origin()))
				}
			}
		}
	}
	return all
}

// read sets in to the inputs of a sample and appends its features, the mover's first, to
// list, where they stay.
func (in *input) read(shape *nnue.Shape, all *[2][64]lens, s *record.Sample, list []uint16) []uint16 {
	const king = uint8(chess.King)
	var codes, squares [maxPieces]uint8
	var kings [2]uint8
	n := 0
	for b := uint64(s.Occupied); b != 0 && n < maxPieces; b &= b - 1 {
		code := uint8(s.Code(n))
		sq := uint8(bits.TrailingZeros64(b))
		codes[n], squares[n] = code&15, sq
		if code&7 == king {
			kings[code>>3&1] = sq & 63
		}
		n++
	}
	in.bucket = shape.OutputBucket(n)
	for side := range in.features {
		c := int(s.Side&1) ^ side
		g := &all[c][kings[c]]
		from := len(list)
		for i := range n {
			list = append(list, uint16(g.first[codes[i]&15]+(uint32(squares[i])^g.flip)))
		}
		in.features[side] = list[from:]
	}
	return list
}

// rows returns where the rows begin in a network of the given width, of both sides.
func (in *input) rows(width int) (us, them []uint32) {
	for _, f := range in.features[0] {
		us = append(us, uint32(int(f)*width))
	}
	for _, f := range in.features[1] {
		them = append(them, uint32(int(f)*width))
	}
	return us, them
}

// target returns the target of a sample for the side to move: the score as a win probability, blended with the
// result.
func target(s *record.Sample, blend, scoreScale float64) float64 {
	score, result := float64(s.Score), float64(s.Target)/record.TargetWin
	if s.Side == chess.Black {
		score, result = -score, 1-result
	}
	return float64(blend*result) + float64((1-blend)*wdl.Sigmoid(score/scoreScale))
}
