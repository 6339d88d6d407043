package nnue

import "fmt"

// The small layers behind the accumulators, one stack of them for each output bucket,
// all in whole numbers:
//
//	products   a·b >> 9, rounded, of neuron i of the first half of a side and
//	           neuron i of the second, both clipped to 0…QA: 0…127, unsigned 8 bits;
//	           those of the side to move, then those of the other
//	first      Hidden1 neurons of int8 weights and 32-bit sums, y
//	its output y clipped to 0…1, then the square of y clipped to -1…1
//	second     Hidden2 neurons of int16 weights and 32-bit sums, z
//	its output the square of z clipped to 0…1
//	third      one neuron of int16 weights
//	skip       y clipped to -4…4, times int16 weights, is added to the third's sum,
//	           which goes on growing so where the second's outputs are all clipped
//
// Sources: Stockfish's SFNNv4 and SFNNv5 (pull requests 3927 and 4020: products of
// pairs, two activations, an output of the first layer that skips the rest);
// 4_multi_layer among the examples of jw1912/bullet (16 and 32 neurons, squares behind
// the second); cj5716, pull request 5282 of Stockfish, and Stormphrax on the products
// by a multiplication that keeps the upper half.
const (
	Hidden1 = 16
	Hidden2 = 32

	// pairShift makes 7 bits of a product of two activations.
	pairShift = 9

	hiddenBits = 14 // 1<<hiddenBits is a small layer's activation of 1
	weightBits = 10 // a weight of 1 in the second layer
	lastBits   = 11 // a weight of 1 in the third layer
	hiddenTop  = 1<<hiddenBits - 1
	skipShift  = 1 // bits that sums of the first layer lose on the way past the others

	// ProductUnit is a product of 1, Weight1Unit a weight of 1 of the first small
	// layer: together an activation of 1.
	ProductUnit = float64(QA*QA) / (1 << pairShift)
	Weight1Unit = float64(HiddenUnit) / ProductUnit
	// HiddenUnit is an activation of 1, and what biases of the first small layer
	// are counted in.
	HiddenUnit = 1 << hiddenBits
	// Weight2Unit and Weight3Unit are weights of 1 of the second and third.
	Weight2Unit = 1 << weightBits
	Weight3Unit = 1 << lastBits
	// SkipUnit is a weight of 1 of those that go past the second and third layer.
	// SkipTop is the activation that sums of the first are clipped to there.
	SkipUnit = OutputUnit >> (hiddenBits - skipShift)
	SkipTop  = 1 << (15 + skipShift - hiddenBits)
	// Bias2Unit is a bias of 1 of the second, OutputUnit one of the third and an
	// output of 1.
	Bias2Unit  = HiddenUnit * Weight2Unit
	OutputUnit = HiddenUnit * Weight3Unit
)

// Stack holds the weights of the small layers of one output bucket.
type Stack struct {
	Weights1 []int8  // by product, then neuron; units of Weight1Unit
	Biases1  []int32 // by neuron; units of HiddenUnit
	Weights2 []int16 // by input, the clipped ones first, then neuron; units of Weight2Unit
	Biases2  []int32 // by neuron; units of Bias2Unit
	Weights3 []int16 // by input; units of Weight3Unit
	Skips    []int16 // by neuron of the first layer; units of SkipUnit
}

// stack is a Stack as the kernels read it.
type stack struct {
	blocks []int8 // weights of layer 1 by block of four products, neuron, product
	rest   tail
}

// tail is what follows the sums of the first small layer.
type tail struct {
	biases1 [Hidden1]int32
	second  [Hidden1][Hidden2][2]int16 // by pair of inputs, neuron, input
	biases2 [Hidden2]int32
	third   [Hidden2]int16
	skips   [Hidden1]int16
}

// newStack returns weights of zero behind a perspective of the given width.
func newStack(width int) Stack {
	return Stack{
		Weights1: make([]int8, width*Hidden1), Biases1: make([]int32, Hidden1),
		Weights2: make([]int16, 2*Hidden1*Hidden2), Biases2: make([]int32, Hidden2),
		Weights3: make([]int16, Hidden2), Skips: make([]int16, Hidden1),
	}
}

