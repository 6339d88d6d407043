package nnue

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"unsafe"
)

// Network is the weights of a network of some shape. It does not change once
// made and may be shared by any number of evaluators.
type Network struct {
	shape      Shape
	provenance Provenance
	origin     []byte // the provenance as the file has it
	hash       Hash
	features   []int16              // by feature and neuron
	narrow     []int8               // the same, where all of them fit
	biases     []int16              // by neuron
	outputs    []int16              // by output bucket, side (us, them) and neuron; none in layered shapes
	stacks     []stack              // by output bucket, none in other shapes
	outBiases  []int32              // by output bucket, in units of the output
	bucket     [maxPieces + 1]uint8 // output bucket by the number of pieces
}

// Weights holds quantised weights in the order of the file.
type Weights struct {
	Features     []int16 // by feature, then neuron; units of QA
	Biases       []int16 // by neuron; units of QA
	Outputs      []int16 // by output bucket, then neurons of the side to move, then of the other; units of QB; none in layered shapes
	OutputBiases []int32 // by output bucket; units of QA·QB, or of LayeredUnit
	Stacks       []Stack // by output bucket, in layered shapes only
}

// New returns the network with the given weights, which it copies. The error
// names what does not fit the shape or could overflow.
func New(shape Shape, w Weights, provenance Provenance) (*Network, error) {
	origin, err := json.Marshal(&provenance)
	if err != nil {
		return nil, fmt.Errorf("provenance: %w", err)
	}
	if len(origin) > maxProvenance {
		return nil, fmt.Errorf("provenance: length %d, want at most %d", len(origin), maxProvenance)
	}
	for _, words := range []*[]int16{&w.Features, &w.Biases, &w.Outputs} {
		*words = append(aligned(len(*words))[:0], *words...)
	}
	n, err := newNetwork(shape, w, provenance, origin)
	if err != nil {
		return nil, err
	}
	n.hash = sha256.Sum256(n.content())
	return n, nil
}

// newNetwork does the work of New but for the hash, which a file brings along,
// and keeps the aligned words of w.
func newNetwork(shape Shape, w Weights, provenance Provenance, origin []byte) (*Network, error) {
	if err := shape.Check(); err != nil {
		return nil, err
	}
	if err := w.check(&shape); err != nil {
		return nil, err
	}
	n := &Network{
		shape: shape, provenance: provenance, origin: bytes.Clone(origin),
		narrow:    narrowed(w.Features),
		features:  w.Features,
		biases:    w.Biases,
		outputs:   w.Outputs,
		outBiases: append([]int32(nil), w.OutputBiases...),
	}
	for i := range w.Stacks {
		n.stacks = append(n.stacks, w.Stacks[i].packed())
	}
	for pieces := range n.bucket {
		n.bucket[pieces] = uint8(shape.OutputBucket(pieces))
	}
	if err := n.checkRange(); err != nil {
		return nil, err
	}
	return n, nil
}

// narrowed returns the same numbers as bytes, nothing where one does not fit.
func narrowed(words []int16) []int8 {
	narrow := alignedBytes[int8](len(words))
	for i, w := range words {
		narrow[i] = int8(w)
		if int16(narrow[i]) != w {
			return nil
		}
	}
	return narrow
}

