package fit

import (
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// refined returns the weights of a network for a shape that may have more output
// buckets than its own: each has the weights of the bucket that its numbers of pieces
// had before. They keep the network's width, which may be less than the shape's. The
// error says where the shapes differ otherwise.
func refined(network *nnue.Network, shape *nnue.Shape) (nnue.Weights, error) {
	from := network.Shape()
	var w nnue.Weights
	if from.Width > shape.Width || from.Scale != shape.Scale {
		return w, fmt.Errorf("the network to begin with has %d neurons and a scale of %d, want at most %d and %d",
			from.Width, from.Scale, shape.Width, shape.Scale)
	}
	old := network.Weights()
	w.Features, w.Biases = old.Features, old.Biases
	known := make([]bool, shape.Outputs)
	origins := make([]int, shape.Outputs)
	for pieces := 2; pieces <= 32; pieces++ {
		b, before := shape.OutputBucket(pieces), from.OutputBucket(pieces)
		if known[b] && origins[b] != before {
			return w, errors.New("the network to begin with has output buckets that are not made of whole ones of the new network")
		}
		origins[b], known[b] = before, true
	}
	for _, b := range origins {
		w.Stacks = append(w.Stacks, old.Stacks[b])
		w.OutputBiases = append(w.OutputBiases, old.OutputBiases[b])
	}
	return w, nil
}
