package nnue

import (
	"fmt"

	"github.com/tabula-chess/tabula/chess"
)

// QA is the unit of the first layer: a float weight w is stored as w·QA, and activations
// are clipped to 0…QA.
const QA = 255

// Inputs is the number of inputs of a perspective, for each king bucket: colour, kind and square of a piece.
const Inputs = 768

// Bounds of a shape. Its width is a multiple of WidthStep.
const (
	WidthStep        = 256
	MaxWidth         = 4096
	MaxOutputBuckets = 16
	MaxKingBuckets   = 8
)

// Shape is the architecture of a network.
type Shape struct {
	// Width is the number of neurons of a perspective.
	Width int
	// Outputs is the number of output buckets, chosen by the number of pieces, each
	// with small layers of its own (layers.go).
	Outputs int
	// Scale is the score in centipawns of an output of 1.
	Scale int
	// KingBuckets is the number of areas of the own king that have rows of the first layer of their own: 8, or 0 where
	// all squares share them. Source: CPW "NNUE" on king buckets.
	KingBuckets int
}

// kingBuckets has the bucket of a king by rank and file, with files e to h mirrored.
var kingBuckets = [8]string{"0123", "4455", "6666", "6666", "7777", "7777", "7777", "7777"}

// Rows returns the number of rows of the first layer.
func (s *Shape) Rows() int { return Inputs * max(1, s.KingBuckets) }

// Check returns an error that names the first field that is out of bounds.
func (s *Shape) Check() error {
	if s.Width < WidthStep || s.Width > MaxWidth || s.Width%WidthStep != 0 {
		return fmt.Errorf("width %d: want a multiple of %d up to %d", s.Width, WidthStep, MaxWidth)
	}
	if s.Outputs < 1 || s.Outputs > MaxOutputBuckets {
		return fmt.Errorf("output buckets %d: want 1 to %d", s.Outputs, MaxOutputBuckets)
	}
	if s.Scale < 1 || s.Scale > 4000 {
		return fmt.Errorf("scale %d: want 1 to 4000", s.Scale)
	}
	if s.KingBuckets != 0 && s.KingBuckets != MaxKingBuckets {
		return fmt.Errorf("king buckets %d: want 0 or %d", s.KingBuckets, MaxKingBuckets)
	}
	return nil
}

// String returns the layers and the output buckets in short.
func (s Shape) String() string {
	buckets := ""
	if s.KingBuckets > 0 {
		buckets = fmt.Sprintf("%d×", s.KingBuckets)
	}
	return fmt.Sprintf("%s%d→%d×2→%d→%d→%d", buckets, Inputs, s.Width, Hidden1, Hidden2, s.Outputs)
}

// OutputBucket returns the output bucket of a position with the given number
// of pieces, kings included: few pieces come first, in equal steps.
func (s *Shape) OutputBucket(pieces int) int {
	step := (32 + s.Outputs - 1) / s.Outputs
	return min(max(pieces-2, 0)/step, s.Outputs-1)
}

// View is how one side sees the board: Black's is flipped top to bottom, and
// with the king on the files e to h it is mirrored.
type View struct {
	mirrored uint8 // 1 where it is
	flip     uint8 // what a square is xored with
	bucket   uint8 // of the king
	color    chess.Color
}

// View returns the view of side c with its king on the given square.
func (s *Shape) View(c chess.Color, king chess.Square) View {
	v := View{color: c, flip: uint8(c) * 56}
	if king.File() > 3 {
		v.mirrored, v.flip = 1, v.flip^7
	}
	if s.KingBuckets > 0 {
		king ^= chess.Square(v.flip)
		v.bucket = kingBuckets[king.Rank()][king.File()] - '0'
	}
	return v
}

// Origin returns the square that the side sees as a1.
func (v View) Origin() chess.Square { return chess.Square(v.flip) }

// Feature returns the row of the first layer for the piece pc on square sq.
func (v View) Feature(pc chess.Piece, sq chess.Square) int {
	theirs := int(pc.Color() ^ v.color)
	return int(v.bucket)*Inputs + theirs*384 + int(pc.Type())*64 + int(sq^chess.Square(v.flip))
}
