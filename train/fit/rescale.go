package fit

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// Rescale returns a network with scores scaled up or down to fit the margins of the search. Scales holds the
// centipawns of an output of 1: one number, or one for each output bucket, fewest pieces first. Rescale adds the
// command to the provenance. The error names the number that does not fit.
func Rescale(n *nnue.Network, scales []int, command string) (*nnue.Network, error) {
	shape, w, origin := n.Shape(), n.Weights(), n.Provenance()
	origin.Commands = append(slices.Clone(origin.Commands), command)
	switch len(scales) {
	case 1:
		shape.Scale = scales[0]
	case shape.Outputs:
		for bucket, scale := range scales {
			if err := rescaleOutput(&w, bucket, float64(scale)/float64(shape.Scale)); err != nil {
				return nil, fmt.Errorf("scale %d of output %d: %w", scale, bucket, err)
			}
		}
	default:
		return nil, fmt.Errorf("scale: %d numbers, want 1 or %d", len(scales), shape.Outputs)
	}
	return nnue.New(shape, w, origin)
}

// rescaleOutput multiplies the weights that lead to an output by factor.
func rescaleOutput(w *nnue.Weights, bucket int, factor float64) error {
	if factor <= 0 {
		return errors.New("want a positive number")
	}
	s := &w.Stacks[bucket]
	for _, weights := range [][]int16{s.Weights3, s.Skips} {
		for i, v := range weights {
			x := math.Round(float64(v) * factor)
			if math.Abs(x) > math.MaxInt16 {
				return fmt.Errorf("weight %d times %.2f is beyond 16 bits", v, factor)
			}
			weights[i] = int16(x)
		}
	}
	bias := math.Round(float64(w.OutputBiases[bucket]) * factor)
	if math.Abs(bias) > math.MaxInt32 {
		return fmt.Errorf("bias %d times %.2f is beyond 32 bits", w.OutputBiases[bucket], factor)
	}
	w.OutputBiases[bucket] = int32(bias)
	return nil
}
