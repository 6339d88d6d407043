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

// pair begins layered params with a plain network, so that they say what it says
// but for a little noise. Each of its neurons becomes both neurons of a pair,
// whose product is the square that the plain network takes; the second one has an
// eighth of its random inputs besides, so that the two can part. The outputs go
// through [stackOf.carry]. The error says why that cannot be. Source: Chen,
// Goodfellow and Shlens, "Net2Net", 2016.
func (l *layout) pair(params []float32, network *nnue.Network, shape *nnue.Shape) error {
	from := network.Shape()
	if from.KingBuckets() != 1 || shape.KingBuckets() != 1 || 2*from.Width > l.width || from.Scale != shape.Scale {
		return fmt.Errorf("the plain network to begin with has %d king buckets, %d neurons and a scale of %d, want 1 for 1, at most half of %d and %d",
			from.KingBuckets(), from.Width, from.Scale, l.width, shape.Scale)
	}
	outputs, err := outputOrigins(shape, &from)
	if err != nil {
		return err
	}
	old := network.Weights()
	set := func(v []float32, words []int16) {
		for ; len(words) > 0; v, words = v[l.width:], words[from.Width:] {
			first, second := v[:l.width/2], v[l.width/2:]
			spread(first, words[:from.Width], nnue.QA)
			for i, x := range first[:from.Width] {
				second[i] = min(max(x+second[i]/8, -rowLimit), rowLimit)
			}
		}
	}
	set(l.features.of(params), old.Features)
	set(l.biases.of(params), old.Biases)
	weights := make([]float32, l.width) // of the products of both sides
	for bucket, o := range outputs {
		for side := range 2 {
			spread(weights[side*l.width/2:], old.Outputs[(2*o+side)*from.Width:][:from.Width], nnue.QB)
		}
		l.stack(params, bucket).carry(weights, float32(float64(old.OutputBiases[o])/(nnue.QA*nnue.QB)))
	}
	clear(l.offset.of(params))
	return nil
}

// segments are the lengths of the parts of the range of outputs that [stackOf.carry]
// lays side by side around 0. None is longer than the third layer can add.
var segments = [...]float32{3.8, 2, 2, 2, 2, 2, 2, 3.8}

// carry sets the small layers so that they put out the sum of bias and of the
// products times their weights, as far as the segments reach. Neuron j of the
// first layer rises from 0 to 1 in segment j; two of the second square it and what
// it lacks to 1, and the difference of those squares is a straight line. The
// neurons that are left keep their random inputs and do not count yet.
func (s stackOf) carry(weights []float32, bias float32) {
	const n1, n2 = nnue.Hidden1, nnue.Hidden2
	low := float32(0)
	for _, length := range segments {
		low -= length / 2
	}
	for j, length := range segments {
		for i, w := range weights {
			s.weights1[i*n1+j] = w / length
		}
		s.biases1[j] = (bias - low) / length
		low += length
		rise, fall := 2*j, 2*j+1
		for i := range 2 * n1 {
			s.weights2[i*n2+rise], s.weights2[i*n2+fall] = 0, 0
		}
		s.weights2[j*n2+rise], s.biases2[rise], s.weights3[rise] = 1, 0, length/2
		s.weights2[j*n2+fall], s.biases2[fall], s.weights3[fall] = -1, 1, -length/2
	}
	clear(s.weights3[2*len(segments):])
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
	outputs, err := outputOrigins(shape, &from)
	if err != nil {
		return w, err
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

// outputOrigins returns, for each output bucket of a shape, the one that its
// numbers of pieces had before.
func outputOrigins(shape, from *nnue.Shape) ([]int, error) {
	outputs, ok := origins(31, shape.Outputs,
		func(i int) int { return shape.OutputBucket(i + 2) }, func(i int) int { return from.OutputBucket(i + 2) })
	if !ok {
		return nil, errors.New("the network to begin with has output buckets that are not made of whole ones of the new network")
	}
	return outputs, nil
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
