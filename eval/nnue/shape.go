package nnue

import (
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
)

// Quantisation: a float weight w of the first layer is stored as w·QA, one of
// the second as w·QB. Activations are clipped to 0…QA.
const (
	QA = 255
	QB = 128
)

// Inputs is the number of inputs of one king bucket: colour, kind and square
// of a piece, seen from one side.
const Inputs = 768

// Bounds of a shape. A kernel works on Lanes neurons at a time.
const (
	Lanes            = 32
	MaxWidth         = 4096
	MaxOutputBuckets = 16
)

// Shape is the architecture of a network.
type Shape struct {
	// Width is the number of neurons of a perspective, a multiple of Lanes, and
	// of 256 where the shape is layered.
	Width int
	// Layered networks go on with products of pairs of neurons and two small
	// layers (layers.go) in each output bucket, others with the output neuron.
	Layered bool
	// Kings gives the bucket of a king by its square, seen from its own side
	// and mirrored to the files a to d: index rank·4 + file. Buckets are
	// numbered from 0 without gaps.
	Kings [32]uint8
	// Outputs is the number of output buckets, chosen by the number of pieces.
	Outputs int
	// Scale is the score in centipawns of an output of 1.
	Scale int
}

// Check returns an error that names the first field that is out of bounds.
func (s *Shape) Check() error {
	if s.Width < Lanes || s.Width > MaxWidth || s.Width%Lanes != 0 {
		return fmt.Errorf("width %d: want a multiple of %d up to %d", s.Width, Lanes, MaxWidth)
	}
	if s.Layered && s.Width%pairStep != 0 {
		return fmt.Errorf("width %d: want a multiple of %d in front of small layers", s.Width, pairStep)
	}
	if s.Outputs < 1 || s.Outputs > MaxOutputBuckets {
		return fmt.Errorf("output buckets %d: want 1 to %d", s.Outputs, MaxOutputBuckets)
	}
	if s.Scale < 1 || s.Scale > 4000 {
		return fmt.Errorf("scale %d: want 1 to 4000", s.Scale)
	}
	var used [32]bool
	for i, b := range s.Kings {
		if b >= 32 {
			return fmt.Errorf("king bucket %d of square %d: want 0 to 31", b, i)
		}
		used[b] = true
	}
	for b := range s.KingBuckets() {
		if !used[b] {
			return errors.New("king buckets: numbers have gaps")
		}
	}
	return nil
}

// String returns the layers, the king buckets and the output buckets in short.
func (s Shape) String() string {
	small := ""
	if s.Layered {
		small = fmt.Sprintf("→%d→%d", Hidden1, Hidden2)
	}
	return fmt.Sprintf("%d×%d→%d×2%s→%d", Inputs, s.KingBuckets(), s.Width, small, s.Outputs)
}

// KingBuckets returns the number of king buckets.
func (s *Shape) KingBuckets() int {
	n := 0
	for _, b := range s.Kings {
		n = max(n, int(b)+1)
	}
	return n
}

// Features returns the number of rows of the first layer.
func (s *Shape) Features() int { return Inputs * s.KingBuckets() }

// OutputBucket returns the output bucket of a position with the given number
// of pieces, kings included: few pieces come first, in equal steps.
func (s *Shape) OutputBucket(pieces int) int {
	step := (32 + s.Outputs - 1) / s.Outputs
	return min(max(pieces-2, 0)/step, s.Outputs-1)
}

// View is how one side sees the board: Black's is flipped top to bottom, and
// with the king on the files e to h it is mirrored. The king's bucket chooses
// the block of inputs.
type View struct {
	index uint8 // bucket·2 + mirrored
	flip  uint8 // what a square is xored with
	color chess.Color
}

// View returns the view of side c with its king on the given square.
func (s *Shape) View(c chess.Color, king chess.Square) View {
	v := View{color: c, flip: uint8(c) * 56}
	own := king ^ chess.Square(v.flip)
	if own.File() > 3 {
		v.index, v.flip, own = 1, v.flip^7, own^7
	}
	v.index |= s.Kings[own.Rank()*4&28|own.File()&3] << 1
	return v
}

// Origin returns the square that the side sees as a1.
func (v View) Origin() chess.Square { return chess.Square(v.flip) }

// Feature returns the row of the first layer for the piece pc on square sq.
func (v View) Feature(pc chess.Piece, sq chess.Square) int {
	theirs := int(pc.Color() ^ v.color)
	return int(v.index>>1)*Inputs + theirs*384 + int(pc.Type())*64 + int(sq^chess.Square(v.flip))
}
