package layout

// numbers are the tables of the numbering, all made by formula.
type numbers struct {
	triangle [64]uint8      // of the first piece, in a1-d1-d4: off the diagonal 0 to 5, on it 6 to 9
	below    [64]uint8      // squares below the long diagonal in order of squares, 0 to 27
	kings    [10][64]uint16 // of two kings, 0 to 461; the first by triangle
	twist    [64]uint8      // rank of a pawn among those that may lead, 47 first
	choose   [7][64]uint64  // choose[k][n] is n over k
	lead     [6][64]uint64  // lead[k] of the leading pawn: placements with k more before it on its file
	leads    [6][4]uint64   // placements of a leading pawn on the file and k more
}

// noKings marks squares of two kings that cannot be.
const noKings = 1 << 15

// number holds the tables; nothing writes to it but newNumbers.
var number = newNumbers()

func newNumbers() *numbers {
	n := new(numbers)
	n.fillChoose()
	n.fillKings()
	n.fillPawns()
	return n
}

func (n *numbers) fillChoose() {
	for from := range uint64(64) {
		n.choose[0][from] = 1
		for k := uint64(1); k < 7 && k <= from; k++ {
			n.choose[k][from] = n.choose[k-1][from] * (from - k + 1) / k
		}
	}
}

// fillKings numbers the pairs of kings: the first in the triangle, where it
// stands on the diagonal the second not above it. Pairs with both on the
// diagonal come last.
func (n *numbers) fillKings() {
	order := [10]int{1, 2, 3, 10, 11, 19, 0, 9, 18, 27} // b1 c1 d1 c2 d2 d3, a1 b2 c3 d4
	for i, s := range order {
		n.triangle[s] = uint8(i)
	}
	count := uint8(0)
	for s := range 64 {
		if offDiagonal(s) < 0 {
			n.below[s] = count
			count++
		}
	}
	next := uint16(0)
	for _, both := range [2]bool{false, true} {
		for i, first := range order {
			for second := range 64 {
				if near(first, second) {
					n.kings[i][second] = noKings
					continue
				}
				on := offDiagonal(first) == 0
				switch {
				case on && offDiagonal(second) > 0:
					n.kings[i][second] = noKings
				case (on && offDiagonal(second) == 0) == both:
					n.kings[i][second] = next
					next++
				}
			}
		}
	}
}

// near reports whether two squares are the same or touch.
func near(a, b int) bool {
	return max(a&7-b&7, b&7-a&7, a>>3-b>>3, b>>3-a>>3) <= 1
}

// offDiagonal is negative below the long diagonal, positive above it.
func offDiagonal(s int) int { return s>>3 - s&7 }

// fillPawns ranks the squares of pawns: nearer to the edge first, then nearer
// to the own first rank, then left before right. The pawn that ranks highest
// leads, and each of the others of its colour ranks lower than it.
func (n *numbers) fillPawns() {
	for file := range 4 {
		for rank := 1; rank < 7; rank++ {
			n.twist[rank*8+file] = uint8(47 - 12*file - 2*(rank-1))
			n.twist[rank*8+7-file] = uint8(46 - 12*file - 2*(rank-1))
		}
	}
	for k := range 6 {
		for file := range 4 {
			sum := uint64(0)
			for rank := 1; rank < 7; rank++ {
				n.lead[k][rank*8+file] = sum
				sum += n.choose[k][n.twist[rank*8+file]]
			}
			n.leads[k][file] = sum
		}
	}
}
