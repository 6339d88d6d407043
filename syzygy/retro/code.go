package retro

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// tree is a heap of subtrees of a Huffman code.
type tree []subtree

type subtree struct {
	weight uint64
	leaves []int
}

func (t tree) Len() int           { return len(t) }
func (t tree) Less(i, j int) bool { return t[i].weight < t[j].weight }
func (t tree) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *tree) Push(x any)        { *t = append(*t, x.(subtree)) }
func (t *tree) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

// codeLengths returns the length of a Huffman code for each symbol, zero where
// its weight is. Source: CPW "Huffman Encoding".
func codeLengths(weights []uint64) []int {
	for {
		lengths := make([]int, len(weights))
		t := tree{}
		for i, w := range weights {
			if w > 0 {
				t = append(t, subtree{w, []int{i}})
			}
		}
		if len(t) == 1 {
			lengths[t[0].leaves[0]] = 1
			return lengths
		}
		heap.Init(&t)
		for len(t) > 1 {
			a, b := heap.Pop(&t).(subtree), heap.Pop(&t).(subtree)
			a.weight, a.leaves = a.weight+b.weight, append(a.leaves, b.leaves...)
			for _, i := range a.leaves {
				lengths[i]++
			}
			heap.Push(&t, a)
		}
		if len(lengths) == 0 || slices.Max(lengths) <= layout.MaxCode {
			return lengths
		}
		for i, w := range weights { // flatter weights give shorter codes
			weights[i] = (w + 1) / 2
		}
	}
}

// code is a canonical code: the longest codes are the lowest numbers, and
// symbols are numbered by their codes.
type code struct {
	order             []int    // symbols by number; those without a code last
	number            []uint16 // of each symbol
	shortest, longest int
	first             [layout.MaxCode + 1]int    // number of the first symbol of a length
	base              [layout.MaxCode + 1]uint64 // its code
	lengths           []int                      // of each symbol
}

// newCode makes the code of symbols by how often each is used.
func newCode(weights []uint64) *code {
	c := &code{lengths: codeLengths(weights), number: make([]uint16, len(weights)), shortest: layout.MaxCode}
	for i, n := range c.lengths {
		c.order = append(c.order, i)
		if n > 0 {
			c.shortest, c.longest = min(c.shortest, n), max(c.longest, n)
		}
	}
	slices.SortStableFunc(c.order, func(a, b int) int { return cmp.Compare(c.lengths[b], c.lengths[a]) })
	counts := [layout.MaxCode + 2]int{}
	for n, i := range c.order {
		c.number[i] = uint16(n)
		counts[c.lengths[i]]++
	}
	for n := c.longest - 1; n >= c.shortest; n-- {
		c.first[n] = c.first[n+1] + counts[n+1]
		c.base[n] = (c.base[n+1] + uint64(counts[n+1])) / 2
	}
	return c
}

// bits returns the code of a symbol and its length.
func (c *code) bits(symbol uint16) (value uint64, length int) {
	length = c.lengths[symbol]
	return c.base[length] + uint64(int(c.number[symbol])-c.first[length]), length
}
