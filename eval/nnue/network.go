package nnue

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tabula-chess/tabula/chess"
)

// Network holds the shape and weights of a network. It is immutable and may be shared
// by any number of evaluators.
type Network struct {
	shape      Shape
	provenance Provenance
	origin     []byte // the provenance as the file has it
	hash       Hash
	weights    Weights
	stacks     []stack              // those of the weights, as the kernels read them
	bucket     [maxPieces + 1]uint8 // output bucket by the number of pieces
	views      [2][64]View          // by colour and square of its king
}

// Weights holds quantised weights in the order of the file.
type Weights struct {
	Features     []int8  // by feature, then neuron; units of QA
	Biases       []int16 // by neuron; units of QA
	Stacks       []Stack // by output bucket
	OutputBiases []int32 // by output bucket; units of OutputUnit
}

// NewWeights returns weights of zero for a shape.
func NewWeights(s Shape) Weights {
	w := Weights{
		Features: alignedBytes[int8](s.Rows() * s.Width), Biases: make([]int16, s.Width),
		OutputBiases: make([]int32, s.Outputs),
	}
	for range s.Outputs {
		w.Stacks = append(w.Stacks, newStack(s.Width))
	}
	return w
}

// New returns the network with the given weights, which it copies. The error
// names what does not fit the shape or could overflow.
func New(shape Shape, w Weights, provenance Provenance) (*Network, error) {
	if err := shape.Check(); err != nil {
		return nil, err
	}
	if err := w.check(&shape); err != nil {
		return nil, err
	}
	origin, err := json.Marshal(&provenance)
	if err != nil {
		return nil, fmt.Errorf("provenance: %w", err)
	}
	if len(origin) > maxProvenance {
		return nil, fmt.Errorf("provenance: length %d, want at most %d", len(origin), maxProvenance)
	}
	w = w.clone()
	n, err := newNetwork(shape, w, provenance, origin)
	if err != nil {
		return nil, err
	}
	n.hash = sha256.Sum256(n.content())
	return n, nil
}

// newNetwork does the work of New but for the hash, which a file brings along, and
// keeps the slices of w, which fit the shape.
func newNetwork(shape Shape, w Weights, provenance Provenance, origin []byte) (*Network, error) {
	n := &Network{shape: shape, provenance: provenance, origin: bytes.Clone(origin), weights: w}
	for i := range w.Stacks {
		if err := w.Stacks[i].check(); err != nil {
			return nil, fmt.Errorf("output %d: %w", i, err)
		}
		n.stacks = append(n.stacks, w.Stacks[i].packed())
	}
	for pieces := range n.bucket {
		n.bucket[pieces] = uint8(shape.OutputBucket(pieces))
	}
	for c := range n.views {
		for king := range n.views[c] {
			n.views[c][king] = shape.View(chess.Color(c), chess.Square(king))
		}
	}
	if err := n.checkRange(); err != nil {
		return nil, err
	}
	return n, nil
}

// clone returns a copy, with the features aligned as the kernels need them.
func (w Weights) clone() Weights {
	c := Weights{
		Features: append(alignedBytes[int8](len(w.Features))[:0], w.Features...),
		Biases:   slices.Clone(w.Biases), OutputBiases: slices.Clone(w.OutputBiases),
	}
	for _, s := range w.Stacks {
		c.Stacks = append(c.Stacks, Stack{
			slices.Clone(s.Weights1), slices.Clone(s.Biases1), slices.Clone(s.Weights2), slices.Clone(s.Biases2),
			slices.Clone(s.Weights3), slices.Clone(s.Skips),
		})
	}
	return c
}

// part is one slice of weights.
type part struct {
	name   string
	values any // []int8, []int16 or []int32
}

// parts returns all weights in the order of the file.
func (w *Weights) parts() []part {
	all := []part{{"features", w.Features}, {"biases", w.Biases}}
	for i, s := range w.Stacks {
		for _, p := range []part{
			{"weights of layer 1", s.Weights1}, {"biases of layer 1", s.Biases1},
			{"weights of layer 2", s.Weights2}, {"biases of layer 2", s.Biases2},
			{"weights of layer 3", s.Weights3}, {"weights past layers 2 and 3", s.Skips},
		} {
			all = append(all, part{fmt.Sprintf("output %d: %s", i, p.name), p.values})
		}
	}
	return append(all, part{"output biases", w.OutputBiases})
}

