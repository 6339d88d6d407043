package fit

import (
	"math/bits"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/train/record"
)

// maxPieces bounds the pieces of a position.
const maxPieces = 32

// input is what a position puts into the network, seen by the side to move and
// by the other.
type input struct {
	features [2][maxPieces]uint16 // rows of the first layer
	rows     [2][maxPieces]uint32 // their offsets in floats
	pieces   int
	bucket   int // of the output
}

// read sets in to the inputs of a sample.
func (in *input) read(shape *nnue.Shape, s *record.Sample) {
	var pieces [maxPieces]chess.Piece
	var squares [maxPieces]chess.Square
	var kings [2]chess.Square
	n := 0
	for b := uint64(s.Occupied); b != 0 && n < maxPieces; b &= b - 1 {
		code := s.Code(n)
		sq := chess.Square(bits.TrailingZeros64(b))
		pieces[n], squares[n] = chess.MakePiece(code.Color(), code.Type()), sq
		if code.Type() == chess.King {
			kings[code.Color()] = sq
		}
		n++
	}
	in.pieces = n
	in.bucket = shape.OutputBucket(n)
	width := uint32(shape.Width)
	for side, c := range [2]chess.Color{s.Side & 1, s.Side&1 ^ 1} {
		view := shape.View(c, kings[c])
		features, rows := &in.features[side], &in.rows[side]
		for i := range n {
			f := uint32(view.Feature(pieces[i], squares[i]))
			features[i], rows[i] = uint16(f), f*width
		}
	}
}

// target returns what the network should say of a sample: the score as a
// chance of winning, blended with the result, for the side to move.
func target(s *record.Sample, blend, scoreScale float64) float64 {
	score, result := float64(s.Score), float64(s.Result)/2
	if s.Side == chess.Black {
		score, result = -score, 1-result
	}
	return blend*result + (1-blend)*sigmoid(score/scoreScale)
}