// check proves that no kernel can overflow. In layer 1 two products of 127
// times a weight of -128 fit int16 already, and the largest width leaves room for
// biases up to maxBias.
func (s *Stack) check() error {
	const most = 1<<31 - 1
	for i, b := range s.Biases1 {
		if abs(int(b)) > maxBias {
			return fmt.Errorf("layer 1: bias %d is %d, beyond ±%d", i, b, maxBias)
		}
	}
	for j, b := range s.Biases2 {
		sum := abs(int(b))
		for i := j; i < len(s.Weights2); i += Hidden2 {
			sum += abs(int(s.Weights2[i])) * hiddenTop
		}
		if sum > most {
			return fmt.Errorf("layer 2: neuron %d: weights and bias add up to %d, beyond int32", j, sum)
		}
	}
	sum := 0
	for _, w := range s.Weights3 {
		sum += abs(int(w)) * hiddenTop
	}
	for _, w := range s.Skips {
		sum += abs(int(w)) << 15
	}
	if sum > most {
		return fmt.Errorf("layer 3: weights and those past it add up to %d, beyond int32", sum)
	}
	return nil
}

// packed returns the stack as the kernels read it.
func (s *Stack) packed() stack {
	p := stack{blocks: alignedBytes[int8](len(s.Weights1))}
	for i, w := range s.Weights1 {
		product, neuron := i/Hidden1, i%Hidden1
		p.blocks[byBlocks(product, neuron)] = w
	}
	copy(p.rest.biases1[:], s.Biases1)
	copy(p.rest.biases2[:], s.Biases2)
	copy(p.rest.third[:], s.Weights3)
	copy(p.rest.skips[:], s.Skips)
	for i, w := range s.Weights2 {
		input, neuron := i/Hidden2, i%Hidden2
		p.rest.second[input/2][neuron][input%2] = w
	}
	return p
}

// byBlocks returns the place of a weight among blocks.
func byBlocks(product, neuron int) int {
	return (product/4*Hidden1+neuron)*4 + product%4
}

// layers is the specification of the kernels: it returns the sum of the third
// small layer and of what goes past it. The products go to x, one for each neuron of a side.
func layers(us, them []int16, x []uint8, blocks []int8, rest *tail) int32 {
	half := len(us) / 2
	products(x[:half], us)
	products(x[half:][:half], them)
	sums := rest.biases1
	for i, v := range x {
		if v == 0 {
			continue
		}
		row := blocks[i/4*4*Hidden1:][:4*Hidden1]
		for j := range sums {
			sums[j] += int32(v) * int32(row[4*j+i%4])
		}
	}
	return rest.after(&sums)
}

// products sets x to the products of the two halves of an accumulator.
func products(x []uint8, acc []int16) {
	a, b := acc[:len(x)], acc[len(x):][:len(x)]
	for i := range x {
		p := min(max(int32(a[i]), 0), QA) * min(max(int32(b[i]), 0), QA)
		x[i] = uint8((p + 1<<(pairShift-1)) >> pairShift)
	}
}

// after returns the sum of the third small layer, and of what goes past it, for the
// sums of the first.
func (t *tail) after(sums *[Hidden1]int32) (sum int32) {
	var inputs [2 * Hidden1]int32
	for i, y := range sums {
		sum += min(max(y>>skipShift, -1<<15), 1<<15-1) * int32(t.skips[i])
		y = min(max(y, -hiddenTop), hiddenTop)
		inputs[i], inputs[Hidden1+i] = max(y, 0), square(y)
	}
	seconds := t.biases2
	for i, v := range inputs {
		weights := &t.second[i/2]
		for j := range seconds {
			seconds[j] += v * int32(weights[j][i&1])
		}
	}
	for j, z := range seconds {
		sum += square(min(max(z>>weightBits, 0), hiddenTop)) * int32(t.third[j])
	}
	return sum
}

// square returns the square of an activation, rounded.
func square(v int32) int32 { return (2*v*v + 1<<hiddenBits) >> (hiddenBits + 1) }
