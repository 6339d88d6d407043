package search

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
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
	kit.Succeed(t, most.SetValues(values))
	sum := int64(most.HistoryMain+most.HistoryOne+most.HistoryTwo+most.HistoryFour+most.HistoryPawn)*historyMax/64 +
		int64(max(most.KillerFirst, most.KillerSecond, most.CounterMove)+most.QuietCheck) + int64(slices.Max(escapeBonus[:]))*int64(most.Escape)/64
	if sum >= 1<<(31-placeBits) || sum*64 > math.MaxInt32 {
		t.Errorf("a quiet move may score %d", sum)
	}
	if sum = 14*int64(seeValue[chess.Queen]) + historyMax/4 + 10000; sum >= 1<<(31-placeBits) {
		t.Errorf("a capture may score %d", sum)
	}
}

func TestSEE(t *testing.T) {
	tests := []struct {
		name, fen, move string
		want            int // what the exchange wins
	}{
		{"free pawn", "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100},
		{"defended pawn behind batteries", "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -220},
		{"quiet move to a safe square", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a5", 0},
		{"quiet move that hangs a rook", "4k3/8/1p6/8/8/8/8/R3K3 w - - 0 1", "a1a5", -500},
		{"promotion", "8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 850},
		{"promotion on a guarded square", "r7/1P2k3/8/8/8/8/8/4K3 w - - 0 1", "b7b8q", -100},
		{"en passant", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100},
		{"the king may not take a defended piece", "8/8/1b6/8/3nk3/8/4K3/8 w - - 0 1", "e2d1", 0},
		{"a battery against one defender", "4r1k1/8/8/4p3/8/8/4R3/4R1K1 w - - 0 1", "e2e5", 100},
		{"a battery against a battery", "4r1k1/4r3/8/4p3/8/8/4R3/4R1K1 w - - 0 1", "e2e5", -400},
		{"a queen behind a bishop", "6k1/6b1/8/4p3/3B4/8/1Q6/6K1 w - - 0 1", "d4e5", 100},
		{"a pinned defender", "4k3/4n3/8/3p4/8/2N5/8/4R1K1 w - - 0 1", "c3d5", 100},
		{"a pinned defender against Black", "4k3/4r3/2n5/8/3P4/8/4N3/4K3 b - - 0 1", "c6d4", 100},
		{"a second attacker that is pinned", "3r2k1/8/1b6/3p4/8/4N3/8/3R2K1 w - - 0 1", "d1d5", -400},
		{"a pinned defender on its line", "4k3/4r3/8/8/3Q4/8/8/4R1K1 w - - 0 1", "d4e5", -450},
		{"a pin that ends with the capture", "4k3/4n3/8/3pR3/8/8/8/6K1 w - - 0 1", "e5d5", -400},
		{"queen takes defended knight", "4k3/8/2p5/3n4/8/8/8/3QK3 w - - 0 1", "d1d5", -630},
	}
	for _, tt := range tests {
		p := kit.Position(t, tt.fen)
		m := kit.Move(t, p, tt.move)
		if !see(p, m, tt.want) || see(p, m, tt.want+1) {
			got := -2000
			for see(p, m, got+1) {
				got++
			}
			t.Errorf("%s: %s %s: wins %d, want %d", tt.name, tt.fen, tt.move, got, tt.want)
		}
	}
}

// TestPickerGivesEachLegalMoveOnce walks random games.
func TestPickerGivesEachLegalMoveOnce(t *testing.T) {
	e := engine(t)
	w := e.workers[0]
	r := rand.New(rand.NewPCG(8, 2))
	for range 10 {
		p := kit.Position(t, benchPositions[r.IntN(len(benchPositions))])
		for range 60 {
			legal := movegen.Legal(p, nil)
			if len(legal) == 0 {
				break
			}
			w.prepare(p, legal)
			w.at(0).killers = [2]chess.Move{legal[0], legal[len(legal)/2]}
			left := map[chess.Move]bool{}
			for _, m := range legal {
				left[m] = true
			}
			pk := w.newPicker(0, legal[r.IntN(len(legal))], 0, false)
			for m := w.pick(&pk); m != chess.NoMove; m = w.pick(&pk) {
				if !left[m] {
					t.Fatalf("%s: %v given twice or illegal", p, m)
				}
				delete(left, m)
			}
			if len(left) != 0 {
				t.Fatalf("%s: never given: %v", p, left)
			}
			w.at(0).attacksKnown, w.at(0).checksKnown = false, false
			p.Make(legal[r.IntN(len(legal))])
		}
	}
}

// TestQuietOutOfReachLosesNothing: a quiet move between two squares that the
// enemy does not attack never loses an exchange, lines that it opens included.
func TestQuietOutOfReachLosesNothing(t *testing.T) {
	w := engine(t).workers[0]
	r := rand.New(rand.NewPCG(2, 9))
	apart := 0
	for range 300 {
		p := kit.Position(t, benchPositions[r.IntN(len(benchPositions))])
		for range 20 {
			legal := movegen.Legal(p, nil)
			if len(legal) == 0 {
				break
			}
			w.prepare(p, nil)
			w.at(0).attacksKnown = false
			attacks := w.enemyAttacks(0)
			for _, m := range movegen.Quiets(p, nil) {
				if attacks.index(m) != 0 {
					continue
				}
				if apart++; !see(p, m, 0) {
					t.Fatalf("%s: %v loses an exchange", p, m)
				}
			}
			p.Make(legal[r.IntN(len(legal))])
		}
	}
	if apart < 10000 {
		t.Errorf("only %d moves were looked at", apart)
	}
}

// TestGivesCheck compares the look-ahead of the search with the rules.
func TestGivesCheck(t *testing.T) {
	w := engine(t).workers[0]
	for _, fen := range benchPositions {
		p := kit.Position(t, fen)
		w.prepare(p, nil)
		w.at(0).checksKnown = false
		for _, m := range movegen.Legal(p, nil) {
			p.Make(m)
			want := p.InCheck()
			p.Unmake()
			if got := w.givesCheck(0, m); got != want {
				t.Errorf("%s: %v gives check: %v, want %v", fen, m, got, want)
			}
		}
	}
}
