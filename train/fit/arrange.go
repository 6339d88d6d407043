package fit

import (
	"cmp"
	"slices"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// arranged returns a network with its pairs of neurons sorted by how often their products are not zero in the
// held-out positions, most often first. The outputs are unchanged, but more blocks of four are zero together, and
// kernels skip those. The idea comes from Stormphrax. It uses at most 10,000 positions.
func (t *Trainer) arranged(net *nnue.Network) (*nnue.Network, error) {
	shape := net.Shape()
	half := shape.Width / 2
	counts := make([]int, half)
	w := t.workers[0]
	for i := range min(len(t.set.Held), 10000) {
		features := appendFeatures(nil, w.lens, &t.set.Held[i])
		for k, p := range net.Products(rows(features, shape.Width)) {
			if p != 0 {
				counts[k%half]++
			}
		}
	}
	order := make([]int, half)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	old, sorted := net.Weights(), net.Weights()
	// Every half of a row, and every half of the products' weights, is sorted alike.
	sortBlocks(sorted.Features, old.Features, order, 1)
	sortBlocks(sorted.Biases, old.Biases, order, 1)
	for b := range sorted.Stacks {
		sortBlocks(sorted.Stacks[b].Weights1, old.Stacks[b].Weights1, order, nnue.Hidden1)
	}
	return nnue.New(shape, sorted, net.Provenance())
}

// sortBlocks copies blocks of n weights from src to dst, in each stretch of as many
// as order has in that order.
func sortBlocks[T whole](dst, src []T, order []int, n int) {
	for len(src) > 0 {
		for to, from := range order {
			copy(dst[to*n:(to+1)*n], src[from*n:])
		}
		dst, src = dst[len(order)*n:], src[len(order)*n:]
	}
}
