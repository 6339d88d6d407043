package fit

import (
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// adopt sets params to the weights of a network of the same kind as shape.
func (l *layout) adopt(params []float32, network *nnue.Network, shape *nnue.Shape) error {
	weights, err := refined(network, shape)
	if err != nil {
		return err
	}
	l.dequantise(params, weights)
	return nil
}

// pair begins layered params with the first layer of a plain network: each of
// its neurons becomes both neurons of a pair, whose product is then the square
// that the plain network takes. The second one has half of its random inputs
// besides, so that the two can part. What follows them is learnt anew.
func (l *layout) pair(params []float32, network *nnue.Network, shape *nnue.Shape) error {
	from := network.Shape()
	if from.KingBuckets() != 1 || shape.KingBuckets() != 1 || 2*from.Width > l.width {
		return fmt.Errorf("the plain network to begin with has %d king buckets and %d neurons, want 1 for 1 and at most half of %d",
			from.KingBuckets(), from.Width, l.width)
	}
	old := network.Weights()
	set := func(v []float32, words []int16) {
		for ; len(words) > 0; v, words = v[l.width:], words[from.Width:] {
			first, second := v[:l.width/2], v[l.width/2:]
			spread(first, words[:from.Width], nnue.QA)
			for i, x := range first[:from.Width] {
				second[i] = min(max(x+second[i]/2, -rowLimit), rowLimit)
			}
		}
	}
	set(l.features.of(params), old.Features)
	set(l.biases.of(params), old.Biases)
	return nil
}

// refined returns the weights of a network for a shape that may have more
// buckets than its own: the rows of a bucket are those of the bucket that its
// squares, or its numbers of pieces, had before. They keep the network's width,
// which may be less than the shape's. The error says where the shapes differ
// otherwise.
func refined(network *nnue.Network, shape *nnue.Shape) (nnue.Weights, error) {
	from := network.Shape()
	var w nnue.Weights
	if from.Layered != shape.Layered {
		return w, errors.New("the network to begin with has small layers, which the new one has not")
	}
	if from.Width > shape.Width || from.Scale != shape.Scale {
		return w, fmt.Errorf("the network to begin with has %d neurons and a scale of %d, want at most %d and %d",
			from.Width, from.Scale, shape.Width, shape.Scale)
	}
	kings, ok := origins(len(shape.Kings), shape.KingBuckets(),
		func(i int) int { return int(shape.Kings[i]) }, func(i int) int { return int(from.Kings[i]) })
	if !ok {
		return w, errors.New("the network to begin with has king buckets that are not made of whole ones of the new network")
	}
	outputs, ok := origins(31, shape.Outputs,
		func(i int) int { return shape.OutputBucket(i + 2) }, func(i int) int { return from.OutputBucket(i + 2) })
	if !ok {
		return w, errors.New("the network to begin with has output buckets that are not made of whole ones of the new network")
	}
	old := network.Weights()
	w.Biases = old.Biases
	for _, b := range kings {
		n := nnue.Inputs * from.Width
		w.Features = append(w.Features, old.Features[b*n:(b+1)*n]...)
	}
	for _, b := range outputs {
		if shape.Layered {
			w.Stacks = append(w.Stacks, old.Stacks[b])
		} else {
			n := 2 * from.Width
			w.Outputs = append(w.Outputs, old.Outputs[b*n:(b+1)*n]...)
		}
		w.OutputBiases = append(w.OutputBiases, old.OutputBiases[b])
	}
	return w, nil
}

// origins returns, for each of the new buckets, the old bucket of its members,
// which are n in all; ok tells whether no new bucket has two. One without
// members gets bucket 0.
func origins(n, buckets int, now, before func(i int) int) (old []int, ok bool) {
	old = make([]int, buckets)
	known := make([]bool, buckets)
	for i := range n {
		b := now(i)
		if known[b] && old[b] != before(i) {
			return nil, false
		}
		old[b], known[b] = before(i), true
	}
	return old, true
}
