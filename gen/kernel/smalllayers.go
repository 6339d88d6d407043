package kernel

import "unsafe"

// The small layers of eval/nnue (eval/nnue/layers.go). Every machine has its own way to
// multiply inputs by weights; what happens to the sums is described here for all.
const (
	hidden1, hidden2 = 16, 32 // neurons
	productShift     = 6      // a<<6 times b, of which VPMULHRSW keeps what is above bit 15, rounded: a·b>>9
	hiddenTop        = 1<<14 - 1
	secondShift      = 10
	skipShift        = 1
	blockProducts    = 4
	blockBytes       = blockProducts * hidden1 // the weights of a block
	maxWidth         = 4096                    // nnue.MaxWidth
)

// tail is the layout of nnue.tail.
type tail struct {
	biases1 [hidden1]int32
	second  [hidden1][hidden2][2]int16
	biases2 [hidden2]int32
	third   [hidden2]int16
	skips   [hidden1]int16
}

// layerMachine emits operations on vectors V of words or longs, of 16 or 32 bits.
type layerMachine[V any] interface {
	zeros() V
	wordsOf(n int) V // the same word in every lane
	atMost(words, limit V)
	atLeast(words, limit V)
	squared(words V) V // of words of at most hiddenTop, as much above bit 14
	shiftRight(longs V, by int)
	packed(longs []V) (words []V) // saturated
	// addPairs adds the sums of pairs of products of words with the weights of a layer in tail,
	// of which these are vector k.
	addPairs(longs, words V, weights uintptr, k int)
	second(inputs []V) (longs []V) // the sums of the second layer
}

// smallLayers emits what follows the sums of the first layer, which are changed, and returns
// longs whose sum is that of the third layer and of what goes past the others.
func smallLayers[V any](m layerMachine[V], sums []V) (longs V) {
	zero, top, bottom, past := m.zeros(), m.wordsOf(hiddenTop), m.wordsOf(-hiddenTop), m.zeros()
	inputs := m.packed(sums)
	for _, s := range sums {
		m.shiftRight(s, skipShift)
	}
	for k, words := range m.packed(sums) {
		m.addPairs(past, words, unsafe.Offsetof(tail{}.skips), k)
	}
	for _, words := range inputs {
		m.atMost(words, top)
		m.atLeast(words, bottom)
		inputs = append(inputs, m.squared(words))
		m.atLeast(words, zero)
	}
	seconds := m.second(inputs)
	for _, s := range seconds {
		m.shiftRight(s, secondShift)
	}
	for k, words := range m.packed(seconds) {
		m.atMost(words, top)
		m.atLeast(words, zero)
		m.addPairs(past, m.squared(words), unsafe.Offsetof(tail{}.third), k)
	}
	return past
}
