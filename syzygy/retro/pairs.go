package retro

import (
	"slices"

	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// maxSymbols bounds the symbols of a part; the format holds 4,095.
const maxSymbols = 4095

// maxRun bounds the values that a symbol stands for.
const maxRun = 256

// symbol is a value or two symbols in a row.
type symbol struct {
	left, right uint16 // right is layout.Leaf for a value, left then holds it
	run         int    // values it stands for
}

// pairUp replaces pairs of symbols that come often by new symbols until no
// pair is worth it, and returns the symbols and the text written in them. It
// is the scheme of Larsson and Moffat, "Offline Dictionary-Based Compression"
// (1999), a few pairs a pass that have no symbol in common, as de Man does.
func pairUp(values []uint16) (symbols []symbol, text []uint16) {
	number := map[uint16]uint16{}
	text = make([]uint16, len(values))
	for i, v := range values {
		n, ok := number[v]
		if !ok {
			n = uint16(len(symbols))
			number[v] = n
			symbols = append(symbols, symbol{v, layout.Leaf, 1})
		}
		text[i] = n
	}
	var counts []uint32
	for len(symbols) < maxSymbols {
		n := len(symbols)
		counts = slices.Grow(counts[:0], n*n)[:n*n]
		clear(counts)
		countPairs(text, counts, n)
		fresh := choosePairs(symbols, counts)
		if len(fresh) == 0 {
			break
		}
		// with[a] names the new symbol that begins with a.
		with := make([]uint16, n)
		for _, f := range fresh {
			with[f.left] = uint16(len(symbols))
			symbols = append(symbols, f)
		}
		text = replacePairs(text, symbols, with)
	}
	return symbols, text
}

// countPairs counts neighbours; of a run of equal symbols every other pair.
func countPairs(text []uint16, counts []uint32, n int) {
	for i := 1; i < len(text); i++ {
		a, b := text[i-1], text[i]
		counts[int(a)*n+int(b)]++
		if a == b && i+1 < len(text) && text[i+1] == a {
			i++
		}
	}
}

// A new symbol takes three bytes and lengthens codes: pairs that come less
// often are not worth one. Of each pass those count that come at least half as
// often as the most frequent pair.
const (
	leastPairs = 12
	perPass    = 64
)

// choosePairs returns the new symbols of a pass.
func choosePairs(symbols []symbol, counts []uint32) []symbol {
	n := len(symbols)
	most := uint32(0)
	usable := func(i int) bool { return symbols[i/n].run+symbols[i%n].run <= maxRun }
	for i, c := range counts {
		if c > most && usable(i) {
			most = c
		}
	}
	if most < leastPairs {
		return nil
	}
	var candidates []int
	for i, c := range counts {
		if c >= max(leastPairs, most/2) && usable(i) {
			candidates = append(candidates, i)
		}
	}
	slices.SortStableFunc(candidates, func(a, b int) int { return int(counts[b]) - int(counts[a]) })
	used := make([]bool, n)
	var fresh []symbol
	for _, i := range candidates {
		a, b := i/n, i%n
		if used[a] || used[b] || len(fresh) == perPass || n+len(fresh) == maxSymbols {
			continue
		}
		used[a], used[b] = true, true
		fresh = append(fresh, symbol{uint16(a), uint16(b), symbols[a].run + symbols[b].run})
	}
	return fresh
}

// replacePairs writes text in the new symbols, in place.
func replacePairs(text []uint16, symbols []symbol, with []uint16) []uint16 {
	out := text[:0]
	for i := 0; i < len(text); i++ {
		s := text[i]
		if w := with[s]; w != 0 && i+1 < len(text) && symbols[w].right == text[i+1] {
			s = w
			i++
		}
		out = append(out, s)
	}
	return out
}