// check returns an error that names weights of which there are not as many as the shape asks for.
func (w *Weights) check(shape *Shape) error {
	if len(w.Stacks) != shape.Outputs {
		return fmt.Errorf("stacks: %d, want %d", len(w.Stacks), shape.Outputs)
	}
	right, have := NewWeights(*shape), w.parts()
	for i, p := range right.parts() {
		if got, want := reflect.ValueOf(have[i].values).Len(), reflect.ValueOf(p.values).Len(); got != want {
			return fmt.Errorf("%s: %d, want %d", p.name, got, want)
		}
	}
	return nil
}

// Shape returns the network's architecture.
func (n *Network) Shape() Shape { return n.shape }

// Provenance returns where the network came from.
func (n *Network) Provenance() Provenance { return n.provenance }

// Hash returns the hash of shape, provenance and weights.
func (n *Network) Hash() Hash { return n.hash }

// Weights returns a copy of the quantised weights.
func (n *Network) Weights() Weights { return n.weights.clone() }

// output returns the output for the accumulators of the side to move and of the
// other, in units of OutputUnit. It works in x, of a byte for each neuron of a side.
func (n *Network) output(k *kernel, bucket int, us, them []int16, x []uint8) int64 {
	s := &n.stacks[bucket]
	return int64(k.layers(us, them, x, s.blocks, &s.rest)) + int64(n.weights.OutputBiases[bucket])
}

// centipawns returns the score of an output.
func (n *Network) centipawns(output int64) int64 {
	return output * int64(n.shape.Scale) / OutputUnit
}

// Output returns the output, 1 being the shape's scale, for the rows of the
// first layer that the side to move and the other side have, given as feature
// times width. It is the integer evaluation before its last division, for
// those who compare networks; an [Evaluator] is what a search needs.
func (n *Network) Output(us, them []uint32) float64 {
	bucket := int(n.bucket[min(len(us), maxPieces)])
	acc := n.accumulators(us, them)
	x := make([]uint8, n.shape.Width)
	return float64(n.output(&plain, bucket, acc[0], acc[1], x)) / OutputUnit
}

// Products returns the products of pairs for rows given as Output takes them: of the side
// to move, then of the other, as many as a side has neurons.
func (n *Network) Products(us, them []uint32) []uint8 {
	x, half := make([]uint8, n.shape.Width), n.shape.Width/2
	acc := n.accumulators(us, them)
	products(x[:half], acc[0])
	products(x[half:], acc[1])
	return x
}

// accumulators returns those of both sides for rows of the first layer.
func (n *Network) accumulators(us, them []uint32) (acc [2][]int16) {
	for side, rows := range [2][]uint32{us, them} {
		acc[side] = append([]int16(nil), n.weights.Biases...)
		apply(acc[side], n.weights.Features, rows, nil)
	}
	return acc
}

// Bounds that rule overflow out, whatever the position.
const (
	maxPieces    = 32
	maxFirstBias = 32767 - 128*maxPieces // with the rows of all pieces it fits int16
	maxBias      = 1 << 28               // of the first small layer
	maxLastBias  = 1 << 30
)

// checkRange proves that no sum of the first layer or of the last can overflow; for the
// others see Stack.check.
func (n *Network) checkRange() error {
	for i, bias := range n.weights.Biases {
		if abs(int(bias)) > maxFirstBias {
			return fmt.Errorf("neuron %d: bias %d is beyond ±%d", i, bias, maxFirstBias)
		}
	}
	for b, bias := range n.weights.OutputBiases {
		if abs(int(bias)) > maxLastBias {
			return fmt.Errorf("output %d: bias %d is beyond ±%d", b, bias, maxLastBias)
		}
	}
	return nil
}

func abs(v int) int { return max(v, -v) }

// aligned returns a slice that starts at a cache line, so that no vector of
// the kernels crosses one.
func aligned(n int) []int16 {
	raw := make([]int16, n+31)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw)))&63) / 2
	return raw[skip : skip+n : skip+n]
}

// alignedBytes does for bytes what aligned does for words.
func alignedBytes[T int8 | uint8](n int) []T {
	raw := make([]T, n+63)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & 63)
	return raw[skip : skip+n : skip+n]
}
