package search

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/must"
)

// TestLargest holds the vector kernel to the loop, for every length and place
// in a cache line, with extreme words at the ends.
func TestLargest(t *testing.T) {
	if !haveVectors() {
		t.Skip("no vector kernels here")
	}
	r := rand.New(rand.NewPCG(3, 8))
	words := make([]int32, 16+chess.MaxMoves)
	for n := 8; n <= chess.MaxMoves; n++ {
		for from := range 16 {
			for i := range words { // what lies outside is larger
				words[i] = math.MaxInt32
			}
			part := words[from : from+n]
			for i := range part {
				part[i] = int32(r.Uint32()) >> r.IntN(32)
			}
			for _, end := range []int32{part[0], math.MinInt32, math.MaxInt32} {
				part[0], part[n-1] = part[n-1], end
				if got, want := largestAVX2(&part[0], n), slices.Max(part); got != want || largest(part) != want {
					t.Fatalf("%d words from %d on: kernel %d, loop %d, want %d", n, from, got, largest(part), want)
				}
			}
		}
	}
}

// TestBestTakesTheLargest takes all moves of random lists: the scores fall, of
// equal ones the first in the list as it stands comes first, each move comes
// once, and the vector kernel takes the same.
func TestBestTakesTheLargest(t *testing.T) {
	w := engine(t).workers[0]
	r := rand.New(rand.NewPCG(5, 1))
	for n := 1; n <= chess.MaxMoves; n++ {
		var scores []int32
		for range n {
			scores = append(scores, int32(r.IntN(1<<(1+r.IntN(23))))-1<<22)
		}
		var orders [2][]chess.Move
		for i, vectors := range []bool{false, haveVectors()} {
			w.vectors = vectors
			pk := &picker{list: 7, next: 7, end: 7 + n} // somewhere among other lists
			moves, keys := w.current(pk)
			for j, score := range scores {
				moves[j], keys[j] = chess.Move(j), pickKey(score, j)
			}
			for last := int32(math.MaxInt32); pk.next < pk.end; {
				left := slices.Clone(moves[pk.next-pk.list:])
				want := slices.MaxFunc(left, func(a, b chess.Move) int { return cmp.Compare(scores[a], scores[b]) })
				m, score := w.best(pk)
				if m != want || score != scores[m] || score > last {
					t.Fatalf("of %d moves, vectors %v: move %d of score %d after %d, want %d of score %d",
						n, vectors, m, score, last, want, scores[want])
				}
				last = score
				orders[i] = append(orders[i], m)
			}
		}
		if !slices.Equal(orders[0], orders[1]) {
			t.Errorf("%d moves: order %v, with vectors %v", n, orders[0], orders[1])
		}
	}
}

// TestKeysHoldEveryScore bounds the scores of moves by the ranges of the
// numbers that they are made of: a key has 24 bits for them.
func TestKeysHoldEveryScore(t *testing.T) {
	var most Params
	var values []int
	for _, row := range Tunables() {
		values = append(values, row.Max)
	}
	must.Succeed(t, most.SetValues(values))
	sum := int64(most.HistoryMain+most.HistoryOne+most.HistoryTwo+most.HistoryFour+most.HistoryPawn)*historyMax/64 +
		int64(max(most.KillerFirst, most.KillerSecond, most.CounterMove)+most.QuietCheck) + int64(slices.Max(escapeBonus[:]))*int64(most.Escape)/64
	if sum >= 1<<(31-placeBits) || sum*64 > math.MaxInt32 {
		t.Errorf("a quiet move may score %d", sum)
	}
	if sum = 14*int64(seeValue[chess.Queen]) + historyMax/4 + 10000; sum >= 1<<(31-placeBits) {
		t.Errorf("a capture may score %d", sum)
	}
}