// check returns an error that names weights of which there are not as many as
// the shape asks for, or small layers that could overflow.
func (w *Weights) check(shape *Shape) error {
	outputs, stacks := shape.Outputs*2*shape.Width, 0
	if shape.Layered {
		outputs, stacks = 0, shape.Outputs
	}
	for _, f := range []struct {
		name      string
		got, want int
	}{
		{"features", len(w.Features), shape.Features() * shape.Width},
		{"biases", len(w.Biases), shape.Width},
		{"outputs", len(w.Outputs), outputs},
		{"output biases", len(w.OutputBiases), shape.Outputs},
		{"stacks", len(w.Stacks), stacks},
	} {
		if f.got != f.want {
			return fmt.Errorf("%s: %d weights, want %d", f.name, f.got, f.want)
		}
	}
	for i := range w.Stacks {
		if err := w.Stacks[i].check(shape.Width); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
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
func (n *Network) Weights() Weights {
	w := Weights{
		Features: slices.Clone(n.features), Biases: slices.Clone(n.biases),
		Outputs: slices.Clone(n.outputs), OutputBiases: slices.Clone(n.outBiases),
	}
	for i := range n.stacks {
		w.Stacks = append(w.Stacks, n.stacks[i].unpacked())
	}
	return w
}

// output returns the output for the accumulators of the side to move and of the
// other, in the units that unit returns. Layered networks work in x, of a
// byte for each neuron of a side.
func (n *Network) output(k *kernel, bucket int, us, them []int16, x []uint8) int64 {
	bias := int64(n.outBiases[bucket])
	if n.shape.Layered {
		s := &n.stacks[bucket]
		return int64(k.layers(us, them, x, s.blocks, &s.rest)) + bias
	}
	width := 2 * n.shape.Width
	sum := int64(k.dot(us, them, n.outputs[bucket*width:(bucket+1)*width]))
	return sum/QA + bias
}

// unit returns what an output of 1 is in whole numbers.
func (n *Network) unit() int64 {
	if n.shape.Layered {
		return LayeredUnit
	}
	return QA * QB
}

// centipawns returns the score of an output. Dividing by constants is faster
// than by unit.
func (n *Network) centipawns(output int64) int64 {
	v := output * int64(n.shape.Scale)
	if n.shape.Layered {
		return v / LayeredUnit
	}
	return v / (QA * QB)
}

// Output returns the output, 1 being the shape's scale, for the rows of the
// first layer that the side to move and the other side have, given as feature
// times width. It is the integer evaluation before its last division, for
// those who compare networks; an [Evaluator] is what a search needs.
func (n *Network) Output(us, them []uint32) float64 {
	bucket := int(n.bucket[min(len(us), maxPieces)])
	acc := n.accumulators(us, them)
	x := make([]uint8, n.shape.Width)
	return float64(n.output(&plain, bucket, acc[0], acc[1], x)) / float64(n.unit())
}

// Products returns the products of pairs that a layered network has for rows given
// as Output takes them: of the side to move, then of the other, as many as a side
// has neurons.
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
		acc[side] = append([]int16(nil), n.biases...)
		apply(acc[side], n.features, rows, nil)
	}
	return acc
}

// Bounds that rule overflow out, whatever the position. An activation times a
// second-layer weight has to fit int16; the sum over all neurons, int32.
const (
	maxOutput    = 32767 / QA
	maxOutputSum = (1<<31 - 1) / (QA * QA)
	maxBias      = 1 << 28
	maxLastBias  = 1 << 30 // of a layered shape
	maxPieces    = 32
)

// checkRange proves that no kernel can overflow.
func (n *Network) checkRange() error {
	if err := n.checkAccumulators(); err != nil {
		return err
	}
	width, highest := n.shape.Width, maxBias
	if n.shape.Layered {
		highest = maxLastBias
	}
	for b, bias := range n.outBiases {
		if abs(int(bias)) > highest {
			return fmt.Errorf("output %d: bias %d is beyond ±%d", b, bias, highest)
		}
		if n.shape.Layered {
			continue // see Stack.check
		}
		sum := 0
		for i, w := range n.outputs[b*2*width : (b+1)*2*width] {
			if abs(int(w)) > maxOutput {
				return fmt.Errorf("output %d: weight %d is %d, beyond ±%d", b, i, w, maxOutput)
			}
			sum += abs(int(w))
		}
		if sum > maxOutputSum {
			return fmt.Errorf("output %d: weights add up to %d, beyond %d: the sum could overflow int32", b, sum, maxOutputSum)
		}
	}
	return nil
}

// checkAccumulators proves that no sum of a bias and the weights of all pieces can
// overflow. It looks at the weights only where their being bytes does not settle it.
func (n *Network) checkAccumulators() error {
	bias := 0
	for _, b := range n.biases {
		bias = max(bias, abs(int(b)))
	}
	if n.narrow != nil && bias+maxPieces*128 <= 32767 {
		return nil
	}
	width := n.shape.Width
	least, most := make([]int16, width), make([]int16, width)
	for row := n.features; len(row) > 0; row = row[width:] {
		for i, weight := range row[:width] {
			least[i], most[i] = min(least[i], weight), max(most[i], weight)
		}
	}
	for i, bias := range n.biases {
		largest := max(-int(least[i]), int(most[i]))
		if abs(int(bias))+maxPieces*largest > 32767 {
			return fmt.Errorf("neuron %d: bias %d and weights up to %d could overflow int16", i, bias, largest)
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
